"""Aliases move by compare-and-swap; every move is remembered."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from accounts.models import User
from core.errors import Conflict, Invalid
from registry.gates import DEFAULT_GATES, GateResult, judge
from registry.models import Alias, Model, ModelVersion, Promotion


def promote(
    version: ModelVersion,
    alias: str,
    *,
    reason: str,
    by: User,
    gates: Sequence[Mapping[str, Any]] = DEFAULT_GATES,
    override: bool = False,
) -> Promotion:
    """Point the alias at the version when every gate passes, or when overridden.

    Raises Conflict `gates_failed` with the verdicts, and Invalid without a reason.
    """
    if not reason.strip():
        raise Invalid.field("reason", "say why, in a few words")
    with transaction.atomic():
        Model.objects.select_for_update().get(pk=version.model_id)
        current = _current(version.model, alias)
        verdicts = judge(version, gates, against=current)
        failing = [verdict for verdict in verdicts if not verdict.passed]
        if failing and not override:
            raise Conflict(
                f"{version} was not promoted to {alias}: "
                + "; ".join(f"{gate.gate}: {gate.detail}" for gate in failing),
                code="gates_failed",
                extra={"gates": [verdict.document() for verdict in verdicts]},
            )
        return _move(version, alias, current, verdicts, reason=reason, by=by, overridden=bool(failing))


def roll_back(model: Model, alias: str, *, reason: str, by: User) -> Promotion:
    """Point the alias at the version it pointed to before. Raises Conflict when there is none."""
    if not reason.strip():
        raise Invalid.field("reason", "say why, in a few words")
    with transaction.atomic():
        Model.objects.select_for_update().get(pk=model.pk)
        last = model.promotions.filter(alias=alias).order_by("-pk").first()
        if last is None or last.previous is None:
            raise Conflict(f"{alias} of {model.name} pointed to nothing before.", code="nothing_to_roll_back_to")
        return _move(last.previous, alias, last.version, [], reason=reason, by=by, overridden=False)


def _current(model: Model, alias: str) -> ModelVersion | None:
    row = Alias.objects.filter(model=model, name=alias).select_related("version").first()
    return row.version if row else None


def _move(
    version: ModelVersion,
    alias: str,
    previous: ModelVersion | None,
    verdicts: Sequence[GateResult],
    *,
    reason: str,
    by: User,
    overridden: bool,
) -> Promotion:
    Alias.objects.update_or_create(model=version.model, name=alias, defaults={"version": version})
    return Promotion.objects.create(
        model=version.model,
        alias=alias,
        version=version,
        previous=previous,
        reason=reason,
        gates=[verdict.document() for verdict in verdicts],
        overridden=overridden,
        by=by,
    )
