"""Filters in the database find what plain Python finds, on boxes, attributes, keys, images and tags."""

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.datasets.catalog.test_filter_grammar import composed
from tests.datasets.conftest import change, changes
from tests.laws import examples

from accounts.models import User
from blobs.models import Blob
from catalog.filtering.documents import write_document
from catalog.filtering.expressions import All, AnyOf, Compare, Expression, Not, Objects, one_of
from catalog.filtering.filters import Filter
from catalog.filtering.printing import write_text
from catalog.models import Dataset, NearDuplicate, Sample
from catalog.versions.commit import commit
from catalog.versions.datasets import create_dataset, find_version

pytestmark = pytest.mark.both

BlobOf = Callable[[int], Blob]
KEYS = ["n/a.png", "n/B.png", "d/a.jpg", "d/[x].jpg", "ä_1%.png"]
SIZE = (28, 28)
NUMBERS = st.sampled_from([0, 1, 2, 4, 6.25, 9, 28, 784])
ORDERS = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])
ATTRIBUTES = st.dictionaries(st.sampled_from(["occluded", "level", "a.b"]),
                             st.booleans() | st.integers(0, 2) | st.sampled_from(["x", "1"]), max_size=2)  # fmt: skip
BOXES = st.fixed_dictionaries(
    {"class": st.sampled_from(["car", "bus"]), "box": st.sampled_from([[0, 0, 2, 2], [1, 1, 4, 4], [0, 3, 28, 4.5]]),
     "attributes": ATTRIBUTES}
)  # fmt: skip
POLYGON = {"class": "bus", "points": [[0, 0], [4, 0], [0, 3]]}
LABELS = st.none() | st.fixed_dictionaries(
    {"boxes": st.lists(BOXES, max_size=3)},
    optional={"polygons": st.just([POLYGON]), "ignore": st.just([{"box": [0, 0, 5, 5]}])},
)
METAS = st.fixed_dictionaries(
    {}, optional={"tags": st.lists(st.sampled_from(["a", "b c", 3]), max_size=2) | st.just("a"),
                  "time": st.sampled_from(["Night", "night", 3, None])}
)  # fmt: skip
OF_AN_OBJECT = composed(
    st.one_of(
        st.sampled_from(["car", "bus"]).map(lambda name: one_of(("class",), (name,), "")),
        st.builds(lambda name, how, value: Compare((name,), how, value),
                  st.sampled_from(["area", "share", "width", "height", "side", "aspect"]), ORDERS, NUMBERS),
        st.builds(lambda name, how, value: Compare(("attributes", name), how, value),
                  st.sampled_from(["occluded", "level", "a.b"]), st.sampled_from(["=", "!="]),
                  st.booleans() | st.integers(0, 2) | st.sampled_from(["x", "1"])),
        st.sampled_from(["level", "a.b"]).map(lambda name: Compare(("attributes", name), "exists", operand=True)),
    )
)  # fmt: skip
FILTERS = composed(
    st.one_of(
        st.builds(lambda how, text: Compare(("key",), how, text), st.sampled_from(["=", "!=", "prefix", "contains"]),
                  st.sampled_from(["n/", "n/a.png", "A", "_1%", "d/["])),
        st.builds(lambda text: Compare(("key",), "glob", text), st.sampled_from(["*.png", "n/?.png", "d/[x]*", "*%*"])),
        st.builds(lambda how, text: Compare(("meta", "time"), how, text), st.sampled_from(["prefix", "contains", "="]),
                  st.sampled_from(["n", "Night"])),
        st.sampled_from(["a", "b c", "3"]).map(lambda tag: Compare(("tag",), "=", tag)),
        st.builds(lambda name, how, value: Compare((name,), how, value), st.sampled_from(["width", "aspect"]), ORDERS,
                  NUMBERS),
        st.booleans().map(lambda yes: Compare(("labelled",), "=", yes)),
        st.booleans().map(lambda yes: Compare(("held_out",), "=", yes)),
        st.booleans().map(lambda yes: Compare(("near_duplicate",), "=", yes)),
        st.sampled_from(["train", "pool"]).map(lambda split: Compare(("split",), "=", split)),
        st.just(Compare(("class",), "=", "car")),
        st.just(Compare(("source",), "=", "import")),
        st.just(Compare(("author",), "=", "alice")),
        st.builds(Objects, st.sampled_from(["boxes", "polygons", "objects", "ignored"]), st.just(All()) | OF_AN_OBJECT,
                  ORDERS, st.integers(0, 3)),
    )
)  # fmt: skip
COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b, ">=": lambda a, b: a >= b, "prefix": lambda a, b: a.startswith(b),
    "contains": lambda a, b: b.lower() in a.lower(),
    "glob": lambda a, b: fnmatchcase(a, b.replace("[", "[[]")),
}  # fmt: skip


def kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "text" if isinstance(value, str) else "number" if isinstance(value, int | float) else "other"


def known(value: Any, term: Compare) -> bool:
    """A comparison with a value of the operand's own kind."""
    if term.operator == "exists":
        return value is not None
    return kind(value) == kind(term.operand) and COMPARE[term.operator](value, term.operand)


def holds(expression: Expression, leaf: Callable[[Any], bool]) -> bool:
    match expression:
        case All(parts):
            return all(holds(part, leaf) for part in parts)
        case AnyOf(parts):
            return any(holds(part, leaf) for part in parts)
        case Not(part):
            return not holds(part, leaf)
    return leaf(expression)


