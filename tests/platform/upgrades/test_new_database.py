"""A new database, made at once, is the one that all migrations make."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.core.management.commands.migrate import Command
from django.db import connections
from django.db.migrations.recorder import MigrationRecorder
from tests.platform.operations.places import empty_place

from blobs.settings import StoreConfig

UNUSED = "auth_group_permissions"
"""Django's own migrations give it a wider key than its own models do; nobody has groups here."""
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.clock, pytest.mark.both]


def made(alias: str) -> dict[str, Any]:
    """The columns, indexes and references of each table, what is noted as applied, and the models that are known."""
    connection, found = connections[alias], {}
    look = connection.introspection
    with connection.cursor() as cursor:
        for table in set(look.table_names(cursor)) - {UNUSED}:
            columns = sorted(
                (column.name, look.get_field_type(column.type_code, column), column.null_ok, column.default)
                for column in look.get_table_description(cursor, table)
            )
            bounds = look.get_constraints(cursor, table).values()
            found[table] = columns, sorted(repr(sorted(bound.items(), key=lambda item: item[0])) for bound in bounds)
    applied = MigrationRecorder(connection).applied_migrations().keys()
    types = ContentType.objects.using(alias).values_list("app_label", "model")
    return {"tables": found, "applied": sorted(applied), "types": sorted(types)}


def test_an_empty_database_gets_what_its_migrations_make(tmp_path: Path, s3_server: StoreConfig) -> None:
    with empty_place(tmp_path / "place", s3_server) as place, place.asked() as alias:
        call_command(Command(), database=alias, verbosity=0, interactive=False)
        by_migrations = made(alias)
    assert made("default") == by_migrations


def test_a_database_that_has_tables_is_migrated(tmp_path: Path, s3_server: StoreConfig) -> None:
    with empty_place(tmp_path / "place", s3_server) as place, place.asked() as alias:
        call_command("migrate", "jobs", "0001", database=alias, verbosity=0, interactive=False)
        assert "jobs_quota" not in connections[alias].introspection.table_names()
        call_command("migrate", database=alias, verbosity=0, interactive=False)
        assert made(alias) == made("default")
