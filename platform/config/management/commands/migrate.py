"""`manage.py migrate`: an empty database gets the tables directly from the models; any other gets the missing
migrations.

One process migrates at a time, and none holds up those that work for long.

Applying every migration to an empty database takes ten seconds, in which Django renders models that were changed since,
and there are no rows to change. Both ways give the same result: a test compares them.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.apps import apps
from django.core.management.commands import migrate
from django.db import DatabaseError, OperationalError, connections, router
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from core.postgres import timeouts
from core.postgres.lock_errors import is_lock_error

PARTS = ("app_label", "plan", "check_unapplied", "prune", "fake", "fake_initial")
"""Options with which Django does something else, or only a part."""
LOCK = 7_310_202_611  # of PostgreSQL's advisory locks: any number that nobody else of this database takes
LOCK_SECONDS = 2.0
LOCKS_SECONDS = 600.0


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        if any(options[name] for name in PARTS):
            super().handle(*args, **options)
            return
        connection.prepare_database()
        with self._alone(connection):
            if not connection.introspection.table_names():
                create(connection)
                if options["verbosity"]:
                    self.stdout.write("The database was empty: its tables were created.")
            self._apply(connection, *args, **options)
            if connection.vendor == "postgresql":
                self._limit_sessions(connection)

    def _limit_sessions(self, connection: BaseDatabaseWrapper) -> None:
        """Set the time limits of the role that the sessions of PostgreSQL have."""
        try:
            timeouts.set_missing(connection)
        except DatabaseError as error:
            limits = " ".join(f"SET {name} = '{value}'" for name, value in timeouts.LIMITS.items())
            self.stderr.write(
                f"The role's time limits could not be set ({error}): have an administrator do it. A process that "
                f"freezes would keep its locks. They are, by ALTER ROLE .. IN DATABASE ..: {limits}"
            )

    def _apply(self, connection: BaseDatabaseWrapper, *args: Any, **options: Any) -> None:
        """Apply the migrations. On PostgreSQL none waits long for a lock, because all that use the table would wait
        behind it; it is tried again instead. So is one that was chosen to end a deadlock."""
        if connection.vendor != "postgresql":
            super().handle(*args, **options)
            return
        deadline = time.monotonic() + LOCKS_SECONDS
        while True:
            with connection.cursor() as cursor:
                cursor.execute(f"SET lock_timeout = '{LOCK_SECONDS:.0f}s'")
            try:
                super().handle(*args, **options)
            except OperationalError as error:
                if not is_lock_error(error) or time.monotonic() > deadline:
                    raise
                self.stdout.write("\nA table is in use by another transaction (a backup, say): trying again.")
                time.sleep(LOCK_SECONDS)
            else:
                return

    @contextmanager
    def _alone(self, connection: BaseDatabaseWrapper) -> Iterator[None]:
        """Keep other processes from migrating the same PostgreSQL database meanwhile; wait for one that does."""
        if connection.vendor != "postgresql":
            yield
            return
        with connection.cursor() as cursor:
            while not _locked(cursor):
                time.sleep(LOCK_SECONDS)
        try:
            yield
        finally:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])


def _locked(cursor: Any) -> bool:
    cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK])
    return bool(cursor.fetchone()[0])


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
