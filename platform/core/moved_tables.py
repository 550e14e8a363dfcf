"""Migrations for models that moved to another app: their tables move with them, rows and all."""

from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import ProjectState

CONTENT_TYPES = "django_content_type"


class CreateOrRename(migrations.CreateModel):
    """Create a model's table; where the app `before` created it under its own name, rename it instead."""

    def __init__(self, name: str, fields: Any, *, before: str, **more: Any) -> None:
        self.before = before
        super().__init__(name, fields, **more)

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        model = to_state.apps.get_model(app_label, self.name)
        there = schema_editor.connection.introspection.table_names()
        old = f"{self.before}_{self.name_lower}"
        if old not in there:
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        schema_editor.alter_db_table(model, old, model._meta.db_table)  # noqa: SLF001 - what a schema editor goes by
        for field in model._meta.local_many_to_many:  # noqa: SLF001 - as above
            through = field.remote_field.through
            schema_editor.alter_db_table(through, f"{old}_{field.name}", through._meta.db_table)  # noqa: SLF001 - as above
        if CONTENT_TYPES in there:
            schema_editor.execute(
                f"UPDATE {CONTENT_TYPES} SET app_label = %s WHERE app_label = %s AND model = %s",  # noqa: S608 - no input
                [app_label, self.before, self.name_lower],
            )
