"""Aliases move by compare-and-swap, and every move is recorded.

Judging reads predictions from the object store, so it comes before the transaction that moves the alias, and counts
only if alias and gates have not changed since.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import F

from accounts import audit
from accounts.models import User
from core.errors import Conflict, Invalid
from registry.best import best_promoted
from registry.evidence import Evidence
from registry.gates import GateResult, default_gates, judge_evidence
from registry.models import Alias, Model, ModelVersion, Promotion

ATTEMPTS = 20
"""Attempts to move an alias. One fails only when another promotion of the model succeeds in between."""
Gates = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdicts on a version, with what they hold for: these gates, against what the alias pointed to then."""

    version: ModelVersion
    alias: str
    against: ModelVersion | None
    gates: list[Mapping[str, Any]]
    own: bool
    """Whether the gates are the model's own."""
    verdicts: list[GateResult]


class Outdated(Exception):  # noqa: N818 - no error: judge again
    """The alias or the gates have changed since the version was judged."""


def promote(
    version: ModelVersion,
    alias: str,
    *,
    reason: str,
    by: User,
    gates: Gates | None = None,
    override: bool = False,
) -> Promotion:
    """Point the alias at the version if every gate passes or `override` is set. `gates` None: the model's own gates. If
    it already points there, nothing moves and the latest move is returned.

    Don't call it inside a transaction. Raises Conflict `gates_failed` with the verdicts, `alias_busy` when others
    keep moving the alias, and Invalid without a reason.
    """
    _check_reason(reason)
    evidence = Evidence(version)
    for _ in range(ATTEMPTS):
        judged = judge_promotion(version, alias, gates=gates, evidence=evidence)
        try:
            return settle(judged, reason=reason, by=by, override=override)
        except Outdated:
            continue
    raise Conflict(f"{alias} of {version.model.name} keeps moving: try again.", code="alias_busy")


def judge_promotion(
    version: ModelVersion, alias: str, *, gates: Gates | None = None, evidence: Evidence | None = None
) -> Judged:
    """Judge whether the alias may move to the version. Reads the object store, changes nothing."""
    model = Model.objects.get(pk=version.model_id)
    chosen, against = gates_of(model, gates), _current(model, alias)
    new = evidence or Evidence(version)
    verdicts = judge_evidence(
        new,
        chosen,
        against=Evidence(against) if against is not None else None,
        best=lambda: best_promoted(model, alias, new),
    )
    return Judged(version, alias, against, chosen, own=gates is None, verdicts=verdicts)


def settle(judged: Judged, *, reason: str, by: User, override: bool = False) -> Promotion:
    """Move the alias as judged. Raises Conflict `gates_failed`, and Outdated when the judgement no longer holds."""
    version = judged.version
    with transaction.atomic():
        model = Model.objects.select_for_update().get(pk=version.model_id)
        current = _current(model, judged.alias)
        if current != judged.against or (judged.own and gates_of(model, None) != judged.gates):
            raise Outdated
        failing = [verdict for verdict in judged.verdicts if not verdict.passed]
        if failing and not override:
            raise Conflict(
                f"{version} was not promoted to {judged.alias}: "
                + "; ".join(f"{gate.gate}: {gate.detail}" for gate in failing),
                code="gates_failed",
                extra={"gates": [verdict.document() for verdict in judged.verdicts]},
            )
        if current == version:
            return model.promotions.filter(alias=judged.alias).latest("pk")
        return _move(version, judged.alias, current, judged.verdicts, reason=reason, by=by, overridden=bool(failing))


def roll_back(model: Model, alias: str, *, reason: str, by: User, expected: int | None = None) -> Promotion:
    """Point the alias at the version it pointed to before. Raises Conflict when there is none, and `alias_moved` when
    it is not the expected one.

    Rows that move nothing are skipped: repeated promotions used to be recorded too."""
    _check_reason(reason)
    with transaction.atomic():
        Model.objects.select_for_update().get(pk=model.pk)
        moves = model.promotions.filter(alias=alias).exclude(previous=F("version"))
        last = moves.select_related("version", "previous__model", "by").order_by("-pk").first()
        if last is None or last.previous is None:
            raise Conflict(f"{alias} of {model.name} pointed to nothing before.", code="nothing_to_roll_back_to")
        if expected is not None and last.previous.number != expected:
            raise Conflict(
                f"{last.by} moved {alias} to v{last.version.number} meanwhile, so the version before is now "
                f"v{last.previous.number}, not v{expected}. Nothing was moved: look again before you roll back.",
                code="alias_moved",
            )
        return _move(last.previous, alias, last.version, [], reason=reason, by=by, overridden=False)


def _check_reason(reason: str) -> None:
    if not reason.strip():
        raise Invalid.field("reason", "say why, in a few words")


def gates_of(model: Model, given: Gates | None) -> list[Mapping[str, Any]]:
    """The gates that judge a version of the model: the given ones, the model's own, or the defaults."""
    if given is not None:
        return list(given)
    return [*(default_gates(model) if model.gates is None else model.gates)]


def _current(model: Model, alias: str) -> ModelVersion | None:
    row = Alias.objects.filter(model=model, name=alias).select_related("version__model").first()
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
    audit.note(
        "alias moved",
        "model",
        version.model.name,
        project=version.model.project_id,
        before={alias: previous and previous.number},
        after={alias: version.number, "reason": reason, "overridden": overridden},
        by=by,
    )
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
