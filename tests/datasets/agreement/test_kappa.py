"""Kappas against the papers' own examples, scikit-learn, and laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from agreement.kappa import by_class, cohen, fleiss
from agreement.opinions import Opinions, coded, partners

# Fleiss 1971, table 1: 30 psychiatric patients, 6 raters each, 5 diagnoses.
TABLE = [
    [0, 0, 0, 6, 0], [0, 3, 0, 0, 3], [0, 1, 4, 0, 1], [0, 0, 0, 0, 6], [0, 3, 0, 3, 0], [2, 0, 4, 0, 0],
    [0, 0, 4, 0, 2], [2, 0, 3, 1, 0], [2, 0, 0, 4, 0], [0, 0, 0, 0, 6], [1, 0, 0, 5, 0], [1, 1, 0, 4, 0],
    [0, 3, 3, 0, 0], [1, 0, 0, 5, 0], [0, 2, 0, 3, 1], [0, 0, 5, 0, 1], [3, 0, 0, 1, 2], [5, 1, 0, 0, 0],
    [0, 2, 0, 4, 0], [1, 0, 2, 0, 3], [0, 0, 0, 0, 6], [0, 1, 0, 5, 0], [0, 2, 0, 1, 3], [2, 0, 0, 4, 0],
    [1, 0, 0, 4, 1], [0, 5, 0, 1, 0], [4, 0, 0, 0, 2], [0, 2, 0, 4, 0], [1, 0, 5, 0, 0], [0, 0, 0, 0, 6],
]  # fmt: skip
ROWS = st.dictionaries(
    st.tuples(st.integers(0, 7), st.integers(0, 3)), st.sampled_from("abc"), min_size=2, max_size=32
).map(lambda said: [(task, person, value) for (task, person), value in said.items()])


def rated(table):
    """Each row of counts as so many answers, of as many people."""
    rows = []
    for task, counts in enumerate(table):
        values = [value for value, count in enumerate(counts) for _ in range(count)]
        rows += [(task, person, value) for person, value in enumerate(values)]
    return Opinions.of(rows, values=range(len(table[0])))


def test_the_example_of_fleiss_1971():
    # the paper: column totals 26, 26, 30, 55, 43; mean P = .556, P_e = .220, kappa = .430
    assert [sum(column) for column in zip(*TABLE, strict=True)] == [26, 26, 30, 55, 43]
    assert fleiss(rated(TABLE)) == pytest.approx(0.430, abs=5e-4)


def test_fleiss_of_two_subjects_step_by_step():
    # three raters; P_1 = 1, P_2 = (4 + 1 - 3) / 6 = 1/3, mean 2/3; shares 4/6 and 2/6, so P_e = 20/36
    assert fleiss(rated([[3, 0], [1, 2]])) == pytest.approx((2 / 3 - 20 / 36) / (1 - 20 / 36))


def test_cohen_of_a_table_step_by_step():
    # both yes 20, both no 15, a alone 5, b alone 10: p_o = .7, p_e = .5 × .6 + .5 × .4 = .5
    said = ["yy"] * 20 + ["yn"] * 5 + ["ny"] * 10 + ["nn"] * 15
    rows = [(task, person, word[person]) for task, word in enumerate(said) for person in (0, 1)]
    (pair,) = cohen(Opinions.of(rows))
    assert (pair.both, pair.agree) == (50, 35)
    assert pair.kappa == pytest.approx(0.4)


@given(ROWS)
def test_every_pair_is_what_scikit_learn_says(rows):
    opinions = Opinions.of(rows)
    said = {(task, person): value for task, person, value in rows}
    found = {(pair.a, pair.b): pair for pair in cohen(opinions)}
    names = opinions.people_names
    for a in range(len(names)):
        for b in range(a + 1, len(names)):
            shared = [task for task in opinions.task_names if (task, names[a]) in said and (task, names[b]) in said]
            assert ((a, b) in found) == bool(shared)
            if not shared:
                continue
            one, other = ([said[task, names[who]] for task in shared] for who in (a, b))
            assert found[a, b].both == len(shared)
            assert found[a, b].agree == sum(x == y for x, y in zip(one, other, strict=True))
            if len(set(one + other)) == 1:
                assert found[a, b].kappa is None
            else:
                assert found[a, b].kappa == pytest.approx(cohen_kappa_score(one, other))


@given(ROWS, st.permutations("abc"), st.randoms(use_true_random=False))
def test_renaming_and_shuffling_changes_nothing(rows, names, random):
    renamed = [(-task, f"p{person}", names["abc".index(value)]) for task, person, value in rows]
    one, other = fleiss(Opinions.of(rows)), fleiss(Opinions.of(random.sample(renamed, len(renamed))))
    assert one == (pytest.approx(other) if other is not None else None)


@given(ROWS)
def test_kappas_lie_between_minus_one_and_one(rows):
    opinions = Opinions.of(rows)
    kappas = [pair.kappa for pair in cohen(opinions)] + [fleiss(opinions)]
    assert all(kappa is None or -1 - 1e-9 <= kappa <= 1 + 1e-9 for kappa in kappas)


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=9), st.integers(2, 4))
def test_perfect_agreement_is_one(truth, people):
    opinions = Opinions.of((task, person, value) for task, value in enumerate(truth) for person in range(people))
    expected = None if len(set(truth)) == 1 else pytest.approx(1.0)
    assert fleiss(opinions) == expected
    assert all(pair.kappa == expected for pair in cohen(opinions))


def test_agreement_by_class_is_the_chance_that_another_says_the_same():
    found = by_class(rated([[3, 0, 0], [1, 2, 0]]))
    assert [one.answers for one in found] == [4, 2, 0]
    assert [one.agreement for one in found] == [pytest.approx(6 / 8), pytest.approx(2 / 4), None]


def test_nobody_and_lonely_answers_have_no_agreement():
    assert (fleiss(Opinions.of([])), cohen(Opinions.of([])), by_class(Opinions.of([]))) == (None, [], [])
    alone = Opinions.of([(1, "ann", "cat"), (2, "ben", "dog")])
    assert (fleiss(alone), cohen(alone)) == (None, [])


def test_partners_are_all_pairs_of_a_task():
    first, second = partners(np.array([0, 0, 0, 1, 2, 2]))
    assert sorted(zip(first.tolist(), second.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 2), (4, 5)]


def test_known_values_are_coded_first():
    codes, names = coded(["b", "z", "b"], known=["a", "b"])
    assert (codes.tolist(), names) == ([1, 2, 1], ["a", "b", "z"])
