"""Mined against random: no more false alarms than promised, whenever one looks; an alarm where mining loses."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import hypergeom
from tests.laws import examples

from acquisition.against_random import ALPHA, Arms, judged

SEQUENCES, ROUNDS = 400, 12


def sequence(rng: np.random.Generator, mined: float, control: float, *, falls: float = 0.0) -> list[Arms]:
    """Rounds of 36 mined picks and 4 at random, of which such shares are wrong: less from round to round."""
    found = []
    for number in range(ROUNDS):
        left = 1 - falls * number / ROUNDS
        found.append(Arms(36, int(rng.binomial(36, mined * left)), 4, int(rng.binomial(4, control * left))))
    return found


@pytest.mark.parametrize(
    ("mined", "control", "falls"),
    [(0.3, 0.3, 0.0), (0.05, 0.05, 0.0), (0.5, 0.5, 0.9), (0.95, 0.95, 0.0), (0.4, 0.2, 0.5)],
)
def test_a_strategy_that_is_no_worse_than_chance_is_blamed_at_most_so_often(mined, control, falls):
    rng = np.random.default_rng(0)
    blamed = sum(judged(sequence(rng, mined, control, falls=falls)).loses for _ in range(SEQUENCES))
    assert blamed / SEQUENCES <= ALPHA + 2.6 * (ALPHA * (1 - ALPHA) / SEQUENCES) ** 0.5


def test_picks_that_are_not_alike_are_blamed_no_more_often():
    """The mined picks of a batch are fixed, not drawn: each is wrong or right, as many as the pool's share."""
    rng, blamed = np.random.default_rng(1), 0
    for _ in range(SEQUENCES):
        rounds = [Arms(36, 9, 4, int(rng.binomial(4, 0.25))) for _ in range(ROUNDS)]
        blamed += judged(rounds).loses
    assert blamed / SEQUENCES <= ALPHA


def test_one_that_loses_is_found_out():
    rng = np.random.default_rng(2)
    found = [judged(sequence(rng, 0.1, 0.4)) for _ in range(200)]
    assert np.mean([one.loses for one in found]) > 0.9
    assert all("mining finds fewer mistakes than chance" in one.sentence for one in found)


@given(mined=st.integers(1, 60), control=st.integers(1, 30), wrong=st.integers(0, 90), odds=st.floats(0.05, 1.0))
@settings(max_examples=examples(60))
def test_the_mean_of_its_value_is_at_most_1_whatever_is_wrong_in_both_arms(mined, control, wrong, odds):
    wrong = min(wrong, mined + control)
    counts = np.arange(max(0, wrong - mined), min(control, wrong) + 1)
    weights = hypergeom.pmf(counts, mined + control, wrong, control) * odds**counts
    values = []
    for count in counts:
        one = judged([Arms(mined, wrong - int(count), control, int(count))])
        values.append(one.evidence)
    # `evidence` is the highest so far and starts at 1, so the mean of what is above 1 is bounded with it.
    below = np.array(values) <= 1.0
    assert (weights / weights.sum())[~below] @ np.array(values)[~below] <= 1 + 1e-9


def test_what_one_arm_lacks_says_nothing_and_words_have_the_numbers():
    none = judged([Arms(10, 3, 0, 0), Arms(0, 0, 4, 1)])
    assert (none.rounds, none.evidence, none.loses) == (0, 1.0, False)
    assert none.sentence == "Mined against random: no round has answers of both yet."
    one = judged([Arms(36, 1, 4, 4), Arms(36, 0, 4, 3)])
    assert one.loses
    assert one.bound == pytest.approx(20)
    words = "2 rounds: the model was wrong on 1 of 72 mined images (1 %) and on 7 of 8 random images (88 %)"
    assert words in one.sentence
    later = judged([Arms(36, 1, 4, 4), Arms(36, 0, 4, 3), Arms(36, 30, 4, 0)])
    assert later.evidence == one.evidence, "what was shown once stays shown"
    with pytest.raises(ValueError, match="wrong answers"):
        Arms(3, 4, 1, 0)
    with pytest.raises(ValueError, match="alpha"):
        judged([], alpha=0)


def test_thousands_of_answers_are_judged_at_once():
    found = judged([Arms(9000, 900, 1000, 400)] * 20)
    assert found.loses
    assert np.isfinite(found.evidence)
