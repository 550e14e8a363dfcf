from importlib import import_module

from django.apps import AppConfig


class LakesConfig(AppConfig):
    name = "lakes"

    def ready(self) -> None:
        """Connect the receiver of erasures; register what depends on a dataset or a model, and which bytes a project
        pays for."""
        from jobs import storage  # models can be imported once all apps are ready
        from lakes.models import GroupScores, LakeGroup, LakePack

        import_module("lakes.receivers")
        import_module("lakes.lifecycle")
        storage.register(LakeGroup, "dataset__project", "blob")
        storage.register(LakePack, "part__dataset__project", "object")
        storage.register(GroupScores, "group__dataset__project", "blob")
