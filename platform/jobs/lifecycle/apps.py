from django.apps import AppConfig


class LifecycleConfig(AppConfig):
    name = "jobs.lifecycle"
