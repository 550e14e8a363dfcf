"""Committees as a mining job names them, resolved to model versions."""

from collections.abc import Mapping
from typing import Any

from core.errors import Invalid
from registry.ancestry import ENSEMBLE
from registry.models import ModelVersion
from scoring.committee import AS_IT_IS, Committee, Pass, committee_of
from tasktypes import TaskType
from worker_programs.config import ConfigError

Document = Mapping[str, Any]


def check_committee(version: ModelVersion, document: Document | None) -> None:
    """Raise Invalid naming the field of a committee document that `version` can't have."""
    passes(version, document)


def check_fit(document: Document | None, task: TaskType) -> None:
    """Raise Invalid naming the invalid field of a committee, or one that models of a task type can't have."""
    committee = parsed(document)
    if committee is None:
        return
    if committee.dropout is not None and task.outputs.operator is None:
        words = f"{task.name} has no head over classes to put masks before: name other `versions`, or `flips`"
        raise Invalid.field("committee.dropout", words)
    if committee.flips and not task.mining.mirrors:
        words = f"what holds of an image of {task.name} need not hold of its mirror image: name other `versions`"
        raise Invalid.field("committee.flips", words)


def passes(version: ModelVersion, document: Document | None) -> list[tuple[ModelVersion, Pass]]:
    """Return which model versions score each image, and how; the first is the scoring version. Raises Invalid
    (`committee...`)."""
    committee = parsed(document)
    if committee is not None and committee.dropout is not None and version.architecture == ENSEMBLE:
        members = (
            ", ".join(str(number) for number in version.made_from.values_list("number", flat=True)) or "its members"
        )
        words = (
            f"{version.model.name}@{version.number} is an ensemble, which has no one embedding to put masks over: "
            f"name `versions` ({members}) as the committee instead"
        )
        raise Invalid.field("committee.dropout", words)
    own = (AS_IT_IS,) if committee is None else committee.passes
    others = [(other, AS_IT_IS) for other in _other_members(version, committee)]
    return [*((version, one) for one in own), *others]


def parsed(document: Document | None) -> Committee | None:
    """Parse the committee of a document. Raises Invalid (`committee...`)."""
    try:
        return committee_of(document)
    except ConfigError as error:
        raise Invalid(str(error), errors=error.errors) from error


def _other_members(version: ModelVersion, committee: Committee | None) -> list[ModelVersion]:
    """Return the other versions that the committee names, in that order, each once; none where it names none.

    Raises Invalid for a version that the model does not have.
    """
    wanted = list(dict.fromkeys((committee.versions or []) if committee else []))
    found = {row.number: row for row in version.model.versions.filter(number__in=wanted).select_related("model")}
    if absent := [number for number in wanted if number not in found]:
        known = version.model.versions.exclude(pk=version.pk).values_list("number", flat=True).order_by("number")
        raise Invalid.field(
            "committee.versions",
            f"{version.model.name} has no version {absent[0]}; beside {version.number} there are "
            f"{', '.join(map(str, known)) or 'none'}",
        )
    others = [found[number] for number in wanted if number != version.number]
    if committee and committee.versions and not others:
        raise Invalid.field("committee.versions", f"name a version other than {version.number}, which scores anyway")
    return others
