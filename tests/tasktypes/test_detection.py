"""Objects in images: figures beside pycocotools' own, thresholds, what counts as right, and what is kept."""

import io
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval
from tests.laws import examples

from tasktypes.detection.average_precision import Ranking, average_precisions, rankings, recalls_at
from tasktypes.detection.matching import IOUS
from tasktypes.detection.metrics import DetectionMetrics
from tasktypes.detection.predictions import BoxPredictions
from tasktypes.detection.thresholds import BoxThresholds, fit_box_thresholds
from tasktypes.model_parts import LabelUnfit
from tasktypes.predictions import EvaluationError, common

Box = Sequence[float]
JUDGED = DetectionMetrics()
NAMES = ["car", "person", "dog", "never"]
SIZES = [(400, 300), (640, 480), (97, 203)]
SIDES = [4, 20, 31, 32, 33, 60, 95, 96, 97, 180]
STATS = ["map", "map50", "map75", "map_small", "map_medium", "map_large"]


def label_in(rng, size: tuple[int, int]) -> dict[str, Any]:
    """Up to five objects of all sizes and two regions to ignore: of a class, of one that is unknown, or of none."""

    def box() -> list[float]:
        width, height = (min(int(rng.choice(SIDES)), side) for side in size)
        x, y = (int(rng.integers(0, side - part + 1)) for side, part in zip(size, (width, height), strict=True))
        part = rng.choice([0, 0.5])  # of a pixel
        return [x, y, x + width - part, y + height]

    boxes = [{"class": NAMES[rng.integers(0, 3)], "box": box()} for _ in range(rng.integers(0, 6))]
    names = [{"class": NAMES[rng.integers(0, 3)]}, {"class": "van"}, {}]
    ignore = [names[rng.integers(0, 3)] | {"box": box()} for _ in range(rng.integers(0, 3))]
    return {"boxes": boxes} | ({"ignore": ignore} if ignore else {})


def answers_to(rng, labels, sizes, *, width: int = 12, ties: bool = True):
    """Detections near objects and regions, of the right class or not, and anywhere: (N, width, 6)."""
    found = np.zeros((len(labels), width, 6), np.float32)
    for row, (label, size) in enumerate(zip(labels, sizes, strict=True)):
        targets = [*label["boxes"], *label.get("ignore", ())]
        for column in range(rng.integers(0, width + 1)):
            if targets and rng.random() < 0.75:
                one = targets[rng.integers(0, len(targets))]
                spread = rng.choice([0, 0.03, 0.1]) * (one["box"][2] - one["box"][0])
                corners = np.array(one["box"]) + rng.normal(size=4) * spread
                known = one.get("class") in NAMES and rng.random() < 0.8
                index = NAMES.index(one["class"]) if known else rng.integers(0, 4)
            else:
                low = rng.random(2) * size * 0.7
                corners, index = np.concatenate([low, low + rng.choice(SIDES, 2)]), rng.integers(0, 4)
            corners[2:] = np.maximum(corners[2:], corners[:2] + 1)
            score = round(rng.uniform(0.05, 1), 1 if ties else 9)
            found[row, column] = [*(corners / np.tile(size, 2)), score, index]
        found[row] = found[row][np.argsort(-found[row, :, 4], kind="stable")]
    return found


def drawn(seed: int, count: int, *, ties: bool = True):
    """Labels, sizes, answers, targets."""
    rng = np.random.default_rng(seed)
    sizes = [SIZES[rng.integers(0, 3)] for _ in range(count)]
    labels = [label_in(rng, size) for size in sizes]
    answers = answers_to(rng, labels, sizes, ties=ties)
    return labels, sizes, answers, JUDGED.targets(labels, NAMES, sizes)


def judged(seed: int, count: int, *, ties: bool = True, bars=None) -> BoxPredictions:
    _, _, answers, targets = drawn(seed, count, ties=ties)
    return BoxPredictions.of(answers, targets, bars)


