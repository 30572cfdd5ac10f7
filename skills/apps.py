from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SkillsConfig(AppConfig):
    name = "skills"
    verbose_name = _("Skills")

    def ready(self) -> None:
        """Skills follow their documents and folders from the start."""
        import_module("skills.receivers")
        import_module("skills.links.follow")
        import_module("skills.folder_pages.abstracts")
        import_module("skills.folder_pages.log")
        import_module("skills.folder_pages.withdraw")
        import_module("skills.bin.receivers")
        import_module("skills.pictures.receivers")
        import_module("skills.checks")
