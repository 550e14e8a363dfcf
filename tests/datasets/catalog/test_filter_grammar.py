"""The grammar of filters: its text and its JSON form say the same, and each fault is told with its place."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.filtering.documents import read_document, write_document
from catalog.filtering.expressions import (
    OBJECT_FIELDS,
    All,
    AnyOf,
    Compare,
    Expression,
    Not,
    Objects,
    Prediction,
    all_of,
    any_of,
    negated,
    one_of,
)
from catalog.filtering.faults import Faults
from catalog.filtering.printing import write_text
from catalog.filtering.text import read_text
from core.errors import Invalid

WORDS = st.sampled_from(["cat", "3", "1e5", "true", "and", "in", "a b", 'a"b', "a'b", "\\", "ä", "n/*.png", "x=y", "("])
NAMES = st.sampled_from(["x", "time", "a b", "0", "and", "camera-id", "ä", "a:b"])
NUMBERS = st.integers(-(2**53), 2**53) | st.floats(
    allow_nan=False, allow_infinity=False, min_value=-1e15, max_value=1e15
)
PATHS = st.lists(NAMES, min_size=1, max_size=3).map(tuple)
ORDERS = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])
SCALARS = WORDS | NUMBERS | st.booleans()


def choice(name: str, values: Any) -> Any:
    return st.lists(values, min_size=1, max_size=3).map(lambda found: one_of((name,), tuple(found), ""))


def nested(name: str, paths: Any) -> Any:
    return st.one_of(
        st.builds(lambda path, how, value: Compare((name, *path), how, value), paths, ORDERS, WORDS | NUMBERS),
        st.builds(lambda path, value: Compare((name, *path), "=", value), paths, SCALARS),
        st.builds(lambda path, values: one_of((name, *path), tuple(values), ""), paths,
                  st.lists(SCALARS, min_size=1, max_size=3)),
        st.builds(lambda path, how, value: Compare((name, *path), how, value), paths,
                  st.sampled_from(["prefix", "glob", "contains"]), WORDS),
        st.builds(lambda path: Compare((name, *path), "exists", operand=True), paths),
    )  # fmt: skip


def number(name: str) -> Any:
    return st.builds(lambda how, value: Compare((name,), how, value), ORDERS, NUMBERS)


def composed(terms: Any) -> Any:
    parts = st.deferred(lambda: terms | group)
    group = st.one_of(
        st.lists(parts, min_size=2, max_size=3).map(all_of),
        st.lists(parts, min_size=2, max_size=3).map(any_of),
        parts.map(negated),
    )
    return parts


OF_OBJECTS = composed(
    choice("class", WORDS) | nested("attributes", NAMES.map(lambda name: (name + ".x",)))
    | st.one_of(*(number(name) for name, field in OBJECT_FIELDS.items() if field.kind == "number"))
)  # fmt: skip
TERMS = st.one_of(
    choice("split", st.sampled_from(["train", "test"])),
    choice("class", WORDS),
    choice("tag", WORDS),
    choice("slice", WORDS),
    choice("samples", st.integers(1, 10**9)),
    st.booleans().map(lambda yes: Compare(("labelled",), "=", yes)),
    st.booleans().map(lambda yes: Compare(("held_out",), "=", yes)),
    st.builds(lambda how, word: Compare(("key",), how, word), st.sampled_from(["=", "!=", "prefix", "glob"]), WORDS),
    number("width"),
    number("aspect"),
    nested("meta", PATHS),
    st.builds(lambda kind, where, how, n: Objects(kind, where, how, n),
              st.sampled_from(["boxes", "polygons", "objects", "ignored"]), st.just(All()) | OF_OBJECTS, ORDERS,
              st.integers(0, 20)),
    st.builds(lambda model, named, bounds, correct: Prediction(model, named, tuple(bounds.items()), correct=correct),
              WORDS, st.lists(WORDS, min_size=1, max_size=2).map(tuple),
              st.dictionaries(st.sampled_from(["<", ">="]), NUMBERS, max_size=2), st.none() | st.booleans()),
)  # fmt: skip


@given(composed(TERMS))
def test_what_is_printed_reads_as_the_same_in_both_forms(expression: Expression) -> None:
    text = write_text(expression)
    assert read_text(text, Faults()) == expression
    assert read_document(write_document(expression), Faults()) == expression
    assert write_text(read_text(text, Faults())) == text


@given(st.text(max_size=60))
def test_any_text_is_a_filter_or_a_fault_with_its_place(text: str) -> None:
    fault: Invalid | None = None
    try:
        read_text(text, Faults())
    except Invalid as error:
        fault = error
    assert fault is None or fault.code == "filter_malformed"
    assert fault is None or 0 <= int(str(fault.extra["position"])) <= len(text)


@pytest.mark.parametrize(
    ("text", "document"),
    [
        ("split = train", {"split": "train"}),
        ("split = train and (class = car or boxes >= 10) and not meta.weather = rain",
         {"split": "train", "any": [{"class": "car"}, {"boxes": {"count": {">=": 10}}}],
          "not": {"meta": {"weather": "rain"}}}),
        ("not labelled", {"labelled": False}),
        ("meta.speed > 30 and meta.speed <= 90", {"meta": {"speed": {">": 30, "<=": 90}}}),
        ("not meta.gps exists", {"meta": {"gps": {"exists": False}}}),
        ('meta.code = "7"', {"meta": {"code": "7"}}),
        ("key contains cam", {"q": "cam"}),
        ("class in (car, bus)", {"class": ["car", "bus"]}),
        ("boxes(class = car and area < 1024 and attributes.occluded = true)",
         {"boxes": {"where": {"class": "car", "area": {"<": 1024}, "attributes": {"occluded": True}}}}),
        ("prediction(model = signs@production, class = cyclist, confidence < 0.4)",
         {"prediction": {"model": "signs@production", "class": "cyclist", "confidence": {"<": 0.4}}}),
        ("prediction(model = m@1, correct = false)", {"prediction": {"model": "m@1", "correct": False}}),
    ],
)  # fmt: skip
def test_the_two_forms_of_a_filter(text: str, document: dict[str, Any]) -> None:
    expression = read_document(document, Faults())
    assert write_text(expression) == text
    assert read_text(text, Faults()) == expression


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("class != car", "not class = car"),
        ("class not in (car, bus)", "not class in (car, bus)"),
        ("SPLIT = train", None),
        ("split == train AND labelled = false", "split = train and not labelled"),
        ("not (not labelled)", "labelled"),
        ("tag = 'lens flare'", 'tag = "lens flare"'),
        ("a or", None),
        ("boxes", "boxes"),
        ("boxes()", None),
    ],
)
def test_other_ways_to_write_it(text: str, same: str | None) -> None:
    if same is None:
        with pytest.raises(Invalid):
            read_text(text, Faults())
    else:
        assert write_text(read_text(text, Faults())) == same


@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("", 0, "expected a condition"),
        ("split = train and", 17, "expected a condition"),
        ("splt = train", 0, "did you mean split?"),
        ("label = cat", 0, "did you mean class?"),
        ("filename = a.png", 0, "did you mean key?"),
        ("split train", 6, "expected one of"),
        ("split = ", 8, "expected a value"),
        ("(split = train", 14, "expected `)`"),
        ("split = train labelled", 14, "expected `and`, `or` or the end"),
        ("meta = 3", 0, "name what is meant"),
        ("width > wide", 8, "expected a number"),
        ("boxes > many", 8, "expected a whole number"),
        ("boxes(area > 3", 14, "expected `)`"),
        ("boxes(split = train)", 6, "there is no field 'split'"),
        ('key = "a', 6, "never closed"),
        ("class in car", 9, "expected `(`"),
        ("key < a", 4, "can't be compared by <"),
        ("prediction(model = m@1)", 0, "needs a `model`"),
        ("(" * 80 + "labelled", 64, "nested"),
    ],
)
def test_a_fault_names_its_character_and_what_was_expected(text: str, position: int, words: str) -> None:
    with pytest.raises(Invalid) as caught:
        read_text(text, Faults())
    assert caught.value.extra["position"] == position
    assert words in caught.value.detail
    assert list(caught.value.errors) == ["filter"]


def test_nesting_that_says_nothing_goes() -> None:
    inner = Compare(("split",), "=", "train")
    assert all_of([All((inner,))]) == inner
    assert any_of([AnyOf((inner, inner)), inner]) == AnyOf((inner, inner, inner))
    assert negated(Not(inner)) == inner
