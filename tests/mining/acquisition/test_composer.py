"""Whatever is asked for, the rules hold, and the batch is that of a composer which looks at one candidate at a time."""

import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import FULL, examples

from acquisition import Pool, compose, composition, names, strategy
from acquisition.ties import draws
from worker_programs.config import ConfigError

CLASSES = ["car", "cat", "dog"]
TIMES = 1500 if FULL else 500
"""Draws of the control arm that are counted."""
NAMES = ["margin", "random", "k_center", "badge", "max_herding", "uherding", "typiclust", "probcover", "cluster_margin"]


def pool_of(seed: int, rows: int, *, coarse: bool = True, labelled: int = 3) -> Pool:
    """Candidates with every field; coarse numbers make ties and conflicts common."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(3), size=rows)
    p = np.round(p, 1) + 0.01 if coarse else p
    return Pool(
        ids=rng.permutation(10 * rows)[:rows],
        probabilities=p / p.sum(axis=1, keepdims=True),
        embeddings=rng.integers(-2, 3, size=(rows, 3)).astype(np.float32),
        groups=rng.choice(["", "a", "b"], size=rows),
        times=rng.integers(0, 40, size=rows).astype(float),
        sources=rng.choice(["front", "rear"], size=rows),
        costs=rng.integers(0, 4, size=rows).astype(float),
        slices={"night": rng.random(rows) < 0.4, "rain": rng.random(rows) < 0.3},
        labelled=rng.integers(-2, 3, size=(labelled, 3)).astype(np.float32),
        labelled_groups=rng.choice(["", "a", "b"], size=labelled),
        labelled_times=rng.integers(0, 40, size=labelled).astype(float),
        classes=CLASSES,
    )


bounds = st.fixed_dictionaries(
    {},
    optional={"min": st.integers(0, 4), "max_share": st.sampled_from([0, 0.2, 0.34, 0.5, 1])},
).filter(bool)
named = st.one_of(
    st.fixed_dictionaries({"class": st.sampled_from(CLASSES)}),
    st.fixed_dictionaries({"slice": st.sampled_from(["night", "rain"])}),
    st.fixed_dictionaries({"source": st.sampled_from(["front", "rear", "none"])}),
)
quotas = st.lists(st.builds(lambda name, bound: name | bound, named, bounds), max_size=4)
PREFERENCES: list[dict[str, Any]] = [
    {"name": "class_weight", "weights": {"cat": 3, "dog": 0.5}, "strength": 2.0},
    {"name": "slice_weight", "weights": {"night": 4}},
    {"name": "uncertainty", "strength": 0.5},
    {"name": "novelty"},
    {"name": "typicality", "strength": 1.5},
]
documents = st.fixed_dictionaries(
    {},
    optional={
        "quotas": quotas,
        "gap": st.fixed_dictionaries(
            {"seconds": st.sampled_from([1, 3, 8]), "group": st.just("drive"), "time": st.just("t")}
        ),
        "distance": st.fixed_dictionaries(
            {"cosine": st.sampled_from([0.01, 0.2, 1.0])},
            optional={"to": st.sampled_from([["labelled"], ["batch"], ["labelled", "batch"]])},
        ),
        "budget": st.sampled_from([0.5, 3, 9, 30]),
        "objectives": st.lists(
            st.sampled_from(PREFERENCES),
            max_size=3,
            unique_by=lambda one: str(one["name"]),
        ),
    },
).map(lambda document: document | {"source": "camera"})


def cosine_distance(a, b) -> float:
    size = np.sqrt((a * a).sum()) * np.sqrt((b * b).sum())
    return 1 - float(a @ b) / size if size else 1.0


def facts(pool: Any) -> list[SimpleNamespace]:
    """Each candidate by itself, in the order of the pool."""
    rows = []
    for row in range(len(pool.ids)):
        p = pool.probabilities[row]
        tags = {("class", CLASSES[int(p.argmax())]), ("source", str(pool.sources[row]))}
        tags |= {("slice", name) for name, inside in pool.slices.items() if inside[row]}
        rows.append(
            SimpleNamespace(
                id=int(pool.ids[row]), p=p.astype(float), point=pool.embeddings[row].astype(float), tags=tags,
                group=str(pool.groups[row]), time=float(pool.times[row]), cost=float(pool.costs[row]),
            )
        )  # fmt: skip
    return rows


def labelled_facts(pool: Any) -> list[SimpleNamespace]:
    return [
        SimpleNamespace(point=point.astype(float), group=str(group), time=float(time))
        for point, group, time in zip(pool.labelled, pool.labelled_groups, pool.labelled_times, strict=True)
    ]


class Naive:
    """The composer's definition, one candidate at a time."""

    def __init__(self, pool: Pool, document: dict[str, Any], count: int) -> None:
        self.rows, self.labelled, self.document = facts(pool), labelled_facts(pool), document
        self.count = min(count, len(self.rows))
        self.quotas = [(next((kind, quota[kind]) for kind in ("class", "slice", "source") if kind in quota), quota)
                       for quota in document.get("quotas", [])]  # fmt: skip
        self.batch: list[SimpleNamespace] = []

    def low(self, quota) -> int:
        return int(quota.get("min", 0))

    def high(self, quota) -> int:
        return int(round(quota.get("max_share", 1) * self.count, 6))

    def held(self, tag) -> int:
        return sum(tag in row.tags for row in self.batch)

    def too_near(self, row, other, side) -> bool:
        gap, distance = self.document.get("gap"), self.document.get("distance")
        if gap and row.group and row.group == other.group and abs(row.time - other.time) < gap["seconds"]:
            return True
        if not distance or side not in distance.get("to", ["labelled", "batch"]):
            return False
        return bool(cosine_distance(row.point, other.point) < distance["cosine"])

    def alone(self, row) -> bool:
        if any(self.too_near(row, other, "labelled") for other in self.labelled):
            return False
        if any(tag in row.tags and self.high(quota) == 0 for tag, quota in self.quotas):
            return False
        return "budget" not in self.document or row.cost <= self.document["budget"]

    def allows(self, row) -> bool:
        if any(tag in row.tags and self.held(tag) >= self.high(quota) for tag, quota in self.quotas):
            return False
        if "budget" in self.document and sum(r.cost for r in self.batch) + row.cost > self.document["budget"]:
            return False
        return not any(self.too_near(row, other, "batch") for other in self.batch)

    def wanted(self, row) -> bool:
        return any(tag in row.tags and self.held(tag) < self.low(quota) for tag, quota in self.quotas)

    def short(self) -> bool:
        return any(self.held(tag) < self.low(quota) for tag, quota in self.quotas)

    def score(self, row) -> float:
        top = sorted(row.p)
        factors = [self.factor(row, objective) for objective in self.document.get("objectives", [])]
        return float(1 - (top[-1] - top[-2])) * float(np.prod(factors))

    def factor(self, row, objective) -> float:
        weights = objective.get("weights", {})
        reference = [other.point for other in self.rows]
        value = {
            "class_weight": lambda: sum(p * weights.get(name, 1) for p, name in zip(row.p, CLASSES, strict=True)),
            "slice_weight": lambda: np.prod([w for name, w in weights.items() if ("slice", name) in row.tags]),
            "uncertainty": lambda: -sum(p * np.log(p) for p in row.p) / np.log(3),
            "novelty": lambda: min(1.0, max(0.0, min(cosine_distance(row.point, x.point) for x in self.labelled))),
            "typicality": lambda: 1 / (1 + np.mean(sorted(unit_distance(row.point, x) for x in reference)[:21])),
        }[objective["name"]]()
        return float(value ** objective.get("strength", 1.0))

    def compose(self, ranked: list[int]) -> list[int]:
        """Ids in the order of the picks, of a ranking of ids."""
        by_id = {row.id: row for row in self.rows}
        order = [by_id[id_] for id_ in ranked if self.alone(by_id[id_])]
        for quotas_first in (True, False):
            for row in order:
                if len(self.batch) == self.count or (quotas_first and not self.short()):
                    break
                if row not in self.batch and self.allows(row) and (not quotas_first or self.wanted(row)):
                    self.batch.append(row)
        return [row.id for row in self.batch]


