from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "kbsite"
    label = "site"
