"""Each strategy equals its formula, written out sample by sample; and does what it is for."""

from collections import Counter
from dataclasses import replace
from itertools import product
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples
from tests.mining.acquisition.pools import pool_of, softmax

from acquisition import Pool, PoolError, ScoreStrategy, compose, names, strategy
from acquisition.strategies.stratified import systematic


def naive_entropy(p):
    return -sum(x * log(x) for x in p if x > 0)


def naive_kl(p, q):
    return sum(x * log(x / y) for x, y in zip(p, q, strict=True) if x > 0)


def naive_cosine(a, b):
    lengths = np.sqrt((a**2).sum() * (b**2).sum())
    return (a * b).sum() / lengths if lengths else 0.0


def naive_votes(members):
    return Counter(max(range(len(p)), key=lambda k: (p[k], -k)) for p in members).values()


def naive_label_error(pool, row):
    p, labels = pool.probabilities, pool.labels
    classes = range(p.shape[1])
    bars = {k: np.mean([p[i, k] for i in range(len(p)) if labels[i] == k]) for k in classes if k in labels}
    sure = [k for k in bars if p[row, k] >= bars[k]]
    suspect = bool(sure) and max(sure, key=lambda k: (p[row, k], -k)) != labels[row]
    rival = max(p[row, k] for k in classes if k != labels[row])
    return suspect + (1 + rival - p[row, labels[row]]) / 2


NAIVE = {
    "least_confidence": lambda pool, row: 1 - max(pool.probabilities[row]),
    "margin": lambda pool, row: 1 - (sorted(pool.probabilities[row])[-1] - sorted(pool.probabilities[row])[-2]),
    "entropy": lambda pool, row: naive_entropy(pool.probabilities[row]),
    "bald": lambda pool, row: (
        naive_entropy(np.mean(pool.members[row], axis=0)) - np.mean([naive_entropy(p) for p in pool.members[row]])
    ),
    "vote_entropy": lambda pool, row: naive_entropy(
        [count / len(pool.members[row]) for count in naive_votes(pool.members[row])]
    ),
    "variation_ratio": lambda pool, row: 1 - max(naive_votes(pool.members[row])) / len(pool.members[row]),
    "mean_kl": lambda pool, row: np.mean([naive_kl(p, np.mean(pool.members[row], axis=0)) for p in pool.members[row]]),
    "targeted": lambda pool, row: (
        max(naive_cosine(pool.embeddings[row], one) for one in pool.wanted)
        - 0.5 * max(naive_cosine(pool.embeddings[row], one) for one in pool.unwanted)
    ),
    "label_errors": naive_label_error,
}
PARAMS = {"targeted": {"penalty": 0.5}}


@pytest.mark.parametrize("name", NAIVE)
@given(seed=st.integers(0, 2**31), rows=st.integers(1, 40), count=st.integers(1, 40), coarse=st.booleans())
@settings(max_examples=examples(30))
def test_a_score_is_its_formula_and_the_highest_come_first(name, seed, rows, count, coarse):
    pool = pool_of(np.random.default_rng(seed), rows, members=5, coarse=coarse).in_order(0)
    expected = [float(NAIVE[name](pool, row)) for row in range(rows)]
    chosen = strategy(name, PARAMS.get(name))
    assert isinstance(chosen, ScoreStrategy)
    assert chosen.scored(pool) == pytest.approx(np.array(expected), abs=1e-9)
    choices = chosen.select(pool, count, np.random.default_rng(0))
    order = sorted(range(rows), key=lambda row: (-round(expected[row], 8), row))[:count]
    assert [round(expected[choice.row], 8) for choice in choices] == [round(expected[row], 8) for row in order]
    if not coarse:
        assert [choice.row for choice in choices] == order


def test_every_score_strategy_has_its_formula_here():
    here = {name for name in names() if isinstance(strategy(name), ScoreStrategy)}
    assert {name for name in here if type(strategy(name)).__module__.startswith("acquisition.")} == set(NAIVE)


