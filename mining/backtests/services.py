"""The rules of back-tests: start one, find one, and read its report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction

from accounts.models import User
from acquisition import strategy
from backtest.config import Plan
from backtest.replay import Curve, replayable
from backtest.report import Curves, report
from backtest.verdict import RANDOM, Arm, concluded
from backtests.learners import Learner, check_learner, check_room, frozen_family
from backtests.models import Backtest
from backtests.samples import JUDGES, asks_evidence, evidence_of, labelled
from catalog.models import Version
from core.errors import Conflict, Invalid
from jobs.lifecycle.finding import find_named, refuse_archived
from jobs.models import Shard
from jobs.services import ShardSpec, create_job
from mining_jobs.scores.spans import sample_spans
from mining_jobs.services import MiningSpec, check_spec
from worker_programs.config import ConfigError, document

SCORE, PREPARE, REPLAY, JUDGE = 0, 1, 2, 3
MAX_REPLAYS = 4000
FEATURE_SAMPLES = 500
"""Images whose features one shard computes: a minute or so."""
SIZE = ("name", "seeds", "rounds", "count", "start", "control", "target")


@dataclass(frozen=True, slots=True)
class BacktestSpec:
    """The settings of a back-test: strategies as `{name, params}`, the size of a replay, and the headline metric to
    reach (None: what random ends with)."""

    strategies: Sequence[Mapping[str, Any]]
    seeds: int
    rounds: int
    count: int
    start: int
    control: float = 0.1
    target: float | None = None
    name: str | None = None


def start_backtest(version: Version, learner: Learner, spec: BacktestSpec, *, author: User) -> Backtest:
    """Create a queued back-test; one shard replays one strategy with one seed. The caller wakes its job.

    Raises Conflict (name), Invalid (dataset, version, model, learner, strategies, seeds, rounds).
    """
    refuse_archived(version.dataset)
    check_learner(learner, version)
    arms = _arms(spec, version)
    candidates = _check_size(version, spec, len(arms))
    vouching = len(evidence_of(version)) if any(map(asks_evidence, arms)) else 0
    check_room(learner, labelled(version).count() + vouching)
    try:
        with transaction.atomic():
            job = create_job(
                "backtest",
                f"Back-test {len(arms)} strategies on {version}"[:200],
                shards=[*_score_shards(version, learner), *_replay_shards(spec, len(arms), candidates)],
                unit="samples",
                created_by=author,
                project=version.dataset.project_id,
            )
            size = {name: getattr(spec, name) for name in SIZE}
            made = Backtest.objects.create(
                dataset=version.dataset,
                version=version,
                learner=learner.document,
                model_version=learner.model,
                strategies=arms,
                job=job,
                created_by=author,
                **size,
            )
            if made.name is None:
                made.name = f"backtest-{made.pk}"
                made.save(update_fields=["name"])
    except IntegrityError as fault:
        raise Conflict(f"There is a back-test {spec.name!r} already.", code="name_taken") from fault
    return made


def _score_shards(version: Version, learner: Learner) -> list[ShardSpec]:
    """Return the shards that run a model or a frozen trunk once over the images, before anything is replayed."""
    if learner.model is not None:
        spans = sample_spans(labelled(version))
    elif frozen_family(learner.document) is not None:
        spans = sample_spans(labelled(version), each=FEATURE_SAMPLES)
    else:
        return []
    return [ShardSpec(span, units=units, phase=SCORE) for span, units in spans]


def _replay_shards(spec: BacktestSpec, arms: int, candidates: int) -> list[ShardSpec]:
    """Return the shards of the replays, seed by seed, so that the first results compare all strategies."""
    units = (spec.rounds + 1) * candidates
    pairs = [{"arm": arm, "seed": seed} for seed in range(spec.seeds) for arm in range(arms)]
    replays = [ShardSpec(pair, units=units, phase=REPLAY) for pair in pairs]
    return [ShardSpec(units=0, phase=PREPARE), *replays, ShardSpec(units=0, phase=JUDGE)]


def _arms(spec: BacktestSpec, version: Version) -> list[dict[str, Any]]:
    """Return random, then each other strategy once, with all its parameters."""
    arms: list[dict[str, Any]] = [{"name": RANDOM, "params": {}}]
    dataset = version.dataset
    for number, asked in enumerate(spec.strategies):
        try:
            arm = written_out(asked)
            replayable(_plan(spec, arm, seed=0), task=dataset.task)
            check_spec(MiningSpec(arm["name"], spec.count, arm["params"]), task=dataset.task, classes=dataset.classes)
        except (ConfigError, Invalid) as fault:
            raise Invalid(str(fault), errors={f"strategies.{number}": [str(fault)]}) from fault
        if arm not in arms:
            arms.append(arm)
    return arms


def written_out(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return a strategy `{name, params?}` with all its parameters. Raises ConfigError."""
    return {"name": asked["name"], "params": document(strategy(asked["name"], asked.get("params")).params)}


def _check_size(version: Version, spec: BacktestSpec, arms: int) -> int:
    """Check the size of the back-test and return the number of candidates."""
    rows = labelled(version)
    if not rows.filter(split=JUDGES).exists():
        raise Invalid.field("version", f"{version} has no labelled sample in split test to judge on", code="test_empty")
    if arms * spec.seeds > MAX_REPLAYS:
        raise Invalid.field("seeds", f"{arms} strategies x {spec.seeds} seeds are more than {MAX_REPLAYS} replays")
    candidates = rows.exclude(split=JUDGES).count()
    try:
        _plan(spec, {"name": RANDOM, "params": {}}, seed=0).check(candidates)
    except ConfigError as fault:
        raise Invalid(str(fault), errors=fault.errors) from fault
    return candidates


def _plan(size: BacktestSpec | Backtest, arm: Mapping[str, Any], *, seed: int) -> Plan:
    return Plan(
        strategy=arm["name"],
        params=dict(arm["params"]),
        seed=seed,
        start=size.start,
        count=size.count,
        rounds=size.rounds,
        control=size.control,
    )


def plan_of(backtest: Backtest, shard: Mapping[str, Any]) -> Plan:
    """Return the plan of a shard with the parameters `{arm, seed}`."""
    return _plan(backtest, backtest.strategies[shard["arm"]], seed=shard["seed"])


def find_backtest(reference: str) -> Backtest:
    """Return a back-test by id, name or former name. Raises NotFound."""
    rows = Backtest.everything.select_related("dataset", "version", "job", "archived_by")
    found: Backtest = find_named("backtest", "back-test", rows.filter, reference)
    return found


def report_of(backtest: Backtest) -> dict[str, Any]:
    """Return the report of a back-test: the stored one, or one over the replays finished so far."""
    return judged(backtest) if backtest.report is None else concluded(backtest.report, figure=_figure(backtest))


def _figure(backtest: Backtest) -> str:
    """The name of the headline metric in sentences."""
    return backtest.dataset.task_type.metrics.headline_words


def judged(backtest: Backtest) -> dict[str, Any]:
    """Return the report over the finished replays."""
    curves: list[dict[int, Curve]] = [{} for _ in backtest.strategies]
    done = backtest.job.shards.filter(phase=REPLAY, state=Shard.State.DONE).order_by("index")
    for shard in done:
        assert shard.result is not None  # noqa: S101 - it is done
        curves[shard.params["arm"]][shard.params["seed"]] = Curve.read(shard.result)
    arms: list[tuple[Arm, Curves]] = [
        (Arm(arm["name"], arm["params"]), found) for arm, found in zip(backtest.strategies, curves, strict=True)
    ]
    return report(arms, target=backtest.target, figure=_figure(backtest))
