"""k-means on the grid, TypiClust's and Cluster-Margin's choices against naive references."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from acquisition import Pool, compose, strategy
from acquisition.kernels.clusters import assigned, centres_of, nearest_centre
from acquisition.kernels.grid import squared
from acquisition.kernels.points import together
from acquisition.kernels.typical import typical
from acquisition.registry import unwatched
from acquisition.strategies.cluster_margin import in_turn


def blobs(rows, *, seed=0, clusters=4):
    rng = np.random.default_rng(seed)
    centres = np.array([[-20.0, 0], [20, 0], [0, 20], [0, -20]])[:clusters]
    of = rng.integers(0, clusters, rows)
    return (centres[of] + rng.normal(size=(rows, 2))).astype(np.float32), of


@given(seed=st.integers(0, 2**31), rows=st.integers(1, 60), k=st.integers(1, 10), sample=st.sampled_from([15, 1000]))
@settings(max_examples=examples(40))
def test_centres_are_the_rounded_means_of_what_is_nearest_to_them(seed, rows, k, sample):
    rng = np.random.default_rng(seed)
    points, _ = together(rng.integers(-20, 21, size=(rows, 2)).astype(np.float32), None)
    whole = points.whole(np.arange(rows))
    centres = centres_of([points], k, rng, sample=sample, memory_mb=16)
    assert len(centres) <= min(k, len(np.unique(whole, axis=0)))
    members = assigned(points, centres, 0.001)
    assert np.array_equal(members, squared(whole, centres).argmin(axis=1))
    if rows <= sample:
        for cluster in np.unique(members):
            assert np.array_equal(centres[cluster], np.rint(whole[members == cluster].mean(axis=0)))


def test_plain_clusters_are_found():
    values, of = blobs(400)
    points, labelled = together(values[:300], values[300:])
    assert labelled is not None
    centres = centres_of([points, labelled], 4, np.random.default_rng(1), sample=200, memory_mb=16)
    for made, true in ((assigned(points, centres, 16), of[:300]), (assigned(labelled, centres, 16), of[300:])):
        assert len({(int(a), int(b)) for a, b in zip(made, true, strict=True)}) == 4


def test_a_point_between_two_centres_goes_to_the_lower_one():
    centres = np.array([[4.0], [0.0], [4.0]])
    assert nearest_centre(np.array([[2.0], [3.0], [1.0]]), centres, 16).tolist() == [0, 0, 1]


def naive_typical(values, members, labelled, count, neighbours):
    """By loops: fewest labels, largest, lowest cluster; in it the smallest mean distance to its nearest, lowest row."""
    labels = {cluster: list(labelled).count(cluster) for cluster in set(members)}
    sizes = {cluster: list(members).count(cluster) for cluster in set(members)}
    left = {cluster: [row for row in range(len(values)) if members[row] == cluster] for cluster in set(members)}
    every = {cluster: list(rows) for cluster, rows in left.items()}
    picks: list[int] = []
    while len(picks) < min(count, len(values)):
        cluster = min((c for c in left if left[c]), key=lambda c: (labels[c], -sizes[c], c))

        def mean_distance(row, cluster=cluster):
            squares = sorted(
                int(((values[row] - values[other]) ** 2).sum()) for other in every[cluster] if other != row
            )
            near = np.sqrt(np.array([0, *squares[:neighbours]], dtype=float))
            return near.sum() / max(len(near) - 1, 1)

        picks.append(min(left[cluster], key=lambda row: (mean_distance(row), row)))
        left[cluster].remove(picks[-1])
        labels[cluster] += 1
    return picks


@given(
    seed=st.integers(0, 2**31), rows=st.integers(1, 40), clusters=st.integers(1, 6), count=st.integers(1, 40),
    neighbours=st.integers(1, 5),
)  # fmt: skip
@settings(max_examples=examples(60))
def test_typical_picks_are_the_definition_s(seed, rows, clusters, count, neighbours):
    rng = np.random.default_rng(seed)
    values = rng.integers(-4, 5, size=(rows, 2)).astype(np.float32)
    members, labelled = rng.integers(0, clusters, rows), rng.integers(0, clusters, 3)
    points, _ = together(values, None)
    found = typical(
        points, members, labelled, count, neighbours=neighbours, limit=1000, rng=rng, memory_mb=0.001, watch=unwatched
    )
    assert [row for row, _, _ in found] == naive_typical(values, members.tolist(), labelled.tolist(), count, neighbours)


def test_typicality_among_a_sample_counts_only_others():
    """With a limit of 2 of 3 points, one is measured to both others and two to one other each."""
    points, _ = together(np.array([[0.0], [1.0], [3.0]]), None)
    every = np.zeros(3, dtype=np.intp)
    for seed in range(6):
        found = typical(
            points, every, every[:0], 3, neighbours=1, limit=2, rng=np.random.default_rng(seed), memory_mb=16,
            watch=unwatched,
        )  # fmt: skip
        among = np.sort(np.random.default_rng(seed).choice(np.arange(3), 2, replace=False))
        expected = {
            row: 1 / min(abs(value - [0.0, 1, 3][other]) for other in among if other != row)
            for row, value in enumerate([0.0, 1, 3])
        }
        assert {row: value for row, _, value in found} == pytest.approx(expected)


def test_typiclust_takes_the_cluster_without_a_label_and_its_middle():
    values, of = blobs(400)
    labelled = np.array([[-20.0, 0], [20, 0], [0, 20]])
    picks = strategy("typiclust", {"unit": False}).select(
        Pool(ids=np.arange(400), embeddings=values, labelled=labelled), 1, np.random.default_rng(0)
    )
    assert of[picks[0].row] == 3
    assert np.linalg.norm(values[picks[0].row] - [0, -20]) < 1
    assert picks[0].terms["cluster_size"] == (of == 3).sum()


def naive_turns(members, count):
    queues = {cluster: [at for at, of in enumerate(members) if of == cluster] for cluster in set(members)}
    order = sorted(queues, key=lambda cluster: (len(queues[cluster]), cluster))
    picks: list[int] = []
    while any(queues.values()):
        picks += [queues[cluster].pop(0) for cluster in order if queues[cluster]]
    return picks[:count]


@given(members=st.lists(st.integers(0, 7), max_size=40), count=st.integers(0, 50))
def test_clusters_take_turns_the_smallest_first(members, count):
    assert in_turn(np.array(members, dtype=np.intp), count) == naive_turns(members, count)


def test_cluster_margin_picks_from_the_lowest_margins_of_every_cluster():
    values, of = blobs(400)
    rng = np.random.default_rng(0)
    best = rng.permutation(np.linspace(0.5, 1, 400))
    probabilities = np.stack([best, 1 - best], axis=1)
    pool = Pool(ids=np.arange(400), embeddings=values, probabilities=probabilities)
    picks = strategy("cluster_margin", {"unit": False, "clusters": 4}).select(pool, 8, rng)
    rows = [pick.row for pick in picks]
    assert (best[rows] <= np.sort(best)[79]).all()
    assert sorted(of[rows].tolist()) == [0, 0, 1, 1, 2, 2, 3, 3]
    for cluster in range(4):
        first = min((row for row in range(400) if of[row] == cluster), key=lambda row: best[row])
        assert first in rows


@pytest.mark.parametrize("name", ["typiclust", "cluster_margin"])
def test_neither_memory_nor_the_order_of_rows_changes_the_picks(name):
    rng = np.random.default_rng(3)
    embeddings, probabilities = rng.normal(size=(3000, 6)).astype(np.float32), rng.dirichlet(np.ones(3), size=3000)
    order = rng.permutation(3000)
    there = compose(
        Pool(ids=np.arange(3000), embeddings=embeddings, probabilities=probabilities), name, count=60, seed=1
    )
    back = compose(
        Pool(ids=order, embeddings=embeddings[order], probabilities=probabilities[order]), name, count=60, seed=1,
        params={"memory_mb": 16},
    )  # fmt: skip
    assert [(pick.id, pick.terms) for pick in there] == [(pick.id, pick.terms) for pick in back]
    assert len({pick.id for pick in there}) == 60