def scored(name, pool):
    """(N,) what a score strategy without parameters says."""
    chosen = strategy(name)
    assert isinstance(chosen, ScoreStrategy)
    return chosen.scored(pool)


@given(seed=st.integers(0, 2**31), classes=st.integers(2, 30))
@settings(max_examples=examples(20))
def test_single_precision_keeps_scores_near_the_formula(seed, classes):
    pool = pool_of(np.random.default_rng(seed), 20, classes)
    assert pool.probabilities is not None
    assert pool.members is not None
    low = replace(pool, probabilities=pool.probabilities.astype(np.float32), members=pool.members.astype(np.float32))
    for name in ("margin", "entropy", "bald", "mean_kl"):
        assert scored(name, low) == pytest.approx(scored(name, pool), abs=3e-6)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_certain_predictions_have_no_uncertainty_at_all(kind):
    p = np.eye(3, dtype=kind)
    pool = Pool(ids=np.arange(3), probabilities=p, members=np.stack([p, p], axis=1))
    for name in ("margin", "entropy", "least_confidence", "bald", "mean_kl", "vote_entropy", "variation_ratio"):
        assert scored(name, pool).tolist() == [0, 0, 0]


# -- errors that other toolkits have made ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["margin", "entropy", "least_confidence", "bald", "targeted", "label_errors"])
@pytest.mark.parametrize("place", [0, 511, 1022])
def test_the_last_rows_are_candidates_too_whatever_the_block(name, place, monkeypatch):
    monkeypatch.setattr("acquisition.blocks.BLOCK", 100)
    p = np.tile([0.98, 0.01, 0.01], (1023, 1))
    p[place] = [0.34, 0.33, 0.33]
    members = np.repeat(p[:, None], 2, axis=1)
    members[place] = [[1, 0, 0], [0, 1, 0]]
    embeddings = np.tile([0.0, 1.0], (1023, 1))
    embeddings[place] = [1, 0]
    pool = Pool(
        ids=np.arange(1023), probabilities=p, members=members, embeddings=embeddings, wanted=np.array([[1.0, 0.0]]),
        labels=np.zeros(1023, dtype=np.intp),
    )  # fmt: skip
    assert [pick.id for pick in compose(pool, name, count=1, seed=0)] == [place]


def test_a_sample_without_a_prediction_is_refused_and_not_most_uncertain():
    with pytest.raises(PoolError, match="probabilities: those of id 8 are not probabilities that sum to 1"):
        Pool(ids=np.array([7, 8]), probabilities=np.array([[0.9, 0.1], [0.0, 0.0]]))
    with pytest.raises(PoolError, match="members: those of id 7"):
        Pool(ids=np.array([7]), members=np.array([[[0.9, 0.1], [1.5, -0.5]]]))


@pytest.mark.parametrize(
    "name", ["k_center", "batch_bald", "badge", "max_herding", "uherding", "probcover", "typiclust"]
)
def test_a_copy_of_a_pick_is_not_picked_next(name):
    # Two kinds of samples, six copies of each; members are split by each kind another way.
    kinds = np.repeat([0, 1], 6)
    low, high = [0.02, 0.98], [0.98, 0.02]
    members = np.array([[low, low, high, high], [low, high, low, high]])[kinds]
    embeddings = np.array([[9.0, 0.0], [0.0, 8.0]])[kinds]
    pool = Pool(ids=np.arange(12), members=members, embeddings=embeddings, probabilities=np.full((12, 2), 0.5))
    picked = [pick.id for pick in compose(pool, name, count=2, seed=0)]
    assert {kinds[row] for row in picked} == {0, 1}


@pytest.mark.parametrize("name", ["random", "stratified", "power_bald"])
def test_the_seed_is_passed_on(name):
    pool = pool_of(np.random.default_rng(0), 60)
    drawn = {tuple(pick.id for pick in compose(pool, name, count=10, seed=seed)) for seed in range(20)}
    assert len(drawn) == 20


