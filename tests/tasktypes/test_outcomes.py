"""What is listed one by one is what the figures count: every cell, every class, every point of a curve, every slice."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples
from tests.tasktypes.test_detection import HERE, NAMES, THERE, boxed, drawn, one

from tasktypes import task_type
from tasktypes.classification.predictions import ClassPredictions
from tasktypes.detection.predictions import BoxPredictions
from tasktypes.model_parts import Metrics
from tasktypes.multilabel.predictions import SetPredictions
from tasktypes.outcomes import NOTHING, Outcomes

TASKS = ["classification", "multilabel", "detection"]
CLASSES = range(4)


def made_of(task: str, seed: int, *, ties: bool = True) -> tuple[Metrics, Any]:
    rng, count = np.random.default_rng(seed), 12
    if task == "detection":
        *_, answers, targets = drawn(seed, count, ties=ties)
        made: Any = BoxPredictions.of(answers, targets, rng.uniform(0.2, 0.8, 3).astype(np.float32))
    elif task == "classification":
        shares = rng.dirichlet(np.ones(4), count).astype(np.float32)
        made = ClassPredictions.of(shares, rng.integers(0, 4, count))
    else:
        made = SetPredictions.of(rng.random((count, 4)).astype(np.float32), rng.random((count, 4)) < 0.4)
    return task_type(task).metrics, made


def outcomes_of(judged: Metrics, made: Any, threshold: float | None = None) -> Outcomes:
    found = judged.outcomes(made, threshold)
    assert found is not None
    return found


def rates(outcomes: Outcomes, index: int | None) -> tuple[float | None, float | None]:
    """Precision and recall from what is listed."""
    right, wrong, missed = (len(part(index)) for part in (outcomes.told_right, outcomes.wrong, outcomes.missed))
    return right / (right + wrong) if right + wrong else None, right / (right + missed) if right + missed else None


@pytest.mark.parametrize("task", TASKS)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=examples(60))
def test_precision_and_recall_of_each_class_are_those_of_its_lists(task, seed):
    judged, made = made_of(task, seed)
    members = np.arange(len(made)) % 3 > 0
    for side in (made, made.rows(members)):
        listed = outcomes_of(judged, side)
        for index in CLASSES:
            expected = tuple(judged.figure(name, side, index) for name in ("precision", "recall"))
            assert rates(listed, index) == pytest.approx(expected)
            assert len(listed.told_right(index)) + len(listed.missed(index)) == (judged.support(side, index))
    within = outcomes_of(judged, made)
    within = within.take(members[within.sample])
    part = outcomes_of(judged, made.rows(members))
    assert sorted(zip(within.label, within.predicted, within.score, strict=True)) == sorted(
        zip(part.label, part.predicted, part.score, strict=True)
    )


@pytest.mark.parametrize("task", ["classification", "detection"])
@given(seed=st.integers(0, 10**6))
@settings(max_examples=examples(60))
def test_a_cell_lists_as_many_as_the_matrix_counts_and_missed_and_wrong_are_its_rows_and_columns(task, seed):
    judged, made = made_of(task, seed)
    table, listed = judged.confusion(made, 4), outcomes_of(judged, made)
    assert table is not None
    names = [*CLASSES, *([NOTHING] if judged.background else [])]
    for row, label in enumerate(names):
        for column, predicted in enumerate(names):
            found = listed.cell(label, predicted)
            assert len(found) == table[row, column]
            assert set(found.right.tolist()) <= {label == predicted}
    for index in CLASSES:
        assert len(listed.missed(index)) == table[index].sum() - table[index, index]
        assert len(listed.wrong(index)) == table[:, index].sum() - table[index, index]
    assert len(listed.missed()) == sum(len(listed.missed(index)) for index in CLASSES)
    assert len(listed.wrong()) == sum(len(listed.wrong(index)) for index in CLASSES)


@given(seed=st.integers(0, 10**6), ties=st.booleans())
@settings(max_examples=examples(60))
def test_each_point_of_a_curve_is_a_threshold_at_which_the_lists_have_its_precision_and_recall(seed, ties):
    judged, made = made_of("detection", seed, ties=ties)
    if not made.objects.any():
        return
    curves = judged.summary(made, NAMES)["curves"]
    scores = np.unique(made.score[made.category >= 0])
    for index, name in enumerate(NAMES):
        if curves[name] is None:
            continue
        at = {score: rates(outcomes_of(judged, made, float(score)), index) for score in scores}
        steps = np.linspace(0, 1, 101)
        for recall, precision, score in zip(steps, curves[name]["precision"], curves[name]["score"], strict=True):
            reached = [one for one in at if (at[one][1] or 0) >= recall]
            if not score:
                assert not reached
                continue
            # The threshold is the highest at which so many are found; precision is the highest there or below.
            assert np.float32(score) == (max(reached) if recall else scores_of(made, index).max())
            highest = max(at[one][0] or 0 for one in at if one <= np.float32(score))
            assert highest <= precision + 5e-5
            if not ties:
                assert highest == pytest.approx(precision, abs=5e-5)


def scores_of(made: BoxPredictions, index: int) -> Any:
    return made.score[(made.category == index) & made.counts]


@pytest.mark.parametrize("task", TASKS)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=examples(40))
def test_a_higher_threshold_moves_what_was_said_to_what_was_missed(task, seed):
    judged, made = made_of(task, seed)
    bars = [0.0, 0.3, 0.6, 1.0]
    for index in CLASSES:
        lists = [outcomes_of(judged, made, bar) for bar in bars]
        assert [len(one.missed(index)) for one in lists] == sorted(len(one.missed(index)) for one in lists)
        assert [-len(one.wrong(index)) for one in lists] == sorted(-len(one.wrong(index)) for one in lists)
        for bar, listed in zip(bars, lists, strict=True):
            assert (listed.wrong(index).score >= np.float32(bar)).all()
            assert len(listed.told_right(index)) + len(listed.missed(index)) == judged.support(made, index)


def test_boxes_have_their_place_and_overlap_and_a_missed_object_the_score_that_was_too_low():
    judged = task_type("detection").metrics
    shifted = [HERE[0] + 5, *HERE[1:]]
    made = one(boxed(("car", HERE), ("dog", THERE)), ("car", HERE, 0.3), ("dog", THERE, 0.9), ("person", shifted, 0.8))
    listed = outcomes_of(judged, made).surest_first()
    (found,) = judged.places(made, listed.missed())
    width = HERE[2] - HERE[0]
    assert found["overlap"] == pytest.approx((width - 5) / width, abs=0.02)
    (car,) = listed.missed().label.tolist()
    assert (car, listed.missed().predicted.tolist()) == (NAMES.index("car"), [NAMES.index("person")])
    assert listed.wrong().predicted.tolist() == [NAMES.index("person")]
    alone = outcomes_of(judged, made, 0.85)
    assert alone.missed().score.tolist() == pytest.approx([0.3])
    (place,) = judged.places(made, alone.missed(), 0.85)
    assert (place["box"], place["object"]) == (None, pytest.approx([part / 100 for part in HERE], abs=0.01))
    assert place["overlap"] == 0.0


def test_the_surest_come_first_and_by_class_they_stay_so_within_each():
    judged, made = made_of("detection", 7)
    listed = outcomes_of(judged, made, 0.0).wrong()
    assert (np.diff(listed.surest_first().score) <= 0).all()
    by_class = listed.surest_first(by_class=True)
    pairs = list(zip(by_class.label.tolist(), by_class.predicted.tolist(), strict=True))
    assert pairs == sorted(pairs)
    for pair in set(pairs):
        assert (np.diff([by_class.score[at] for at, each in enumerate(pairs) if each == pair]) <= 0).all()