def unit_distance(a, b) -> float:
    unit = [x / (np.sqrt((x * x).sum()) or 1) for x in (a, b)]
    return float(np.sqrt(((unit[0] - unit[1]) ** 2).sum()))


@given(seed=st.integers(0, 2**31), rows=st.integers(1, 30), count=st.integers(1, 30), document=documents)
@settings(max_examples=examples(150))
def test_a_batch_is_that_of_the_naive_composer(seed, rows, count, document):
    pool = pool_of(seed, rows)
    naive = Naive(pool, document, count)
    preferences = composition({"objectives": document.get("objectives", [])})
    ranked = compose(pool, "margin", count=rows, seed=0, composition=preferences)
    by_id = {row.id: row for row in naive.rows}
    for pick in ranked:
        assert pick.score == pytest.approx(naive.score(by_id[pick.id]), rel=1e-4, abs=1e-6)
    drawn = dict(zip(pool.ids.tolist(), draws(pool.ids, 0).tolist(), strict=True))
    assert list(ranked) == sorted(ranked, key=lambda pick: (-(pick.score or 0.0), drawn[pick.id]))

    batch = compose(pool, "margin", count=count, seed=0, composition=composition(document, classes=CLASSES))
    assert naive.compose([pick.id for pick in ranked]) == [pick.id for pick in batch]


