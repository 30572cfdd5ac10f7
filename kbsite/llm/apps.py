import os
from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class LlmConfig(AppConfig):
    name = "kbsite.llm"
    label = "llm"
    verbose_name = _("Models")

    def ready(self) -> None:
        """Processes that serve warm up; commands and the clock load nothing."""
        if os.environ.get("KB_PART") in {"web", "worker"}:
            import_module("kbsite.llm.warming")