def coco(labels, sizes, answers) -> COCOeval:
    """pycocotools' own evaluation, from the labels in pixels."""
    truths, said = [], []

    def annotate(image: int, name: int, corners, crowd: int) -> dict[str, Any]:
        x1, y1, x2, y2 = (float(corner) for corner in corners)
        return {"image_id": image, "category_id": name, "bbox": [x1, y1, x2 - x1, y2 - y1], "iscrowd": crowd,
                "area": (x2 - x1) * (y2 - y1)}  # fmt: skip

    for image, (label, size) in enumerate(zip(labels, sizes, strict=True)):
        truths += [annotate(image, NAMES.index(one["class"]), one["box"], 0) for one in label["boxes"]]
        for region in label.get("ignore", ()):
            known = [NAMES.index(region["class"])] if region.get("class") in NAMES else range(len(NAMES))
            truths += [annotate(image, name, region["box"], 1) for name in known]
        for *corners, score, name in answers[image].astype(np.float64):
            if score > 0:
                said.append(annotate(image, int(name), np.array(corners) * np.tile(size, 2), 0) | {"score": score})
    with redirect_stdout(io.StringIO()):
        sides = []
        for annotations in (truths, said):
            side = COCO()
            side.dataset = {
                "images": [{"id": number} for number in range(len(labels))],
                "categories": [{"id": number} for number in range(len(NAMES))],
                "annotations": [{"id": number, **one} for number, one in enumerate(annotations, 1)],
            }
            side.createIndex()
            sides.append(side)
        judge = COCOeval(*sides, "bbox")
        judge.evaluate()
        judge.accumulate()
        judge.summarize()
    return judge


def known(value: float) -> Any:
    return None if value == -1 else pytest.approx(value, abs=1e-6)


@given(seed=st.integers(0, 10**6), count=st.integers(1, 12))
@settings(max_examples=examples(120))
def test_figures_are_pycocotools(seed, count):
    labels, sizes, answers, targets = drawn(seed, count)
    made, judge = JUDGED.judged(answers, targets), coco(labels, sizes, answers)
    for name, value in zip(STATS, judge.stats, strict=False):
        assert JUDGED.figure(name, made) == known(value), name
    summary = JUDGED.summary(made, NAMES)
    for index, name in enumerate(NAMES):
        precision = judge.eval["precision"][:, :, index, 0, 2]
        told = summary["per_class"][name]
        assert told["ap"] == JUDGED.figure("ap", made, index) == known(precision.mean())
        assert told["ap50"] == JUDGED.figure("ap50", made, index) == known(precision[0].mean())
        if told["support"]:
            scores = judge.eval["scores"][0, :, index, 0, 2]
            np.testing.assert_allclose(summary["curves"][name]["precision"], precision[0], atol=1e-4)
            # at recall 0 pycocotools names the first detection even if it is one to ignore
            np.testing.assert_allclose(summary["curves"][name]["score"][1:], scores[1:], atol=1e-4)
        else:
            assert summary["curves"][name] is None


def recall_of(judge: COCOeval, index: int, percent: int) -> float | None:
    """From pycocotools' matches at IoU .5, detection by detection."""
    images = len(judge.params.imgIds)
    first = index * len(judge.params.areaRng) * images
    found = [one for one in judge.evalImgs[first : first + images] if one is not None]
    objects = sum(int((np.array(one["gtIgnore"]) == 0).sum()) for one in found)
    if not objects:
        return None
    said_of = [  # score, right, ignored
        row for one in found for row in zip(one["dtScores"], one["dtMatches"][0] > 0, one["dtIgnore"][0], strict=True)
    ]
    best, right, said = 0, 0, 0
    for _, matched, ignored in sorted(said_of, key=lambda row: -row[0]):
        if not ignored:
            said, right = said + 1, right + int(matched)
            best = right if 100 * right >= percent * said else best
    return best / objects


@given(seed=st.integers(0, 10**6), count=st.integers(1, 12))
@settings(max_examples=examples(60))
def test_recall_at_a_precision_is_that_of_pycocotools_matches(seed, count):
    labels, sizes, answers, targets = drawn(seed, count)
    made, judge = JUDGED.judged(answers, targets), coco(labels, sizes, answers)
    found = [recall_of(judge, index, 90) for index in range(len(NAMES))]
    for index, value in enumerate(found):
        assert JUDGED.figure("recall_at_p90", made, index) == (None if value is None else pytest.approx(value)), index
    values = [value for value in found if value is not None]
    assert JUDGED.figure("recall_at_p90", made) == (pytest.approx(np.mean(values)) if values else None)


