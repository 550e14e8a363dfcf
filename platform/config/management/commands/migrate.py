"""`manage.py migrate`: an empty database gets the tables directly from the models; any other gets the missing
migrations.

Applying every migration to an empty database takes ten seconds, in which Django renders models that were changed since,
and there are no rows to change. Both ways give the same result: a test compares them.
"""

from typing import Any

from django.apps import apps
from django.core.management.commands import migrate
from django.db import connections, router
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

PARTS = ("app_label", "plan", "check_unapplied", "prune", "fake", "fake_initial")
"""Options with which Django does something else, or only a part."""


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        connection.prepare_database()
        if not any(options[name] for name in PARTS) and not connection.introspection.table_names():
            create(connection)
            if options["verbosity"]:
                self.stdout.write("The database was empty: its tables were created.")
        super().handle(*args, **options)


def create(connection: BaseDatabaseWrapper) -> None:
    """Create the tables of all models, and record every migration as applied, in one transaction."""
    loader, recorder = MigrationLoader(connection), MigrationRecorder(connection)
    with connection.schema_editor() as editor:
        for config in apps.get_app_configs():
            if config.label in loader.migrated_apps:
                for model in router.get_migratable_models(config, connection.alias, include_auto_created=False):
                    if model._meta.can_migrate(connection):  # noqa: SLF001 - Django's documented place for it
                        editor.create_model(model)
        editor.create_model(recorder.Migration)
        recorder.migration_qs.bulk_create([recorder.Migration(app=app, name=name) for app, name in loader.graph.nodes])
