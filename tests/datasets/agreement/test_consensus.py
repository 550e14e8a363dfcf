"""Dawid and Skene's consensus against crowd-kit's own figures, and the majority."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.consensus import dawid_skene, majority
from agreement.opinions import Opinions

CROWD_KIT = json.loads((Path(__file__).parent / "crowd_kit.json").read_text())
LABELS = ["cat", "dog", "fox"]
ROWS = st.dictionaries(
    st.tuples(st.integers(0, 9), st.integers(0, 4)), st.sampled_from(LABELS), min_size=1, max_size=40
).map(lambda said: [(task, person, value) for (task, person), value in said.items()])


@pytest.mark.parametrize("case", ["plain", "gold"])
def test_it_says_what_crowd_kit_says(case):
    opinions = Opinions.of([tuple(row) for row in CROWD_KIT["answers"]], values=LABELS)
    places = {name: code for code, name in enumerate(opinions.task_names)}
    known = {places[int(task)]: LABELS.index(label) for task, label in CROWD_KIT[case]["known"].items()}
    found = dawid_skene(opinions, known)
    for task, wanted in CROWD_KIT[case]["probabilities"].items():
        best = max(wanted, key=wanted.get)
        assert LABELS[found.values[places[int(task)]]] == best
        assert found.confidence[places[int(task)]] == pytest.approx(wanted[best], abs=1e-6)
    people = opinions.people_names
    for person, said, true, share in CROWD_KIT[case]["errors"]:
        ours = found.errors[people.index(person), LABELS.index(true), LABELS.index(said)]
        assert ours == pytest.approx(share, abs=1e-6)


def test_one_who_says_the_opposite_is_outvoted_and_found_out():
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 2, 300)
    rows = [(task, name, int(true if rng.random() < skill else 1 - true))
            for task, true in enumerate(truth) for name, skill in (("ann", .9), ("ben", .9), ("mal", .1))]  # fmt: skip
    opinions = Opinions.of(rows, values=[0, 1])
    found = dawid_skene(opinions)
    assert (found.values == truth).mean() > (majority(opinions).values == truth).mean()
    skills = dict(zip(opinions.people_names, found.accuracy, strict=True))
    assert skills["ann"] > 0.85
    assert skills["mal"] < 0.2


@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_tasks_and_people_does_not_matter(rows, random):
    shuffled = random.sample(rows, len(rows))
    one, other = (Opinions.of(order, values=LABELS) for order in (rows, shuffled))
    ones, others = dawid_skene(one), dawid_skene(other)
    sure = dict(zip(one.task_names, ones.confidence, strict=True))
    for task, confidence in zip(other.task_names, others.confidence, strict=True):
        assert confidence == pytest.approx(sure[task], abs=1e-6)


@given(ROWS)
def test_shares_are_shares(rows):
    found = dawid_skene(Opinions.of(rows, values=LABELS))
    assert ((found.confidence > 1 / len(LABELS) - 1e-9) & (found.confidence <= 1 + 1e-9)).all()
    assert ((found.accuracy >= 0) & (found.accuracy <= 1 + 1e-9)).all()
    assert found.errors.sum(axis=2) == pytest.approx(1.0)


@given(st.lists(st.sampled_from(LABELS), min_size=1, max_size=8), st.integers(1, 4))
def test_people_of_one_mind_are_believed(truth, people):
    opinions = Opinions.of([(task, p, name) for task, name in enumerate(truth) for p in range(people)], values=LABELS)
    assert [LABELS[code] for code in dawid_skene(opinions).values] == truth
    assert [LABELS[code] for code in majority(opinions).values] == truth
    assert majority(opinions).confidence == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("said", "agreed", "share"),
    [("cat dog dog", "dog", 2 / 3), ("dog cat fox", "dog", 1 / 3), ("cat cat dog", "cat", 2 / 3), ("fox", "fox", 1.0)],
)
def test_the_majority_decides_and_the_first_breaks_a_tie(said, agreed, share):
    opinions = Opinions.of([(1, person, name) for person, name in enumerate(said.split())], values=LABELS)
    found = majority(opinions)
    assert LABELS[found.values[0]] == agreed
    assert found.confidence[0] == pytest.approx(share)
