from importlib import import_module

from django.apps import AppConfig

from kbsite import labels


class SiteConfig(AppConfig):
    name = "kbsite"
    label = "site"

    def ready(self) -> None:
        """Whoever sends a task by name must find the queue's app: ``kbsite.celery`` makes it the default."""
        import_module("kbsite.celery")
        labels.apply()