def test_what_is_like_the_wanted_comes_first_and_what_is_like_the_unwanted_last():
    angles = np.linspace(0, np.pi / 2, 10)
    pool = Pool(
        ids=np.arange(10), embeddings=np.stack([np.cos(angles), np.sin(angles)], axis=1) * 7,
        wanted=np.array([[2.0, 0.0]]), unwanted=np.array([[0.0, 3.0]]),
    )  # fmt: skip
    picks = compose(pool, "targeted", count=10, seed=0)
    assert [pick.id for pick in picks] == list(range(10))
    assert picks[0].score == pytest.approx(1)
    assert picks[-1].score == pytest.approx(-1)
    assert "cosine 1.00 to wanted sample 1" in picks[0].reason
    called = replace(pool, wanted_keys=np.array(["night/7.jpg"]), unwanted_keys=np.array(["day/8.jpg"]))
    reason = compose(called, "targeted", count=1, seed=0)[0].reason
    assert reason == "cosine 1.00 to wanted sample night/7.jpg, cosine 0.00 to unwanted sample day/8.jpg"


# -- one by one --------------------------------------------------------------------------------------------------------


@given(seed=st.integers(0, 2**31), rows=st.integers(1, 60), count=st.integers(0, 60), kinds=st.integers(1, 6))
@settings(max_examples=examples(80))
def test_a_stratum_comes_in_proportion_to_its_size(seed, rows, count, kinds):
    rng = np.random.default_rng(seed)
    strata = rng.integers(0, kinds, rows)
    chosen = systematic(strata, count, rng)
    assert len(set(chosen.tolist())) == len(chosen) == min(count, rows)
    for kind, size in zip(*np.unique(strata, return_counts=True), strict=True):
        assert abs((strata[chosen] == kind).sum() - min(count, rows) * size / rows) < 1


def test_a_stratified_choice_is_fair_to_every_sample():
    rng, strata = np.random.default_rng(0), np.repeat([0, 1, 2], [37, 2, 1])
    hits = np.zeros(40)
    for _ in range(4000):
        hits[systematic(strata, 7, rng)] += 1
    # Each sample expects 700 hits of 4,000, standard deviation 24.
    assert abs(hits - 700).max() < 5 * 24.1


def test_strata_may_be_sources_or_drives():
    pool = pool_of(np.random.default_rng(0), 36)
    for by, field, each in (("source", pool.sources, 6), ("group", pool.groups, 4)):
        assert field is not None
        picks = compose(pool, "stratified", count=12, seed=0, params={"by": by})
        taken = Counter(field[pool.ids.tolist().index(pick.id)] for pick in picks)
        assert set(taken.values()) == {each}
    with pytest.raises(PoolError, match="sources: strategy 'stratified' needs them"):
        compose(Pool(ids=np.arange(3)), "stratified", count=1, seed=0, params={"by": "source"})


def test_power_bald_draws_in_proportion_to_its_power_of_bald():
    low, high = [0.02, 0.98], [0.98, 0.02]
    members = np.array([[low, high], [[0.3, 0.7], [0.7, 0.3]], [[0.45, 0.55], [0.55, 0.45]], [low, low]])
    pool = Pool(ids=np.arange(4), members=members)
    bald = np.array([NAIVE["bald"](pool, row) for row in range(4)])
    for beta in (0.5, 1.0, 2.0):
        chosen = strategy("power_bald", {"beta": beta})
        rng = np.random.default_rng(0)
        firsts = np.bincount([chosen.select(pool, 1, rng)[0].row for _ in range(3000)], minlength=4) / 3000
        shares = np.maximum(bald, 0) ** beta / (np.maximum(bald, 0) ** beta).sum()
        assert abs(firsts - shares).max() < 5 * 0.0092
    for choice in strategy("power_bald").select(pool, 4, np.random.default_rng(0)):
        assert sum(choice.terms.values()) == pytest.approx(choice.score)


def naive_information(members):
    """Mutual information of the labels of a batch (b, M, K) and the member, over all K^b ways they may come out."""
    size, count, classes = members.shape
    joint = 0.0
    for labels in product(range(classes), repeat=size):
        joint_p = np.mean([np.prod([members[at, m, k] for at, k in enumerate(labels)]) for m in range(count)])
        joint -= joint_p * log(joint_p) if joint_p > 0 else 0.0
    return joint - sum(np.mean([naive_entropy(members[at, m]) for m in range(count)]) for at in range(size))