@given(
    seed=st.integers(0, 2**31), rows=st.integers(1, 40), count=st.integers(1, 30), document=documents,
    control=st.sampled_from([0, 0.1, 0.5]), name=st.sampled_from(NAMES),
)  # fmt: skip
@settings(max_examples=examples(150))
def test_the_rules_always_hold(seed, rows, count, document, control, name):
    pool = pool_of(seed, rows)
    batch = compose(
        pool, name, count=count, seed=seed, control=control, composition=composition(document, classes=CLASSES)
    )
    naive = Naive(pool, document, count)
    by_id = {row.id: row for row in naive.rows}
    naive.batch = [by_id[pick.id] for pick in batch if pick.control]
    assert all(naive.alone(by_id[pick.id]) for pick in batch)
    for pick in batch:
        if not pick.control:
            assert naive.allows(by_id[pick.id])
            naive.batch.append(by_id[pick.id])
    # Nothing more could have joined, and each quota got its least number or is reported.
    assert len(batch) == naive.count or not [
        row for row in naive.rows if row not in naive.batch and naive.alone(row) and naive.allows(row)
    ]
    reported = {(*item["quota"].items(),)[0]: item["picked"] for item in batch.unmet}
    missed = {tag: naive.held(tag) for tag, quota in naive.quotas if naive.held(tag) < naive.low(quota)}
    assert reported == missed
    assert batch.candidates == sum(naive.alone(row) for row in naive.rows)
    assert len(batch) + sum(batch.kept_out.values()) <= rows
    if "budget" in document:
        assert sum(row.cost for row in naive.batch) == pytest.approx(batch.spent)
        assert sum(row.cost for row in naive.batch) <= document["budget"] + 1e-6


@given(
    seed=st.integers(0, 2**31), rows=st.integers(1, 40), count=st.integers(1, 20), document=documents,
    name=st.sampled_from(["margin", "k_center", "random"]),
)  # fmt: skip
@settings(max_examples=examples(60))
def test_explanations_add_up_and_rows_in_another_order_change_nothing(seed, rows, count, document, name):
    pool, made = pool_of(seed, rows), composition(document, classes=CLASSES)
    batch = compose(pool, name, count=count, seed=seed, control=0.2, composition=made)
    assert compose(pool.take(np.random.default_rng(seed).permutation(rows)), name, count=count, seed=seed, control=0.2,
                   composition=made) == batch  # fmt: skip
    picked = {pick.id for pick in batch}
    for pick in batch:
        why = pick.explanation
        if why["product"] is not None:
            assert np.prod([term["contribution"] for term in why["terms"]]) == pytest.approx(why["product"])
        if pick.score is not None and why["terms"]:
            assert pick.score == pytest.approx(why["product"])
        assert all(1 <= term["rank"] <= term["of"] <= rows for term in why["terms"])
        if why["displaced"]:
            assert why["displaced"]["id"] not in picked


