"""Whether the strategy of a pipeline finds fewer of the model's mistakes than its random control arm: shown, and used.

Rounds of one strategy, with the same parameters, are judged together (`acquisition.against_random`). A pipeline without
a control arm has nothing to compare with, and a strategy that compares images alone does not seek mistakes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from acquisition import DEFAULT, Strategy, strategy
from acquisition.against_random import Arms, Verdict, judged
from mining_jobs.services import control_lifts
from pipelines.models import Pipeline, Round
from worker_programs.config import ConfigError


@dataclass(frozen=True, slots=True)
class Comparison:
    """The verdict on a strategy with its parameters; None where none can be judged. `sentence` says it, or why not."""

    strategy: str | None
    params: Mapping[str, Any]
    verdict: Verdict | None
    sentence: str


def loses(pipeline: Pipeline, name: str, params: Mapping[str, Any]) -> Verdict | None:
    """Return the verdict on a strategy of a pipeline that has a control arm where it says that mining loses."""
    if not pipeline.control or not _is_judged(name, params):
        return None
    verdict = _verdict(pipeline, name, params)
    return verdict if verdict.loses else None


def comparison(pipeline: Pipeline) -> Comparison:
    """Compare the strategy that picked last, other than at random, with the control arm."""
    if not pipeline.control:
        return Comparison(None, {}, None, "No part of a batch is picked at random: there is nothing to compare with.")
    choices = pipeline.rounds.order_by("-number").values_list("choice", flat=True)
    choice = next((one for one in choices if one and not _is_uniform(one["strategy"], one["params"])), None)
    if choice is None:
        return Comparison(None, {}, None, "Mined against random: no round has mined yet.")
    name, params = choice["strategy"], choice["params"]
    if not _is_judged(name, params):
        words = f"{name} compares images alone and does not seek the model's mistakes: a back-test compares it."
        return Comparison(name, params, None, words)
    verdict = _verdict(pipeline, name, params)
    return Comparison(name, params, verdict, verdict.sentence)


def _is_uniform(name: str, params: Mapping[str, Any]) -> bool:
    made = _made(name, params)
    return made is None or made.uniform


def _is_judged(name: str, params: Mapping[str, Any]) -> bool:
    """Whether a strategy seeks what the model gets wrong, once there is a model."""
    made = _made(name, params)
    return made is not None and not made.uniform and (name == DEFAULT or made.asks_model)


def _made(name: str, params: Mapping[str, Any]) -> Strategy | None:
    """Return a strategy; None for one that is installed no more."""
    try:
        return strategy(name, params)
    except ConfigError:
        return None


def _verdict(pipeline: Pipeline, name: str, params: Mapping[str, Any]) -> Verdict:
    rows: list[Round] = list(
        pipeline.rounds.filter(mining_job__queue__committed_version__isnull=False, choice__strategy=name)
        .select_related("mining_job__queue__committed_version__dataset")
        .order_by("number")
    )
    mined = [row.mining_job for row in rows if row.mining_job and (row.choice or {}).get("params") == params]
    return judged([_arms(one) for one in control_lifts(mined).values() if one is not None])


def _arms(counted: Mapping[str, Any]) -> Arms:
    mined, control = counted["mined"], counted["control"]
    return Arms(mined["n"], mined["wrong"], control["n"], control["wrong"])
