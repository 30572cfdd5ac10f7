from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class QuickSetupConfig(AppConfig):
    name = "kbsite.quick_setup"
    label = "quick_setup"
    verbose_name = _("Quick setup")
