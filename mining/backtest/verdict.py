"""The verdict of a back-test: which strategy is best, by one definition and in words that agree with the curves.

Best is the strategy with the highest mean accuracy over all budgets: the area under its learning curve (trapezoids over
the numbers of labels) as a share of the width, averaged over the seeds. It is clearly best where it differs from random
significantly (Student's paired t-test, Holm) and where the 95 % interval of its difference to random overlaps that of
no other strategy.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from backtest.statistics import mean_accuracy
from worker_programs.wording import plural

RANDOM = "random"
ALPHA = 0.05
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Arm:
    """A strategy with its parameters."""

    strategy: str
    params: Mapping[str, Any] = field(default_factory=dict)


def concluded(told: Mapping[str, Any], *, figure: str = "accuracy") -> dict[str, Any]:
    """Complete a report `{curves, labels_to_target, tests, ..}` with the `mean_accuracy` of each curve over all budgets
    (0 to 1; None without points) and the `best` of them (None until every strategy has all the seeds of random).
    `figure` is the name of the headline metric in sentences."""
    curves = [dict(curve) | {"mean_accuracy": _mean(curve)} for curve in told["curves"]]
    whole = _whole(curves, told["tests"])
    best = _verdict(curves, told["tests"], told["labels_to_target"], figure) if whole else None
    return dict(told) | {"curves": curves, "best": best}


def chosen(told: Mapping[str, Any], *, among: Sequence[Arm], figure: str = "accuracy") -> dict[str, Any]:
    """Return `{strategy, params, reason}`, a pipeline's choice from a concluded report: of the strategies in `among`
    that beat random significantly the one with the highest mean accuracy over all budgets; random where none does."""
    curves = told["curves"]
    judged = [test for test in told["tests"] if Arm(test["strategy"], test["params"]) in among]
    if not judged:
        return {"strategy": RANDOM, "params": {}, "reason": "random: nothing else was tried."}
    better = [test for test in judged if test["difference"] > 0 and test["p_adjusted"] <= ALPHA]
    won = max(better or judged, key=lambda test: test["difference"])
    figures = f"{_name(won, curves)} ({_figures(_same(won, curves), won, figure)}; {_significance(won)})"
    if better:
        return {"strategy": won["strategy"], "params": won["params"],
                "reason": f"{figures}.{_target_told(won, told['labels_to_target'])}"}  # fmt: skip
    reason = f"random: nothing beats it significantly over {won['seeds']} seeds; nearest: {figures}."
    return {"strategy": RANDOM, "params": {}, "reason": reason}


def _mean(curve: Row) -> float | None:
    """The mean accuracy of a curve: the area under the mean is the mean of the seeds' areas, as both are sums."""
    points = curve["points"]
    return mean_accuracy([at["labels"] for at in points], [at["mean"] for at in points]) if points else None


def _whole(curves: Sequence[Row], tests: Sequence[Row]) -> bool:
    seeds = {curve["points"][0]["n"] if curve["points"] else 0 for curve in curves}
    compared = {test["seeds"] for test in tests}
    return len(seeds) == 1 and 0 not in seeds and len(tests) == len(curves) - 1 and compared <= seeds


def _verdict(curves: Sequence[Row], tests: Sequence[Row], reached: Sequence[Row], figure: str) -> dict[str, Any]:
    """Return `{strategy, params, mean_accuracy, difference, low, high, clear, end, headline, reason}`: the leading
    strategy, its difference to random (None for random itself), whether it is clearly best, which is highest at the
    last budget, and both in words."""
    leader = max(curves, key=lambda curve: curve["mean_accuracy"])
    test = next((test for test in tests if _alike(test, leader)), None)
    doubts = _doubts_of_random(curves, tests) if test is None else _doubts(test, curves, tests)
    named = f"{_name(leader, curves)} ({_figures(leader, test, figure)})"
    headline = f"No strategy is clearly best over all budgets: {named} is highest" if doubts else (
        f"Best over all budgets: {named}"
    )  # fmt: skip
    certain = "Every other strategy is significantly worse" if test is None else (
        f"It is {_significance(test)}, and no other strategy's interval overlaps its own"
    )  # fmt: skip
    reason = f"{doubts or certain}.{_target_told(leader, reached)}{_end_told(leader, curves)}"
    return {
        "strategy": leader["strategy"],
        "params": leader["params"],
        "mean_accuracy": leader["mean_accuracy"],
        **{name: None if test is None else test[name] for name in ("difference", "low", "high")},
        "clear": not doubts,
        "end": _end(curves),
        "headline": headline,
        "reason": reason,
    }