def asked_again(pool: Pool, document: dict[str, Any], count: int, name: str, seed: int) -> list[int]:
    """Ids of the picks of a strategy that picks in sequence, by the definition: its picks of what may still join are
    walked, then it is asked again, with the batch so far among the labelled."""
    pool, chosen, rng = pool.in_order(seed), strategy(name), np.random.default_rng(seed)
    naive = Naive(pool, document, count)
    assert pool.embeddings is not None
    assert pool.labelled is not None
    rng.permutation(sum(naive.alone(row) for row in naive.rows))  # the draw of a control arm of none
    for quotas_first in (True, False):
        while len(naive.batch) < naive.count and (naive.short() or not quotas_first):
            rest = [at for at, row in enumerate(naive.rows) if row not in naive.batch and naive.alone(row)
                    and naive.allows(row) and (naive.wanted(row) or not quotas_first)]  # fmt: skip
            if not rest:
                break
            missing = sum(max(0, naive.low(quota) - naive.held(tag)) for tag, quota in naive.quotas)
            want = min(naive.count - len(naive.batch), missing if quotas_first else naive.count)
            picked = [at for row in naive.batch for at, other in enumerate(naive.rows) if other is row]
            labelled = np.concatenate([pool.labelled, pool.embeddings[picked]])
            left = replace(pool.take(np.array(rest)), labelled=labelled, labelled_groups=None, labelled_times=None)
            for choice in chosen.select(left, want, rng):
                row = naive.rows[rest[choice.row]]
                full = len(naive.batch) == naive.count or (quotas_first and not naive.short())
                if not full and naive.allows(row) and (naive.wanted(row) or not quotas_first):
                    naive.batch.append(row)
    return [row.id for row in naive.batch]


@given(
    seed=st.integers(0, 2**31), rows=st.integers(1, 25), count=st.integers(1, 20),
    document=documents.map(lambda document: document | {"objectives": []}),
    name=st.sampled_from(["k_center", "random", "badge"]),
)  # fmt: skip
@settings(max_examples=examples(100))
def test_a_strategy_that_picks_in_sequence_is_asked_again(seed, rows, count, document, name):
    pool = pool_of(seed, rows)
    batch = compose(pool, name, count=count, seed=seed, composition=composition(document, classes=CLASSES))
    assert [pick.id for pick in batch] == asked_again(pool, document, count, name, seed)


def test_scores_that_differ_by_rounding_alone_have_a_histogram():
    p = np.array([[0.4, 0.6], [np.nextafter(0.4, 1), 0.6], [0.4, np.nextafter(0.6, 1)]])
    batch = compose(Pool(ids=np.arange(3), probabilities=p), "margin", count=1, seed=0)
    assert batch.histogram is not None
    assert sum(batch.histogram["counts"]) == 3


@pytest.mark.parametrize("name", ["k_center", "random"])
def test_without_rules_a_strategy_that_picks_in_sequence_is_left_as_it_is(name):
    pool = pool_of(5, 40)
    free = compose(pool, name, count=12, seed=3)
    loose = {"quotas": [{"class": "cat", "max": 40}], "gap": {"seconds": 1e-9, "group": "g", "time": "t"}}
    bound = compose(pool, name, count=12, seed=3, composition=composition(loose, classes=CLASSES))
    assert [(pick.id, pick.score) for pick in free] == [(pick.id, pick.score) for pick in bound]


def test_what_a_quota_cannot_get_is_said_with_the_reason():
    p = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.2, 0.8]])
    pool = Pool(ids=np.arange(4), probabilities=p, groups=np.array(["a"] * 4), times=np.array([0.0, 1, 2, 9]),
                classes=["cat", "dog"])  # fmt: skip
    gap = {"seconds": 5, "group": "drive", "time": "t"}
    asked = {"quotas": [{"class": "cat", "min": 2}, {"class": "dog", "min_share": 0.5}], "gap": gap}
    batch = compose(pool, "margin", count=4, seed=0, composition=composition(asked))
    assert [pick.id for pick in batch] == [2, 3]
    assert batch.unmet == [
        {"quota": {"class": "cat"}, "min": 2, "picked": 1,
         "reason": "it holds only 3 candidates; kept out: 2 too near in time to another pick"},
        {"quota": {"class": "dog"}, "min": 2, "picked": 1, "reason": "it holds only 1 candidate"},
    ]  # fmt: skip
    assert batch[0].explanation["quota"] == {"class": "cat", "min": 2, "place": 1}
    assert batch[0].explanation["displaced"] == {
        "id": 1, "score": pytest.approx(0.4), "reason": "1 s from it in the same drive; at least 5 s are wanted",
    }  # fmt: skip


