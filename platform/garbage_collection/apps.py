from django.apps import AppConfig


class CollectorConfig(AppConfig):
    name = "garbage_collection"
