from django.apps import AppConfig
from django.db.models.signals import pre_save


class LifecycleConfig(AppConfig):
    name = "jobs.lifecycle"

    def ready(self) -> None:
        from jobs.lifecycle.former_names import check_new

        pre_save.connect(check_new, dispatch_uid="former_names")