def test_a_quota_takes_the_place_of_what_scores_higher():
    p = np.array([[0.5, 0.5], [0.55, 0.45], [0.1, 0.9]])
    pool = Pool(ids=np.arange(3), probabilities=p, classes=["cat", "dog"])
    asked = composition({"quotas": [{"class": "dog", "min": 1}]})
    batch = compose(pool, "margin", count=2, seed=0, composition=asked)
    assert [pick.id for pick in batch] == [2, 0]
    assert batch[0].explanation["displaced"] == {
        "id": 1, "score": pytest.approx(0.9), "reason": "it scores higher, but at least 1 of class dog were asked for",
    }  # fmt: skip
    assert batch[1].explanation["displaced"]["reason"] == "it was next in the ranking when the batch was full"


def test_the_control_arm_is_a_fair_sample_of_what_the_rules_leave():
    pool = pool_of(11, 60)
    asked = {
        "quotas": [{"class": "cat", "max": 0}, {"class": "dog", "max": 4}],
        "distance": {"cosine": 0.05},
        "budget": 20,
    }
    naive = Naive(pool, asked | {"quotas": [{"class": "cat", "max_share": 0}]}, 20)
    allowed = {row.id for row in naive.rows if naive.alone(row)}
    hits = dict.fromkeys(allowed, 0)
    sizes = set()
    for seed in range(TIMES):
        batch = compose(pool, "margin", count=20, seed=seed, control=0.2, composition=composition(asked))
        drawn = [pick for pick in batch if pick.control]
        sizes.add(len(drawn))
        for pick in drawn:
            assert pick.probability == pytest.approx(len(drawn) / len(allowed))
            hits[pick.id] += 1
    assert len(sizes) == 1
    chance = sizes.pop() / len(allowed)
    spread = np.sqrt(TIMES * chance * (1 - chance))
    assert chance > 0
    assert max(abs(count - TIMES * chance) for count in hits.values()) < 6 * spread


def test_a_uniform_strategy_bent_by_rules_states_no_probability():
    pool = pool_of(3, 30)
    asked = composition({"quotas": [{"class": "cat", "max": 1}]})
    batch = compose(pool, "random", count=8, seed=0, control=0.25, composition=asked)
    assert {pick.probability for pick in batch if not pick.control} == {None}
    assert {pick.probability for pick in batch if pick.control} == {2 / batch.candidates}


def test_what_the_howto_shows_can_be_composed():
    page = (Path(__file__).resolve().parents[3] / "docs" / "howto" / "composing-batches.md").read_text()
    bodies = [json.loads(body) for body in re.findall(r"-d '(.*?)'\n", page, re.DOTALL)]
    shown = [composition(body["compose"]) for body in bodies if "compose" in body]
    assert len(shown) == 1
    assert len(shown[0].quotas) == 3
    assert shown[0].gap is not None
    assert shown[0].needs == {"probabilities", "embeddings"}
    assert all(strategy(body["strategy"]).name in names() for body in bodies if "strategy" in body)


@pytest.mark.parametrize(
    ("document", "field"),
    [
        ({"quotas": [{"min": 1}]}, "compose.quotas.0"),
        ({"quotas": [{"class": "cat"}]}, "compose.quotas.0"),
        ({"quotas": [{"class": "cow", "min": 1}]}, "compose.quotas.0.class"),
        ({"quotas": [{"class": "cat", "min": 3, "max": 1}]}, "compose.quotas.0"),
        ({"quotas": [{"source": "front", "min": 1}]}, "compose.source"),
        ({"gap": {"seconds": 0, "group": "g", "time": "t"}}, "compose.gap.seconds"),
        ({"gap": {"seconds": 1, "group": "g"}}, "compose.gap.time"),
        ({"distance": {"cosine": 3}}, "compose.distance.cosine"),
        ({"distance": {"cosine": 0.1, "to": []}}, "compose.distance.to"),
        ({"budget": 0}, "compose.budget"),
        ({"objectives": [{"name": "luck"}]}, "compose.objectives.0"),
        ({"objectives": [{"name": "novelty"}, {"name": "novelty"}]}, "compose.objectives.1.name"),
        ({"objectives": [{"name": "class_weight", "weights": {"cow": 1}}]}, "compose.objectives.0.weights"),
        ({"colour": "red"}, "compose.colour"),
    ],
)
def test_a_faulty_composition_is_refused_by_field(document, field):
    with pytest.raises(ConfigError) as refused:
        composition(document, classes=CLASSES)
    assert list(refused.value.errors) == [field]