def of_object(one: Mapping[str, Any]) -> Callable[[Compare], bool]:
    if "points" in one:
        xs, ys = zip(*one["points"], strict=True)
        width, height, area = max(xs) - min(xs), max(ys) - min(ys), 6.0
    else:
        x1, y1, x2, y2 = one["box"]
        width, height, area = x2 - x1, y2 - y1, (x2 - x1) * (y2 - y1)
    facts = {"width": width, "height": height, "area": area, "side": min(width, height), "aspect": width / height,
             "share": area / (SIZE[0] * SIZE[1])}  # fmt: skip

    def leaf(term: Compare) -> bool:
        if term.path == ("class",):
            return one.get("class") in (term.operand if isinstance(term.operand, tuple) else (term.operand,))
        if term.path[0] == "attributes":
            return known(one.get("attributes", {}).get(term.path[1]), term)
        return COMPARE[term.operator](facts[term.path[0]], term.operand)

    return leaf


def of_sample(key: str, label: Any, meta: Mapping[str, Any], split: str, *, like: bool | None) -> Callable[[Any], bool]:
    def leaf(term: Any) -> bool:
        if isinstance(term, Objects):
            if label is None:
                return False
            boxes, polygons = label["boxes"], label.get("polygons", [])
            kinds = {"boxes": boxes, "polygons": polygons, "objects": [*boxes, *polygons],
                     "ignored": label.get("ignore", [])}  # fmt: skip
            fit = sum(holds(term.where, of_object(one)) for one in kinds[term.kind])
            return COMPARE[term.operator](fit, term.count)
        tags = meta.get("tags")
        values = {
            "labelled": (label is not None) is term.operand,
            "split": split == term.operand,
            "source": label is not None, "author": label is not None,
            "class": label is not None and any(one["class"] == "car" for one in label["boxes"]),
            "tag": isinstance(tags, list) and term.operand in tags,
            "near_duplicate": (like is not None) is term.operand,
            "held_out": (like is False and split == "pool") is term.operand,
        }  # fmt: skip
        if term.path[0] in values:
            return bool(values[term.path[0]])
        if term.path[0] == "meta":
            return known(meta.get(term.path[1]), term)
        facts: dict[str, Any] = {"key": key, "width": SIZE[0], "aspect": 1.0}
        return COMPARE[term.operator](facts[term.path[0]], term.operand)

    return leaf


@settings(max_examples=examples(60))
@given(st.lists(st.tuples(LABELS, METAS, st.sampled_from(["train", "pool"]), st.sampled_from([None, True, False])),
                min_size=1, max_size=5), st.lists(FILTERS, min_size=1, max_size=8))  # fmt: skip
def test_the_database_finds_what_plain_python_finds(
    alice: User, blob_of: BlobOf, told: list[Any], filters: list[Expression]
) -> None:
    dataset = create_dataset(
        f"boxes{Dataset.objects.count()}", author=alice, task="detection", classes=["car", "bus"], description=""
    )
    rows = [change("test", blob_of(9), split="test")]
    rows += [
        change(key, blob_of(at), label=label, meta=meta, split=split, author_id=alice.pk)
        for at, (key, (label, meta, split, _)) in enumerate(zip(KEYS, told, strict=False))
    ]
    commit(dataset, changes(*rows), author=alice)
    shown = Sample.objects.get(dataset=dataset, key="test")
    for sample in Sample.objects.filter(dataset=dataset).exclude(pk=shown.pk):
        if (like := told[KEYS.index(sample.key)][3]) is not None:
            NearDuplicate.objects.create(
                dataset=dataset, sample=sample, of=shown, distance=0, found_by="pixels", allowed=like, since=1
            )
    head = find_version(dataset, "head")
    splits = dict(head.revisions.values_list("sample__key", "split"))
    for wanted in filters:
        expected = {
            key for key, (label, meta, _, like) in zip(KEYS, told, strict=False)
            if holds(wanted, of_sample(key, label, meta, splits[key], like=like))
        }  # fmt: skip
        for form in (write_document(wanted), write_text(wanted)):
            rows_found = Filter.of(form, dataset).apply(head.revisions)
            listed = set(rows_found.values_list("sample__key", flat=True)) - {"test"}
            assert listed == expected, write_text(wanted)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("meta.time != night", {"Night"}),
        ("not meta.time = night", {"Night", "3", "none"}),
        ("meta.time != 4", {"3"}),
        ("boxes(attributes.level != 1) >= 1", {"3"}),
        ("boxes(not attributes.level = 1) >= 1", {"3", "night"}),
    ],
)
def test_other_than_a_value_is_what_has_another_value_of_its_kind(
    alice: User, blob_of: BlobOf, asked: str, found: set[str]
) -> None:
    dataset = create_dataset("boxes", author=alice, task="detection", classes=["car"], description="")
    metas: dict[str, dict[str, Any]] = {
        "Night": {"time": "Night"},
        "night": {"time": "night"},
        "3": {"time": 3},
        "none": {},
    }
    carried: dict[str, dict[str, Any]] = {"Night": {"level": 1}, "night": {}, "3": {"level": 2}}
    labels = {
        key: {"boxes": [{"class": "car", "box": [0, 0, 2, 2], "attributes": more}]} for key, more in carried.items()
    }
    rows = [
        change(key, blob_of(at), label=labels.get(key), meta=meta, author_id=alice.pk)
        for at, (key, meta) in enumerate(metas.items())
    ]
    commit(dataset, changes(*rows), author=alice)
    passing = Filter.of(asked, dataset).apply(find_version(dataset, "head").revisions)
    assert {*passing.values_list("sample__key", flat=True)} == found
