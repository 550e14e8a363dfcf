"""What boxes mean to pages, proofs and strategies."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from tests.laws import examples

from acquisition import Pool, PoolError, compose, strategy
from acquisition.registry import RowStrategy
from blobs.decoding import decode, upright_size
from tasktypes import task_type
from worker_programs.config import ConfigError

OUTPUTS, MINING = task_type("detection").outputs, task_type("detection").mining
NAMES = ["stop", "yield"]
SIZE = (200, 100)


def answers(*images: list[tuple[float, float, float, float, float, int]], width: int = 5) -> np.ndarray:
    """(N, `width`, 6), the surest first."""
    made = np.zeros((len(images), width, 6), np.float32)
    for row, boxes in enumerate(images):
        for at, box in enumerate(sorted(boxes, key=lambda one: -one[4])):
            made[row, at] = box
    return made


ONE = (0.1, 0.1, 0.4, 0.5, 0.9, 0)


def test_an_answer_is_the_boxes_above_the_thresholds_in_pixels():
    row = answers([ONE, (0.5, 0.5, 1.0, 1.0, 0.3, 1), (0.5, 0.5, 0.5, 0.6, 0.99, 0)])[0].tolist()
    assert OUTPUTS.answer(row, NAMES, {}, SIZE) == {
        "boxes": [{"class": "stop", "box": [20, 10, 80, 50], "score": 0.9}]
    }, "the box without an area is none"
    told = OUTPUTS.answer(row, NAMES, {"yield": 0.25, "stop": 0.95}, SIZE)
    assert told == {"boxes": [{"class": "yield", "box": [100, 50, 200, 100], "score": 0.3}]}
    with pytest.raises(ValueError, match="size of the image"):
        OUTPUTS.answer(row, NAMES, {})


def test_what_is_shown_are_boxes_from_a_floor_on():
    rows = answers([ONE, (0.5, 0.5, 1.0, 1.0, 0.06, 1), (0.5, 0.5, 1.0, 1.0, 0.04, 1)], [])
    shown = OUTPUTS.shown(rows, rows, NAMES, top=1, temperature=1.0, sizes=[SIZE, SIZE])
    assert [[(one["class"], round(one["probability"], 2)) for one in image] for image in shown] == [
        [("stop", 0.9), ("yield", 0.06)],
        [],
    ]
    assert shown[0][0]["box"] == [20, 10, 80, 50]


def test_two_answers_are_the_same_where_every_sure_box_has_its_like():
    moved_a_little, elsewhere = (0.11, 0.1, 0.41, 0.5, 0.48, 0), (0.6, 0.1, 0.9, 0.5, 0.9, 0)
    another, unsure = (0.1, 0.1, 0.4, 0.5, 0.9, 1), (0.6, 0.6, 0.9, 0.9, 0.52, 1)
    pairs = [
        ([ONE], [ONE], True), ([ONE], [moved_a_little], True), ([ONE], [elsewhere], False), ([ONE], [another], False),
        ([ONE], [], False), ([ONE, unsure], [ONE], True), ([], [], True), ([ONE], [ONE, elsewhere], False),
    ]  # fmt: skip
    first, second = answers(*(pair[0] for pair in pairs)), answers(*(pair[1] for pair in pairs))
    wanted = [pair[2] for pair in pairs]
    assert OUTPUTS.same(first, second).tolist() == wanted
    assert OUTPUTS.same(second, first).tolist() == wanted


def test_an_image_is_as_sure_as_its_least_sure_box_and_without_one_as_its_surest_place():
    rows = answers([ONE, (0, 0, 1, 1, 0.6, 1), (0, 0, 1, 1, 0.02, 1)], [ONE], [(0, 0, 1, 1, 0.03, 1)], [])
    np.testing.assert_allclose(OUTPUTS.certainty(rows), [0.2, 0.8, 0.94, 1], atol=1e-6)
    kept, best = OUTPUTS.chosen(rows, [1])
    assert kept.tolist() == [True, False, False, False]
    np.testing.assert_allclose(best, [0.6, 0, 0.03, 0], atol=1e-6)
    assert OUTPUTS.chosen(rows, None)[0].all()
    named, share = OUTPUTS.likeliest(rows)
    assert named.tolist()[:3] == [0, 0, 1]
    np.testing.assert_allclose(share, [0.9, 0.9, 0.03, 0], atol=1e-6)


def plain(rows: np.ndarray, how: str, top: int, weights: dict[str, float]) -> list[float]:
    """The rule in words, image by image: entropies of what scores at least 0.05, or of the surest."""
    found = []
    for image in rows:
        scores = image[:, 4]
        held = [at for at in range(len(scores)) if scores[at] >= 0.05] or [int(scores.argmax())]
        each = []
        for at in held:
            p = np.array([scores[at], 1 - scores[at]], np.float64)
            value = float(-(p[p > 0] * np.log(p[p > 0])).sum())
            each.append(value * weights.get(NAMES[int(image[at, 5])], 1.0))
        each.sort(reverse=True)
        found.append({
            "max": each[0],
            "sum": sum(each),
            "mean": sum(each) / len(each),
            "top": sum(each[:top]) / min(top, len(each)),
            "noisy_or": 1 - float(np.prod([1 - min(1, one / np.log(2)) for one in each])),
        }[how])  # fmt: skip
    return found


@pytest.mark.parametrize("how", ["max", "mean", "sum", "top", "noisy_or"])
@given(seed=st.integers(0, 999), top=st.integers(1, 6), weight=st.sampled_from([0.0, 0.5, 2.0]))
@settings(max_examples=examples(25))
def test_scores_of_boxes_are_reduced_as_the_rule_says(how, seed, top, weight):
    rng = np.random.default_rng(seed)
    rows = rng.random((7, 5, 6)).astype(np.float32)
    rows[..., 4] = -np.sort(-(rng.random((7, 5)) ** 3), axis=1)
    rows[..., 5] = rng.integers(0, 2, (7, 5))
    rows[3, :, 4] *= 0.05 / max(0.05, float(rows[3, :, 4].max())) * 0.9
    weights = {"yield": weight}
    kind = strategy("entropy", {"reduce": how, "weights": weights} | ({"top": top} if how == "top" else {}))
    assert isinstance(kind, RowStrategy)
    kind.check_task("detection")
    pool = Pool(ids=np.arange(7), probabilities=rows, classes=NAMES, task="detection")
    wanted = plain(rows, how, top, weights)
    np.testing.assert_allclose(kind.scored(pool), np.array(wanted), atol=1e-5)
    batch = compose(pool, "entropy", count=3, seed=0, params=kind.params.__dict__)
    assert sorted(wanted, reverse=True)[:3] == pytest.approx([pick.score for pick in batch], abs=1e-5)


def test_a_pick_says_which_boxes_are_open():
    rows = answers([(0, 0, 1, 1, 0.52, 1), (0, 0, 1, 1, 0.97, 0)], [ONE])
    pool = Pool(ids=np.arange(2), probabilities=rows, classes=NAMES, task="detection")
    (pick,) = compose(pool, "margin", count=1, seed=0, params={"reduce": "max"})
    assert (pick.id, pick.reason) == (0, "undecided: yield at 0.52")


def test_what_a_pool_of_boxes_refuses():
    wrong = answers([ONE], [(0, 0, 1, 1, 1.2, 0)])
    with pytest.raises(PoolError, match="id 1 are not probabilities from 0 to 1"):
        Pool(ids=np.arange(2), probabilities=wrong, task="detection")
    with pytest.raises(PoolError, match="expected one row per id"):
        Pool(ids=np.arange(2), probabilities=wrong[..., 0], task="detection")
    with pytest.raises(ConfigError, match=r"strategy.params.top.*leave it out|leave it out"):
        strategy("entropy", {"top": 4}).check_task("classification")


@pytest.mark.parametrize("orientation", range(1, 9))
def test_the_upright_size_is_that_of_the_decoded_image(orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    stream = io.BytesIO()
    Image.new("RGB", (40, 24)).save(stream, "JPEG", exif=exif)
    height, width, _ = decode(stream.getvalue(), 3).shape
    assert upright_size(stream.getvalue()) == (width, height)
