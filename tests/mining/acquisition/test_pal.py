"""PAL: regressions that say how right a box is, and picks that are those of a search through the whole pool."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples
from tests.mining.acquisition.pools import boxes_of

from acquisition import Pool, compose, strategy
from acquisition.odds import LEAST, alone, fitted
from tasktypes import task_type
from worker_programs.config import ConfigError

NAMES = ["stop", "yield"]


def boxes(rng, count, *, label=0, slope=6.0):
    """Evidence (J, 4) of boxes that are the likelier right the surer they are, and the more cells they have."""
    score, cells = rng.random(count), rng.integers(0, 40, count)
    odds = slope * (score - 0.5) + 0.5 * (np.log1p(cells) - 2)
    right = rng.random(count) < 1 / (1 + np.exp(-odds))
    return np.stack([np.full(count, label), score, cells, right], axis=1)


@given(seed=st.integers(0, 2**31))
@settings(max_examples=examples(20))
def test_odds_rise_where_those_of_labelled_boxes_do_and_are_near_them(seed):
    rng = np.random.default_rng(seed)
    odds = fitted(boxes(rng, 3000), 1)
    none = np.zeros(50, np.intp)
    steps = np.linspace(0.05, 0.95, 50)
    by_score = odds.right(steps, np.full(50, 7), none)
    assert (np.diff(by_score) > 0).all()
    assert (np.diff(odds.right(np.full(50, 0.5), np.arange(50), none)) > 0).all()
    np.testing.assert_allclose(by_score, 1 / (1 + np.exp(-6 * (steps - 0.5) - 0.5 * (np.log(8) - 2))), atol=0.08)


def test_a_class_with_little_evidence_takes_that_of_all_and_without_any_its_score():
    rng = np.random.default_rng(1)
    common, rare = boxes(rng, 500), boxes(rng, 2 * LEAST - 1, label=1)
    both = np.concatenate([common, rare])
    assert list(alone(both, 2)) == [0]
    asked = np.array([0.2, 0.7]), np.array([3, 9])
    together = fitted(both, 2)
    everything = fitted(np.concatenate([both[:, :0], np.zeros((len(both), 1)), both[:, 1:]], axis=1), 1)
    np.testing.assert_allclose(
        together.right(*asked, np.array([1, 1])), everything.right(*asked, np.array([0, 0])), atol=1e-12
    )
    np.testing.assert_allclose(
        fitted(common, 1).right(*asked, np.zeros(2, int)), together.right(*asked, np.zeros(2, int))
    )
    few = fitted(rare, 2)
    assert few.right(*asked, np.array([0, 1])).tolist() == [0.2, 0.7]


def plain(pool: Pool, count: int, params) -> list[int]:
    """The rule as it is told: each time the whole pool is looked through."""
    assert pool.probabilities is not None
    assert pool.cells is not None
    assert pool.evidence is not None
    assert pool.embeddings is not None
    odds, mining = fitted(pool.evidence, len(pool.classes)), task_type("detection").mining
    doubt, shown = np.zeros(len(pool)), np.zeros((len(pool), len(pool.classes)), bool)
    for row, image in enumerate(pool.probabilities):
        held = np.flatnonzero(mining.asked(image[None])[0])
        label = image[held, 5].astype(int)
        some = image[:, 4].max() >= 0.05
        p = odds.right(image[held, 4], pool.cells[row, held], label) if some else image[held, 4]
        logs = [float(-sum(part * np.log2(part) for part in (one, 1 - one) if part > 0)) for one in p]
        doubt[row] = np.mean(sorted(logs)[-params.top :])
        shown[row, label] = some
    points = pool.embeddings - pool.embeddings.mean(axis=0)
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    points = points / np.where(lengths > 0, lengths, 1)
    beside = [] if pool.labelled is None else list(pool.labelled - pool.embeddings.mean(axis=0))
    picks: list[int] = []
    while len(picks) < count:
        worth = (1 - shown.mean(axis=0)) / (1 + shown[picks].sum(axis=0))
        variety = np.where(shown, worth, 0).max(axis=1)
        cosines = [points @ other / max(np.linalg.norm(other), 1e-12) for other in beside]
        near = np.maximum(np.round(np.max(cosines, axis=0), 9), 0) if cosines else 0.0
        score = doubt * (1 + params.diversity * variety) * (1 - params.similarity * near)
        score[picks] = -1
        picks.append(int(score.argmax()))
        beside.append(points[picks[-1]])
    return picks


@given(
    seed=st.integers(0, 2**31), rows=st.integers(1, 40), diversity=st.sampled_from([0.0, 0.5, 3.0]),
    similarity=st.sampled_from([0.0, 0.5, 1.0]),
)  # fmt: skip
@settings(max_examples=examples(60))
def test_picks_are_those_of_a_search_through_the_whole_pool(seed, rows, diversity, similarity):
    pool = boxes_of(np.random.default_rng(seed), rows).in_order(0)
    chosen = strategy("pal", {"diversity": diversity, "similarity": similarity})
    picks = chosen.select(pool, rows, np.random.default_rng(0))
    wanted = plain(pool, rows, chosen.params)
    scores = [pick.score or 0.0 for pick in picks]
    firm = [
        at for at in range(rows) if all(abs(scores[at] - scores[other]) > 1e-7 for other in range(rows) if other != at)
    ]
    cut = next((at for at in range(rows) if at not in firm), rows)
    assert [pick.row for pick in picks][:cut] == wanted[:cut]
    assert (np.diff(scores) <= 1e-12).all()


@given(seed=st.integers(0, 2**31))
@settings(max_examples=examples(20))
def test_the_order_of_boxes_changes_no_score(seed):
    rng = np.random.default_rng(seed)
    pool = boxes_of(rng, 12).in_order(0)
    assert pool.probabilities is not None
    assert pool.cells is not None
    turn = rng.permutation(5)
    other = replace(pool, probabilities=pool.probabilities[:, turn], cells=pool.cells[:, turn])
    first, second = (strategy("pal").select(one, 12, rng) for one in (pool, other))
    assert [pick.score for pick in first] == pytest.approx([pick.score for pick in second], abs=1e-9)


def test_a_pick_names_its_boxes_and_an_image_without_one_its_surest_place():
    rng = np.random.default_rng(0)
    rows = np.zeros((3, 2, 6))
    rows[0, :, 4:] = [[0.5, 0], [0.97, 1]]
    rows[1, :, 4:] = [[0.99, 1], [0.01, 0]]
    rows[2, :, 4:] = [[0.03, 1], [0.01, 0]]
    pool = Pool(
        ids=np.arange(3), probabilities=rows, cells=np.full((3, 2), 7, np.int32), embeddings=np.eye(3),
        evidence=np.concatenate([boxes(rng, 900), boxes(rng, 900, label=1)]), classes=NAMES, task="detection",
    )  # fmt: skip
    batch = compose(pool, "pal", count=3, seed=0, params={"reduce": "max", "similarity": 0})
    said = {pick.id: pick for pick in batch}
    assert batch[0].id == 0
    assert said[0].reason.startswith("stop at 0.50: right with 0.")
    assert "yield" not in said[0].reason.partition(";")[0]
    assert said[0].reason.endswith("class diversity 0.67, similarity 0.00")
    assert (
        said[2].reason == "no box scores 0.05, its surest place is yield at 0.03; class diversity 0.00, similarity 0.00"
    )
    bits = -(0.03 * np.log2(0.03) + 0.97 * np.log2(0.97))
    assert said[2].terms == pytest.approx({"uncertainty": bits, "diversity": 0.0, "similarity": 0.0, "pal": bits})


def test_other_task_types_are_refused_by_name():
    with pytest.raises(ConfigError, match="looks at objects in places"):
        strategy("pal").check_task("multilabel")