@given(seed=st.integers(0, 2**31), rows=st.integers(1, 12), members=st.integers(1, 4), coarse=st.booleans())
@settings(max_examples=examples(25))
def test_batch_bald_takes_what_adds_most_to_the_joint_information(seed, rows, members, coarse):
    pool = pool_of(np.random.default_rng(seed), rows, 3, members=members, coarse=coarse).in_order(0)
    choices = strategy("batch_bald").select(pool, 4, np.random.default_rng(0))
    assert pool.members is not None
    batch: list[int] = []
    for choice in choices:
        told = naive_information(pool.members[batch]) if batch else 0.0
        gains = {row: naive_information(pool.members[[*batch, row]]) - told for row in range(rows) if row not in batch}
        best = max(gains.values())
        assert choice.row == min(row for row, gain in gains.items() if gain >= best - 1e-9)
        assert choice.score == pytest.approx(gains[choice.row], abs=1e-8)
        batch.append(choice.row)


def test_batch_bald_with_sampled_configurations_stays_near_the_exact_batch():
    pool = pool_of(np.random.default_rng(1), 200, 4, members=8).in_order(0)
    exact, sampled = (
        strategy("batch_bald", {"configurations": most}).select(pool, 5, np.random.default_rng(0))
        for most in (4**5, 64)
    )
    assert pool.members is not None
    best = naive_information(pool.members[[choice.row for choice in exact]])
    near = naive_information(pool.members[[choice.row for choice in sampled]])
    assert 0.97 * best < near <= best + 0.03
    assert sum(choice.score or 0.0 for choice in sampled) == pytest.approx(near, rel=0.15)


def test_batch_bald_goes_on_in_further_batches():
    pool = pool_of(np.random.default_rng(2), 30, members=4).in_order(0)
    rows = [choice.row for choice in strategy("batch_bald", {"joint": 3}).select(pool, 8, np.random.default_rng(0))]
    first = [choice.row for choice in strategy("batch_bald").select(pool, 3, np.random.default_rng(0))]
    assert rows[:3] == first
    assert len(set(rows)) == 8


def test_label_errors_finds_labels_that_were_turned():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 400)
    logits = rng.normal(size=(400, 4))
    logits[np.arange(400), truth] += 4
    labels, turned = truth.copy(), rng.permutation(400)[:30]
    labels[turned] = (truth[turned] + rng.integers(1, 4, 30)) % 4
    pool = Pool(ids=np.arange(400), probabilities=softmax(logits), labels=labels)
    found = {pick.id for pick in compose(pool, "label_errors", count=30, seed=0)}
    assert len(found & set(turned.tolist())) >= 27


@pytest.mark.parametrize(
    ("name", "changes", "words"),
    [
        ("label_errors", {"labels": np.array([0, 1, 9])}, "labels: must be class indices from 0 to 3"),
        ("label_errors", {"labels": np.array([0, 1, -1])}, "labels: must be class indices from 0 to 3"),
        ("targeted", {"wanted": np.empty((0, 6))}, "wanted: choose at least one sample"),
        ("targeted", {"wanted": np.ones((1, 5))}, "wanted: 5 numbers a sample, embeddings have 6"),
        ("targeted", {"unwanted": np.ones((1, 5))}, "unwanted: 5 numbers a sample, embeddings have 6"),
        *((name, {"members": np.empty((3, 0, 4))}, "members: the committee is empty")
          for name in ("bald", "vote_entropy", "variation_ratio", "mean_kl", "power_bald", "batch_bald")),
    ],
)  # fmt: skip
def test_a_field_that_cannot_be_used_is_named(name, changes, words):
    pool = replace(pool_of(np.random.default_rng(0), 3), **changes)
    with pytest.raises(PoolError, match=words):
        compose(pool, name, count=1, seed=0)