def _doubts(test: Row, curves: Sequence[Row], tests: Sequence[Row]) -> str:
    """Return why a leader other than random is not clearly best; empty where it is."""
    if test["p_adjusted"] > ALPHA:
        return f"Its difference to random may be chance: it is {_significance(test)}"
    near = [other for other in tests if other is not test and other["high"] >= test["low"]]
    if not near:
        return ""
    overlap = " and ".join(f"that of {_name(other, curves)} ({_interval(other)})" for other in near)
    return f"It is {_significance(test)}, but its interval overlaps {overlap}"


def _doubts_of_random(curves: Sequence[Row], tests: Sequence[Row]) -> str:
    """Return why random, as the leader, is not clearly best; empty where it is."""
    if not tests:
        return "Nothing else was tried"
    near = [test for test in tests if test["p_adjusted"] > ALPHA]
    named = " and ".join(f"{_name(test, curves)} ({_interval(test)})" for test in near)
    return f"The difference to it may be chance for {named}" if near else ""


def _end(curves: Sequence[Row]) -> dict[str, Any]:
    """Return the highest strategy at the last budget: `{strategy, params, labels, accuracy}`."""
    highest = max(curves, key=lambda curve: curve["points"][-1]["mean"])
    last = highest["points"][-1]
    named = {name: highest[name] for name in ("strategy", "params")}
    return named | {"labels": last["labels"], "accuracy": last["mean"]}


def _end_told(leader: Row, curves: Sequence[Row]) -> str:
    end, ours = _end(curves), leader["points"][-1]["mean"]
    if end["accuracy"] == ours:
        return ""
    here = f"{_name(end, curves)} is highest ({end['accuracy']:.3f}; {_name(leader, curves)} {ours:.3f})"
    return f" At the last budget, {plural(end['labels'], 'label')}, {here}."


def _target_told(arm: Row, reached: Sequence[Row]) -> str:
    fair = next((row for row in reached if row["strategy"] == RANDOM), None)
    ours = next((row for row in reached if _alike(row, arm)), None)
    if fair is None or ours is None or ours is fair or ours["median"] is None:
        return ""
    random = f"{fair['median']:.0f}{_drawn_told(fair)}" if fair["median"] is not None else "more than was given"
    return f" It needs {ours['median']:.0f} labels{_drawn_told(ours)} to the target; random needs {random}."


def _drawn_told(row: Row) -> str:
    objects = row.get("objects")
    return "" if objects is None else f" ({objects:.0f} objects)"


def _figures(curve: Row, test: Row | None, figure: str) -> str:
    height = f"mean {figure} {curve['mean_accuracy']:.3f}"
    return (
        height if test is None else f"{height}, {test['difference']:+.3f} over random, 95 % interval {_interval(test)}"
    )


def _interval(test: Row) -> str:
    return f"{test['low']:+.3f} to {test['high']:+.3f}"


def _significance(test: Row) -> str:
    return f"better than random in {test['wins']} of {test['seeds']} seeds, p = {test['p_adjusted']:.2g} after Holm"


def _name(arm: Row, curves: Sequence[Row]) -> str:
    """Return a strategy's name as on the curves; with its parameters where another curve has the same strategy."""
    words = str(arm["strategy"]).replace("_", " ")
    shared = sum(curve["strategy"] == arm["strategy"] for curve in curves) > 1
    return f"{words} {dict(arm['params'])}" if shared else words


def _same(arm: Row, rows: Sequence[Row]) -> Row:
    return next(row for row in rows if _alike(row, arm))


def _alike(left: Row, right: Row) -> bool:
    return bool(left["strategy"] == right["strategy"] and left["params"] == right["params"])
