"""The rule for migrations newer than the last release: that release must work on the new tables, because during an
upgrade both versions run.

New columns are nullable or have a database default. Nothing that the release knows is removed, renamed or narrowed.
Rows are filled by a job, in pieces, not by a migration. What must break the rule is named in `exemptions`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import models
from django.db.migrations import operations as steps
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models.fields import NOT_PROVIDED

from operations.upgrading.exemptions import EXEMPTIONS, Exemption
from operations.upgrading.release import Release, newer_migrations

HARMLESS = (
    steps.CreateModel,
    steps.AddIndex,
    steps.RemoveIndex,
    steps.RenameIndex,
    steps.RemoveConstraint,
    steps.AlterModelOptions,
    steps.AlterModelManagers,
    steps.AlterOrderWithRespectTo,
)
UNKNOWN = "name it in operations.upgrading.exemptions with the reason"
GONE = "the release before still reads and writes it: remove it a release after the code stopped using it"
DEFAULT = "give it a db_default or null=True: the release before writes rows without it"


@dataclass(frozen=True, slots=True)
class Fault:
    """A step that the release before does not survive."""

    app: str
    migration: str
    step: str
    why: str

    def __str__(self) -> str:
        return f"{self.app}.{self.migration}: {self.step}: {self.why}"


@dataclass(frozen=True, slots=True)
class _States:
    """The models before a step, in the last release, and at the end of all migrations."""

    before: ProjectState
    release: ProjectState
    end: ProjectState


def faults(
    loader: MigrationLoader, release: Release, exemptions: Mapping[tuple[str, str, str], Exemption] = EXEMPTIONS
) -> list[str]:
    """Return the faults of the migrations newer than the release, and the exemptions that exempt nothing."""
    unused = set(exemptions)
    found: list[str] = []
    for fault in _found(loader, release):
        name = (fault.app, fault.migration, fault.step)
        unused.discard(name)
        if name not in exemptions:
            found.append(str(fault))
    return found + [f"{'.'.join(name[:2])}: {name[2]}: exempt, but there is no such fault" for name in sorted(unused)]


def _found(loader: MigrationLoader, release: Release) -> Iterator[Fault]:
    states = _States(loader.project_state(release.leaves), loader.project_state(release.leaves), loader.project_state())
    for migration in newer_migrations(loader, release):
        app = migration.app_label
        for step in migration.operations:
            for part in parts(step):
                if why := _fault(app, part, states):
                    yield Fault(app, migration.name, named(part), why)
            step.state_forwards(app, states.before)


def parts(step: Operation) -> Sequence[Operation]:
    """Return what a step does to the database."""
    return step.database_operations if isinstance(step, steps.SeparateDatabaseAndState) else [step]


def named(step: Operation) -> str:
    """Return the name of a step: its kind, and the model, field or function that it is about."""
    about: list[str] = [getattr(step, "model_name", "") or "", getattr(step, "name", "") or ""]
    if isinstance(step, steps.RunPython):
        about = [getattr(step.code, "__name__", "")]
    elif isinstance(step, steps.RenameField | steps.RenameModel):
        about = [getattr(step, "model_name", ""), step.old_name]
    elif isinstance(step, steps.AddConstraint):
        about = _about_constraint(step)
    return " ".join(
        [type(step).__name__, ".".join(filter(None, about)).lower() if len(about) > 1 else about[0]]
    ).strip()


def _about_constraint(step: Any) -> list[str]:  # what it has is not in its stub
    return [step.model_name, step.constraint.name]


def _fault(app: str, step: Operation, states: _States) -> str:
    """Return why the release before does not survive a step; empty if it does."""
    model = getattr(step, "model_name", None) or getattr(step, "old_name", None) or getattr(step, "name", "")
    is_new = (app, str(model).lower()) not in states.release.models
    if type(step) in HARMLESS or (is_new and not isinstance(step, steps.RunPython | steps.RunSQL)):
        return ""
    kind = next((kind for kind in RULES if isinstance(step, kind)), None)
    return UNKNOWN if kind is None else RULES[kind](app, step, states)


def _added(app: str, step: Any, states: _States) -> str:
    model = states.end.models.get((app, step.model_name_lower))
    field = step.field if model is None else model.fields.get(step.name, step.field)
    return "" if field.many_to_many or field.null or _has_default(field) else DEFAULT


def _altered(app: str, step: Any, states: _States) -> str:
    old = states.before.models[app, step.model_name_lower].fields.get(step.name)
    new = step.field
    if old is None:
        return ""
    tight = {
        "it may no longer be null": old.null and not new.null,
        "its values must be unique": new.unique and not old.unique,
        "its database default is gone": _has_default(old) and not _has_default(new) and not new.null,
        "its texts must be shorter": (new.max_length or 1 << 30) < (old.max_length or 1 << 30),
        "its type is another": old.get_internal_type() != new.get_internal_type(),
        "its column is another": old.db_column != new.db_column,
        "it must refer to a row": getattr(new, "db_constraint", False) and not getattr(old, "db_constraint", True),
    }
    return ", ".join(words for words, true in tight.items() if true)


def _has_default(field: "models.Field[Any, Any]") -> bool:
    return field.db_default is not NOT_PROVIDED


def _says(words: str) -> Callable[[str, Any, _States], str]:
    return lambda *_: words


RULES: dict[type[Operation], Callable[[str, Any, _States], str]] = {
    steps.AddField: _added,
    steps.AlterField: _altered,
    steps.RemoveField: _says(GONE),
    steps.DeleteModel: _says(GONE),
    steps.RenameField: _says(f"add the new column beside it; {GONE}"),
    steps.RenameModel: _says(f"add the new table beside it; {GONE}"),
    steps.AlterModelTable: _says("the release before looks for the table under its name"),
    steps.AlterUniqueTogether: _says("the release before may write what it refuses"),
    steps.AddConstraint: _says("the release before may write what it refuses"),
    steps.RunPython: _says("fill rows by a job, in pieces: a migration holds its locks until it is done"),
    steps.RunSQL: _says("fill rows by a job, in pieces: a migration holds its locks until it is done"),
}