def test_nine_right_of_ten_are_ninety_per_cent():
    hit = np.array([0, *[1] * 9, 0], np.uint16)
    ranked = Ranking(
        image=np.zeros(11, np.intp), score=np.linspace(1, 0.5, 11, dtype=np.float32), hit=hit,
        ignored=np.zeros(11, np.uint16), objects=np.array([12]),
    )  # fmt: skip
    assert recalls_at(ranked, np.array([[1], [0]]), 90).tolist() == pytest.approx([9 / 12, np.nan], nan_ok=True)
    assert recalls_at(ranked, np.array([[1]]), 91).tolist() == [0]


def test_recall_at_a_precision_is_reached_somewhere():
    """Otherwise the law above says little."""
    found = [JUDGED.figure("recall_at_p90", judged(seed, 6)) for seed in range(20)]
    assert len({value for value in found if value}) > 3


def test_the_examples_hold_what_makes_matching_hard():
    """Otherwise the law above says little."""
    made = judged(0, 150)
    assert (made.at("matched") & made.at("ignored")).sum() > 20
    assert (made.at("matched") & ~made.at("matched", 9)).sum() > 20
    assert all(JUDGED.figure(name, made) is not None for name in STATS)
    assert (~made.objects.any(axis=1)).sum() > 5
    mixed = made.ignored[..., 1:]
    assert ((mixed > 0) & (mixed < (1 << IOUS) - 1)).sum() > 20
    assert len(np.unique(made.score)) < 15
    assert not made.counts[made.category < 0].any()
    np.testing.assert_array_equal(made.found >= 0, made.at("matched") & ~made.at("ignored"))


@given(seed=st.integers(0, 10**6), count=st.integers(1, 10))
@settings(max_examples=examples(60))
def test_weighted_figures_are_those_of_repeated_images(seed, count):
    made = judged(seed, count, ties=False)
    times = np.random.default_rng(seed).integers(0, 4, (3, count))
    repeated = [made.rows(np.repeat(np.arange(count), weights)) for weights in times]
    for metric, index in [*((name, None) for name in (*STATS, "recall_at_p90")), ("ap", 0), ("ap50", 1)]:
        found = JUDGED.kinds(metric, [made], index).statistic(times, 0).tolist()
        values = [JUDGED.figure(metric, one, index) if len(one) else None for one in repeated]
        assert found == pytest.approx([np.nan if value is None else value for value in values], nan_ok=True), metric


def test_an_interval_is_that_of_images_drawn_one_by_one():
    made, rng = judged(3, 60, ties=False), np.random.default_rng(9)
    for metric in ("map", "map_small", "f1", "recall_at_p90", "exact_match"):
        rows = [rng.integers(0, 60, 60) for _ in range(300)]
        found = np.array([JUDGED.figure(metric, made.rows(chosen)) for chosen in rows], np.float64)
        low, high = np.percentile(found, (2.5, 97.5))
        ours = JUDGED.interval(metric, made)
        assert ours is not None
        assert np.allclose(ours, (low, high), atol=0.35 * (high - low)), metric


def test_every_figure_lies_in_its_interval_whole_and_by_class():
    made = judged(4, 50)
    document = JUDGED.document(made, NAMES)
    for figures in (document, *document["per_class"].values()):
        for name, interval in figures["intervals"].items():
            if figures[name] is None:
                assert interval is None
            else:
                assert interval[0] <= figures[name] <= interval[1], name
    assert document["intervals"]["map"] == JUDGED.interval("map", made)
    assert document["per_class"]["car"]["intervals"]["ap50"] == JUDGED.interval("ap50", made, 0)
    assert document["per_class"]["never"]["ap"] is None
    assert set(document["per_class"]["car"]["intervals"]) == set(JUDGED.of_class)


def test_a_draw_in_blocks_is_the_draw_at_once(monkeypatch):
    made, weights = judged(5, 40), np.random.default_rng(0).integers(0, 3, (30, 40))
    for one in rankings(made, range(3), area=2):
        whole = average_precisions(one, weights, range(IOUS))
        with monkeypatch.context() as patched:
            patched.setattr("tasktypes.detection.average_precision.CELLS", 100)
            np.testing.assert_array_equal(average_precisions(one, weights, range(IOUS)), whole)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=examples(20))
