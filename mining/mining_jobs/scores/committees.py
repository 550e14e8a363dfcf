"""Committees as a mining job names them, resolved to model versions."""

from collections.abc import Mapping
from typing import Any

from core.errors import Invalid
from registry.models import ModelVersion
from scoring.committee import Committee, committee_of
from worker_programs.config import ConfigError

Document = Mapping[str, Any]


def check_committee(version: ModelVersion, document: Document | None) -> None:
    """Raise Invalid naming the field of `{"versions": [..]}` or `{"dropout": {..}}` that can't be."""
    other_members(version, parsed(document))


def parsed(document: Document | None) -> Committee | None:
    """The committee of a document. Raises Invalid (`committee...`)."""
    try:
        return committee_of(document)
    except ConfigError as error:
        raise Invalid(str(error), errors=error.errors) from error


def other_members(version: ModelVersion, committee: Committee | None) -> list[ModelVersion]:
    """The versions beside `version`, in the order they are named in, each once; none for a committee by dropout.

    Raises Invalid for a version that the model has not.
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
