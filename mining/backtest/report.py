"""The report over curves of paired seeds: bands, labels to a target, tests against random, and the best strategy.

Everywhere in it, `accuracy` stands for the headline metric of the task type: accuracy of classes, mAP of boxes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from backtest.replay import Curve
from backtest.statistics import censored_median, first_reached, holm, mean_accuracy, mean_band, paired_t_test
from backtest.verdict import RANDOM, Arm, concluded

Curves = Mapping[int, Curve]
"""Curves by seed, all at the same numbers of labels."""


def report(
    arms: Sequence[tuple[Arm, Curves]], *, target: float | None = None, figure: str = "accuracy"
) -> dict[str, Any]:
    """Return `{target, curves, labels_to_target, tests, best}` of the strategies' curves; the first arm must be random.
    Sentences in it call the headline metric `figure`.

    Without a target, the target is the mean accuracy that random ends with. With some curves still missing, the report
    covers those that exist: `best` (see backtest.verdict) needs every arm to have the seeds of random.
    """
    (first, fair), others = arms[0], arms[1:]
    if first.strategy != RANDOM:
        raise ValueError(f"the first arm must be {RANDOM!r}, not {first.strategy!r}")
    if target is None and fair:
        target = float(np.mean([curve.accuracy[-1] for curve in fair.values()]))
    begun = [(arm, curves) for arm, curves in arms if curves]
    return concluded(
        {
            "target": target,
            "curves": [_named(arm) | {"points": _points(curves)} for arm, curves in arms],
            "labels_to_target": _labels_to_target(begun, target) if fair and target is not None else [],
            "tests": _tests(others, fair),
        },
        figure=figure,
    )


def _named(arm: Arm) -> dict[str, Any]:
    return {"strategy": arm.strategy, "params": dict(arm.params)}


def _points(curves: Curves) -> list[dict[str, Any]]:
    if not curves:
        return []
    labels = next(iter(curves.values())).labels
    return [
        {"labels": count, "objects": _objects(curves, at)}
        | asdict(mean_band([curve.accuracy[at] for curve in curves.values()]))
        for at, count in enumerate(labels)
    ]


def _objects(curves: Curves, at: int) -> float | None:
    """The number of objects drawn up to this point, the mean over the seeds; None where labels have no objects."""
    drawn = [curve.objects[at] for curve in curves.values() if curve.objects is not None]
    return float(np.mean(drawn)) if len(drawn) == len(curves) else None


def _labels_to_target(arms: Sequence[tuple[Arm, Curves]], target: float) -> list[dict[str, Any]]:
    """Return each strategy's labels to the target, the median over seeds; `saved` is the share of random's median that
    it saves.

    A seed that never reaches the target is censored at the last number of labels. Where random's median is censored,
    its labels are at least those: `saved` is a lower bound then (`saved_at_least`).

    `objects` is the median of the objects drawn up to the target, `objects_saved` the saved share of random's. A seed
    that never reaches it is placed behind all others, though it may have drawn fewer: the median is an upper bound
    then.
    """
    medians = [
        censored_median([first_reached(curve.labels, curve.accuracy, target) for curve in curves.values()])
        for _, curves in arms
    ]
    fair = medians[0].median
    objects = [_objects_to_target(curves, target) for _, curves in arms]
    found = []
    for (arm, curves), told, drawn in zip(arms, medians, objects, strict=True):
        saved = None
        if told.median is not None and told is not medians[0]:
            saved = 1 - told.median / (fair if fair is not None else _last(curves))
        found.append(
            _named(arm)
            | {name: getattr(told, name) for name in ("median", "low", "high", "reached")}
            | {"seeds": told.n, "saved": saved, "saved_at_least": saved is not None and fair is None}
            | {"objects": drawn, "objects_saved": None if told is medians[0] else _share_saved(drawn, objects[0])}
        )
    return found


def _objects_to_target(curves: Curves, target: float) -> float | None:
    reached = [
        first_reached(curve.objects, curve.accuracy, target) for curve in curves.values() if curve.objects is not None
    ]
    return censored_median(reached).median if len(reached) == len(curves) else None


def _share_saved(ours: float | None, fair: float | None) -> float | None:
    return None if ours is None or not fair else 1 - ours / fair


def _last(curves: Curves) -> int:
    return next(iter(curves.values())).labels[-1]


def _tests(others: Sequence[tuple[Arm, Curves]], fair: Curves) -> list[dict[str, Any]]:
    """Compare the mean accuracy over the curve with random's by Student's paired t-test, over the seeds that both have;
    p-values are also adjusted for the number of strategies (Holm)."""
    tests = []
    for arm, curves in others:
        seeds = sorted(curves.keys() & fair.keys())
        if len(seeds) < 2:
            continue
        ours, theirs = ([mean_accuracy(of[seed].labels, of[seed].accuracy) for seed in seeds] for of in (curves, fair))
        told = paired_t_test(ours, theirs)
        named = {name: getattr(told, name) for name in ("difference", "low", "high", "p", "wins")}
        tests.append(_named(arm) | {"against": RANDOM} | named | {"seeds": told.n})
    adjusted = holm([test["p"] for test in tests])
    return [test | {"p_adjusted": p} for test, p in zip(tests, adjusted, strict=True)]