def test_predictions_are_read_back_and_joined_whatever_their_width(seed):
    labels, sizes, answers, targets = drawn(seed, 9)
    bars = np.array([0.3, 0.6], np.float32)
    whole = BoxPredictions.of(answers, targets, bars)
    parts = []
    for at in (0, 2, 5):
        block = slice(at, {0: 2, 2: 5, 5: 9}[at])
        told = JUDGED.targets(labels[block], NAMES, sizes[block])
        narrow = answers[block][:, : max(1, int((answers[block][..., 4] > 0).sum(axis=1).max()))]
        parts.append((narrow, told))
    joined = BoxPredictions.joined([BoxPredictions.of(*part, bars) for part in parts])
    assert joined.to_bytes() == whole.to_bytes()
    read = BoxPredictions.read(whole.to_bytes())
    assert read.to_bytes() == whole.to_bytes()
    assert JUDGED.summary(read, NAMES) == JUDGED.summary(whole, NAMES)


def boxed(*objects: tuple[str, Box], ignore: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    return {"boxes": [{"class": name, "box": box} for name, box in objects]} | ({"ignore": ignore} if ignore else {})


def said(*rows: tuple[str, Box, float], width: int = 4):
    """One image of 100 by 100 pixels (1, width, 6)."""
    found = np.zeros((1, width, 6), np.float32)
    for column, (name, box, score) in enumerate(sorted(rows, key=lambda row: -row[2])):
        found[0, column] = [*(corner / 100 for corner in box), score, NAMES.index(name)]
    return found


def one(label: dict[str, Any], *rows: tuple[str, Box, float], bars=None) -> BoxPredictions:
    return BoxPredictions.of(said(*rows), JUDGED.targets([label], NAMES, [(100, 100)]), bars)


HERE, THERE = [10, 10, 50, 50], [60, 60, 90, 90]


@pytest.mark.parametrize(
    ("label", "rows", "right"),
    [
        (boxed(("car", HERE)), [("car", HERE, 0.9)], True),
        (boxed(("car", HERE)), [("car", HERE, 0.9), ("dog", THERE, 0.4)], True),
        (boxed(("car", HERE)), [("car", HERE, 0.9), ("dog", THERE, 0.6)], False),
        (boxed(("car", HERE)), [("car", HERE, 0.9), ("car", HERE, 0.8)], False),
        (boxed(("car", HERE)), [("dog", HERE, 0.9)], False),
        (boxed(("car", HERE)), [("car", HERE, 0.4)], False),
        (boxed(("car", HERE), ("dog", THERE)), [("car", HERE, 0.9)], False),
        (boxed(), [], True),
        (boxed(), [("car", HERE, 0.9)], False),
        (boxed(ignore=[{"box": HERE}]), [("car", HERE, 0.9), ("dog", HERE, 0.8), ("car", HERE, 0.7)], True),
        (boxed(ignore=[{"box": HERE, "class": "car"}]), [("car", HERE, 0.9)], True),
        (boxed(ignore=[{"box": HERE, "class": "car"}]), [("dog", HERE, 0.9)], False),
        (boxed(ignore=[{"box": HERE, "class": "van"}]), [("dog", HERE, 0.9)], True),
    ],
)
def test_an_image_is_right_when_every_object_is_found_and_nothing_else(label, rows, right):
    made = one(label, *rows)
    assert made.right.tolist() == [right]
    assert JUDGED.figure("exact_match", made) == right


def test_counts_are_at_the_threshold_of_the_class():
    label = boxed(("car", HERE), ("dog", THERE))
    rows = [("car", HERE, 0.4), ("dog", THERE, 0.7), ("person", THERE, 0.6)]
    even = one(label, *rows)
    assert [JUDGED.figure(name, even) for name in ("precision", "recall", "f1")] == [0.5, 0.5, 0.5]
    made = one(label, *rows, bars=np.array([0.4, 0.7], np.float32))
    assert [JUDGED.figure(name, made) for name in ("precision", "recall", "f1")] == [1, 1, 1]
    assert made.right.all()
    assert JUDGED.figure("f1", made, 3) is None
    assert JUDGED.summary(made, NAMES)["per_class"]["person"]["threshold"] == pytest.approx(0.7)
    assert JUDGED.summary(made, NAMES)["per_class"]["dog"]["threshold"] == 0.5


def test_a_loss_is_that_of_scores_and_of_what_is_missed():
    label = boxed(("car", HERE), ("dog", THERE), ignore=[{"box": [0, 90, 10, 100]}])
    made = one(label, ("car", HERE, 0.8), ("person", THERE, 0.3), ("car", [0, 90, 10, 100], 0.9))
    assert made.losses == pytest.approx([-(np.log(0.8) + np.log(0.7) + np.log(0.01)) / 2], rel=1e-5)
    assert one(boxed(("car", HERE)), ("car", HERE, 0.001)).losses == pytest.approx([-np.log(0.01)], rel=1e-5)
    assert one(boxed()).losses == pytest.approx([0])
    assert one(boxed(), ("car", HERE, 1.0)).losses == pytest.approx([-np.log(1e-12)])


def test_thresholds_are_where_f1_is_highest_and_even_where_nothing_is_found():
    labels = [boxed(("car", HERE)), boxed(("car", HERE)), boxed(("dog", HERE))]
    answers = np.concatenate([
        said(("car", HERE, 0.8), ("car", THERE, 0.5)),
        said(("car", HERE, 0.7), ("dog", HERE, 0.9)),
        said(("car", HERE, 0.3), ("dog", THERE, 0.8)),
    ])  # fmt: skip
    targets = JUDGED.targets(labels, NAMES, [(100, 100)] * 3)
    fitted = JUDGED.calibrate(answers, targets)
    assert fitted.by_class(NAMES) == pytest.approx({"car": 0.6, "person": 0.5, "dog": 0.5, "never": 0.5})
    made = JUDGED.judged(answers, targets, fitted)
    assert JUDGED.figure("f1", made, 0) == 1
    told = JUDGED.calibrated(made, answers, fitted, NAMES)
    assert told["temperature"] == 1
    assert told["samples"] == 3
    assert (
        told["ece_before"] == told["ece_after"] == pytest.approx((0.6 + 0.5 + 0.3 + 0.9 + 0.3) / 6)
    )  # both 0.8 in one bin
    assert told["validation_loss_before"] == told["validation_loss_after"] == pytest.approx(made.losses.mean())
    with pytest.raises(EvaluationError, match="do not fit"):
        JUDGED.calibrate(answers, targets[:2])


def test_detections_of_one_score_are_above_a_threshold_together():
    rows = [("car", HERE, 0.9), *(("car", [60 + 9 * n, 60, 68 + 9 * n, 70], 0.6) for n in range(3))]
    rows = [("car", [60, 30, 90, 50], 0.6), *rows]
    label = boxed(("car", HERE), ("car", [60, 30, 90, 50]))
    fitted = fit_box_thresholds(said(*rows, width=6), JUDGED.targets([label], NAMES, [(100, 100)]))
    assert fitted.bars.tolist() == pytest.approx([0.75])  # with all at 0.6, F1 is 4 / 7 and not 1


@given(seed=st.integers(0, 10**6), count=st.integers(1, 8))
@settings(max_examples=examples(40))
def test_no_threshold_beats_the_chosen_one(seed, count):
    _, _, answers, targets = drawn(seed, count)
    fitted = fit_box_thresholds(answers, targets)
    judged = JUDGED.judged(answers, targets, fitted)
    chosen = [JUDGED.figure("f1", judged, index) or 0 for index in range(len(fitted.bars))]
    for bar in np.arange(0.05, 1, 0.1):
        other = BoxThresholds(1.0, count, 0.0, np.full(len(fitted.bars), bar, np.float32))
        judged = JUDGED.judged(answers, targets, other)
        assert all((JUDGED.figure("f1", judged, index) or 0) <= f1 + 1e-9 for index, f1 in enumerate(chosen))


def test_confusion_has_the_background_and_its_cells_name_images():
    label = boxed(("car", HERE), ("dog", THERE), ("person", [0, 60, 30, 100]))
    rows = [("car", HERE, 0.9), ("person", THERE, 0.8), ("car", HERE, 0.7), ("dog", [0, 0, 9, 9], 0.6)]
    made = BoxPredictions.joined([one(boxed(("dog", THERE)), ("person", THERE, 0.55)), one(label, *rows)])
    expected = np.zeros((5, 5), int)
    expected[0, 0] = expected[4, 0] = expected[4, 2] = expected[1, 4] = 1
    expected[2, 1] = 2
    assert JUDGED.confusion(made, 4).tolist() == expected.tolist()
    summary = JUDGED.summary(made, NAMES)
    assert summary["confused"] == [("dog", "person", 2)]
    assert summary["confusion"] == expected.tolist()
    found = JUDGED.outcomes(made)
    assert found.cell(2, 1).sample.tolist() == [0, 1]
    assert found.cell(2, 1).score.tolist() == pytest.approx([0.55, 0.8])
    assert found.cell(1, -1).sample.tolist() == [1]
    assert found.cell(3, 0).sample.tolist() == []


@given(seed=st.integers(0, 10**6))
@settings(max_examples=examples(40))
def test_rows_of_the_confusion_are_objects_and_columns_detections(seed):
    made = judged(seed, 8)
    table = JUDGED.confusion(made, 4)
    asked = made.said & made.counts
    assert table[-1, -1] == 0
    assert table[:-1].sum(axis=1).tolist() == [JUDGED.support(made, index) for index in range(4)]
    assert table[:, :-1].sum(axis=0).tolist() == [int((made.category[asked] == index).sum()) for index in range(4)]
    assert np.diag(table)[:-1].sum() == (asked & made.at("matched")).sum()


def test_one_image_is_told_in_words():
    label = boxed(("person", [0, 60, 30, 100]), ("car", HERE), ("car", THERE))
    told = JUDGED.told(one(label, ("dog", HERE, 0.9), ("car", HERE, 0.45), ("car", THERE, 0.1)), 0, NAMES)
    assert {name: told[name] for name in ("label", "predicted", "confidence")} == {
        "label": "2 car, 1 person", "predicted": "1 dog", "confidence": pytest.approx(0.45),
    }  # fmt: skip
    assert JUDGED.told(one(boxed()), 0, NAMES) == {
        "label": "none", "predicted": "none", "confidence": 0, "objects": [], "boxes": [],
    }  # fmt: skip


def test_one_image_is_told_with_places():
    told = JUDGED.told(one(boxed(("car", HERE), ("dog", THERE)), ("car", HERE, 0.9), ("dog", HERE, 0.3)), 0, NAMES)
    assert told["objects"] == [
        {"class": "car", "box": pytest.approx([0.1, 0.1, 0.5, 0.5]), "found": True},
        {"class": "dog", "box": pytest.approx([0.6, 0.6, 0.9, 0.9]), "found": False},
    ]
    assert told["boxes"] == [
        {"class": "car", "box": pytest.approx([0.1, 0.1, 0.5, 0.5], abs=1e-3), "score": pytest.approx(0.9)}
    ]


def test_targets_are_fractions_with_sizes_and_polygons_are_their_boxes():
    polygon = {"class": "dog", "points": [[10, 20], [50, 20], [30, 80]]}
    label = {"boxes": [], "polygons": [polygon], "ignore": [{"box": [0, 0, 20, 40]}, {"box": HERE, "class": "car"}]}
    made = JUDGED.targets([label, {"boxes": []}], NAMES, [(100, 200), (40, 30)])
    assert made.dtype == np.float32
    assert made[0].tolist() == pytest.approx(np.array([
        [0.1, 0.1, 0.5, 0.4, 2, 1, 100, 200], [0, 0, 0.2, 0.2, -1, 2, 100, 200], [0.1, 0.05, 0.5, 0.25, 0, 2, 100, 200],
    ]))  # fmt: skip
    assert made[1].tolist() == [[0, 0, 0, 0, 0, 0, 40, 30]] * 3
    assert [rows.tolist() for rows in JUDGED.strata(made)] == [[0], [1]]


@pytest.mark.parametrize(
    ("label", "sizes", "match"),
    [
        (None, [(9, 9)] * 2, "has no label with boxes"),
        ({}, [(9, 9)] * 2, "has no label with boxes"),
        ({"class": "car"}, [(9, 9)] * 2, "has no label with boxes"),
        (boxed(("van", [0, 0, 1, 1])), [(9, 9)] * 2, "unknown class 'van'; the classes are car, person"),
        ({"polygons": [{"class": "van", "points": [[0, 0], [1, 0], [0, 1]]}]}, [(9, 9)] * 2, "unknown class 'van'"),
        (boxed(), [(9, 9), None], "no known size"),
        (boxed(), [(9, 9)], "no known size"),
    ],
)
def test_a_label_that_is_no_target_is_named(label, sizes, match):
    with pytest.raises(LabelUnfit, match=match) as fault:
        JUDGED.targets([boxed(), label], NAMES, sizes)
    assert fault.value.row == 1


def test_versions_are_compared_on_images_of_equal_truth_in_whatever_order_it_is_told():
    before = [boxed(("car", HERE), ("dog", THERE)), boxed(("car", HERE)), boxed(ignore=[{"box": HERE}])]
    after = [boxed(("dog", THERE), ("car", HERE)), boxed(("car", THERE)), boxed(ignore=[{"box": HERE}])]
    md5 = [f"{number:032x}" for number in (1, 2, 3)]
    sides = [
        BoxPredictions.of(np.zeros((3, 2, 6), np.float32), JUDGED.targets(labels, NAMES, [(100, 100)] * 3))
        .named(["a", "b", "c"], md5, slices={}) for labels in (before, after)
    ]  # fmt: skip
    ours, theirs = common(*sides)
    assert [digest[-1] for digest in ours.md5.tolist()] == [1, 3]
    assert ours.digest.tolist() == theirs.digest.tolist()


def test_a_model_does_not_differ_from_itself_and_a_worse_one_does():
    _, _, answers, targets = drawn(6, 60, ties=False)
    perfect = np.zeros_like(targets[..., :6])
    perfect[..., :4], perfect[..., 5] = targets[..., :4], targets[..., 4]
    perfect[..., 4] = targets[..., 5] == 1
    best, made = JUDGED.judged(perfect, targets), JUDGED.judged(answers, targets)
    assert [JUDGED.figure(name, best) for name in ("map", "map_large", "f1", "exact_match")] == [1, 1, 1, 1]
    for metric in JUDGED.known(4):
        assert JUDGED.difference(metric, made, made).interval == (0, 0)
    for metric in ("map", "map50", "f1", "exact_match"):
        interval = JUDGED.difference(metric, best, made).interval
        assert interval is not None
        assert interval[0] > 0


@pytest.mark.parametrize(
    ("shape", "targets"),
    [((2, 4, 6), (3, 1, 8)), ((2, 4, 5), (2, 1, 8)), ((2, 101, 6), (2, 1, 8)), ((0, 4, 6), (0, 1, 8))],
)
def test_what_does_not_fit_is_refused(shape, targets):
    with pytest.raises(EvaluationError, match="do not fit"):
        BoxPredictions.of(np.zeros(shape, np.float32), np.zeros(targets, np.float32))


def test_pycocotools_comes_when_something_is_matched():
    shelves = os.pathsep.join(str(Path(__file__).resolve().parents[2] / one) for one in ("platform", "datasets"))
    told = "import sys, tasktypes.detection.metrics; sys.exit('pycocotools' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", told], env={**os.environ, "PYTHONPATH": shelves}, check=False)
    assert done.returncode == 0


def test_scores_that_are_no_numbers_are_refused_and_no_detections_are_fine():
    answers, targets = np.zeros((2, 3, 6), np.float32), JUDGED.targets([boxed()] * 2, NAMES, [(9, 9)] * 2)
    assert JUDGED.figure("map", BoxPredictions.of(answers[:, :0], targets)) is None
    answers[1, 0, 4] = np.nan
    with pytest.raises(EvaluationError, match="of 1 of 2 samples are no numbers"):
        BoxPredictions.of(answers, targets)


def test_a_split_without_any_object_is_no_test_split():
    empty = JUDGED.targets([{"boxes": []}] * 2, NAMES, [(9, 9)] * 2)
    judged = BoxPredictions.of(np.zeros((2, 3, 6), np.float32), empty)
    with pytest.raises(EvaluationError, match="none of the 2 evaluated images holds an object: label some"):
        JUDGED.document(judged, NAMES)
