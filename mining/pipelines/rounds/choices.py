"""Which strategy a round uses: the pipeline's own, or the one that a back-test found best; random once it loses."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from acquisition import DEFAULT, strategy
from acquisition.strategies.auto import NO_MODEL, WITH_MODEL
from backtest.verdict import RANDOM, Arm, chosen
from backtests.models import Backtest
from backtests.services import find_backtest, report_of, written_out
from core.errors import Conflict, Invalid
from pipelines.models import Pipeline
from pipelines.rounds.against_random import loses
from pipelines.services import BEST_OF


@dataclass(frozen=True, slots=True)
class Choice:
    """A strategy that can be run; `why` is empty where the pipeline names it."""

    strategy: str
    params: Mapping[str, Any]
    why: str = ""

    def document(self) -> dict[str, Any]:
        """The choice as the round stores it."""
        return asdict(self)


def chosen_strategy(pipeline: Pipeline) -> Choice:
    """Return the strategy of the next batch: random in place of one that finds fewer of the model's mistakes than the
    control arm. Raises as `choose` does."""
    choice = _asked(pipeline)
    if (verdict := loses(pipeline, choice.strategy, choice.params)) is None:
        return choice
    return Choice(RANDOM, {}, f"{RANDOM} in place of {choice.strategy}. {verdict.sentence}")


def _asked(pipeline: Pipeline) -> Choice:
    if pipeline.strategy == BEST_OF:
        return Choice(*choose(pipeline))
    if pipeline.strategy == DEFAULT:
        return proven(pipeline) or Choice(DEFAULT, pipeline.params, f"{WITH_MODEL}.")
    return Choice(pipeline.strategy, pipeline.params)


def proven(pipeline: Pipeline) -> Choice | None:
    """Return what the newest finished back-test of the dataset has shown to beat random; None where it shows nothing,
    or there is none."""
    backtest = _newest(pipeline)
    if backtest is None:
        return None
    tried = [Arm(arm["name"], arm["params"]) for arm in backtest.strategies]
    found = chosen(report_of(backtest), among=tried, figure=pipeline.dataset.task_type.metrics.headline_words)
    if found["strategy"] == RANDOM:
        return None
    return Choice(found["strategy"], found["params"], f"{found['reason']} By {backtest} on {backtest.version}.")


def first_strategy(pipeline: Pipeline) -> Choice:
    """Return the strategy of a batch that is picked without a model: the pipeline's own where it compares images alone,
    else `auto`, which covers the pool."""
    if pipeline.strategy not in {BEST_OF, DEFAULT} and not strategy(pipeline.strategy, pipeline.params).asks_model:
        return Choice(pipeline.strategy, pipeline.params)
    return Choice(DEFAULT, {}, f"{NO_MODEL}; images are compared by their ImageNet features.")


def choose(pipeline: Pipeline) -> tuple[str, dict[str, Any], str]:
    """Choose the next strategy of a pipeline with the strategy `best_of`: its name, its parameters, and why.

    The parameters of `best_of` are `{strategies: [NAME|{name, params}], backtest?: ID}`; without an id, the newest
    finished back-test of the dataset decides. The choice is random where the back-test shows nothing better, and where
    there is none. Raises Invalid, NotFound, Conflict (the back-test that is named is of another dataset, unknown, not
    finished).
    """
    asked = [{"name": one} if isinstance(one, str) else one for one in pipeline.params["strategies"]]
    wanted = [Arm(arm["name"], arm["params"]) for arm in map(written_out, asked)]
    backtest = _speaking(pipeline)
    if backtest is None:
        why = f"random: no back-test of dataset {pipeline.dataset.name!r} has finished; POST /backtests starts one."
        return RANDOM, {}, why
    told = report_of(backtest)
    found = chosen(told, among=wanted, figure=pipeline.dataset.task_type.metrics.headline_words)
    tried = [Arm(arm["name"], arm["params"]) for arm in backtest.strategies]
    absent = ", ".join(sorted(arm.strategy for arm in wanted if arm not in tried))
    left_out = f" Not tried there: {absent}." if absent else ""
    return found["strategy"], found["params"], f"{found['reason']} By {backtest} on {backtest.version}.{left_out}"


def _speaking(pipeline: Pipeline) -> Backtest | None:
    """Return the back-test that a pipeline names, else the newest finished one of its dataset."""
    if (named := pipeline.params.get("backtest")) is None:
        return _newest(pipeline)
    found = find_backtest(str(named))
    if found.dataset_id != pipeline.dataset_id:
        raise Invalid.field("strategy.params.backtest", f"{found} is of dataset {found.dataset.name!r}")
    if found.report is None:
        raise Conflict(f"Back-test {found} is {found.job.state}: it says nothing yet.", code="backtest_unfinished")
    return found


def _newest(pipeline: Pipeline) -> Backtest | None:
    """Return the newest finished back-test of the pipeline's dataset."""
    rows = Backtest.objects.filter(dataset=pipeline.dataset, archived=None).exclude(report=None)
    return rows.select_related("dataset", "version", "job").order_by("-pk").first()
