"""Figures of a plan by hand, where each comes from, and what is said of wrong input."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from planning import GROUPS, SETUP, Measured, MeasuredPace, PlanError, plan, read
from planning.quantities import TARGET_DAYS

FLEET = {"vehicles": 10, "terabytes_per_hour": 0.5, "hours_per_day": 4, "days": 100, "share_kept": 0.01}
MEASURED = Measured(
    {
        "scoring.images_per_second": MeasuredPace(500.0, "images a second", 3, "2026-11-01", "2026-11-20"),
        "labeling.labels_per_hour": MeasuredPace(400.0, "answers", 900, "2026-11-20", "2026-11-20"),
        "data.image_bytes": MeasuredPace(200_000.0, "bytes", 1000, "2026-11-01", "2026-11-02"),
    },
    {"small_cnn": MeasuredPace(1000.0, "images a second", 2, "2026-11-01", "2026-11-02")},
)


def values(made):
    return {figure.name: figure.value for figure in made.figures}


def test_a_fleet_is_counted_through_to_people_and_money():
    made = plan(
        read({
            "fleet": FLEET, "data": {"copies": 3, "image_bytes": 200_000}, "target_days": 2, "currency": "EUR",
            "scoring": {"workers": 2}, "labeling": {"share": 0.001, "hours_per_day": 5},
            "network": {"gigabits_per_second": 10},
            "prices": {"terabyte_month": 20, "months": 12, "worker_hour": 2, "machine_hour": 3, "annotator_hour": 30},
        }),
        MEASURED, epochs=8,
    )  # fmt: skip
    images = 20e12 / 200_000
    hours = images * 0.001 / 400
    expected = {
        "recorded": 2000, "kept": 20, "images": images, "proxies": images * 25_000 / 1e12, "stored": 67.5,
        "scoring_days": images / 500 / 86_400 / 2, "scoring_workers": 2, "labels": images * 0.001,
        "annotator_hours": hours, "annotators": math.ceil(hours / 5 / 2),
        "intake_rate": 20e12 * 8 / (100 * 86_400) / 1e9, "intake_days": 20e12 * 8 / 10e9 / 86_400,
        "storage_cost": 67.5 * 20 * 12, "scoring_cost": images / 500 / 3600 * 2, "annotators_cost": hours * 30,
    }  # fmt: skip
    found = values(made)
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    assert found["total_cost"] == pytest.approx(
        sum(found[name] for name in ("storage_cost", "scoring_cost", "annotators_cost"))
    )
    (training,) = made.trainings
    assert training.days == pytest.approx(images * 8 / 1000 / 86_400)
    assert training.machines_for_target == math.ceil(training.days / 2)
    assert training.cost == pytest.approx(training.days * 24 * 3)
    assert training.bytes_per_second == pytest.approx(200e6)
    assert made.missing == ()


def test_each_number_says_where_it_comes_from():
    asked = {"fleet": FLEET, "data": {"image_bytes": 100_000}, "scoring": {"images_per_second": 100}}
    made = plan(read(asked), MEASURED, epochs=8)
    kinds = {one.name: one.source.kind for one in made.inputs}
    assert kinds["fleet.days"] == "given"
    assert kinds["scoring.images_per_second"] == "given", "what is given counts before what is measured"
    assert kinds["data.proxy_bytes"] == "documented"
    counted = plan(read({"data": {"images": 1000}}), MEASURED)
    size = next(one for one in counted.inputs if one.name == "data.image_bytes")
    assert (size.source.kind, size.source.n, size.source.until) == ("measured", 1000, "2026-11-02")
    assert "measured here" in size.source.words
    assert made.trainings[0].source.kind == "measured"
    example = plan(read({"example": "automotive-100-cars"}))
    assert {one.source.kind for one in example.inputs if one.name.startswith("fleet.")} == {"example"}


def test_without_prices_there_is_no_money_and_without_paces_it_says_what_is_missing():
    made = plan(read({"fleet": FLEET, "labeling": {"labels": 100}}))
    assert not [figure for figure in made.figures if figure.group == "money"]
    assert {need for one in made.missing for need in one.needs} == {
        "data.image_bytes",
        "training",
        "labeling.labels_per_hour",
        "prices.terabyte_month",
        "prices.months",
        "prices.label",
    }


def test_a_missing_price_is_named_and_labels_need_but_one_of_two():
    asked = {"data": {"images": 1000, "image_bytes": 200_000}, "labeling": {"labels": 100, "labels_per_hour": 50}}
    lacking = {need for one in plan(read(asked), MEASURED, epochs=8).missing for need in one.needs}
    assert {"prices.machine_hour", "prices.annotator_hour", "prices.label", "prices.terabyte_month"} <= lacking
    by_hour = plan(read(asked | {"prices": {"annotator_hour": 20}}), MEASURED, epochs=8)
    lacking = {need for one in by_hour.missing for need in one.needs}
    assert not {"prices.label", "prices.annotator_hour"} & lacking
    assert "prices.machine_hour" in lacking


def test_a_fleets_images_are_not_those_that_lie_here():
    made = plan(read({"fleet": FLEET}), MEASURED)
    assert "images" not in values(made)
    (lack,) = [one for one in made.missing if "data.image_bytes" in one.needs]
    assert "(those of this platform have 200,000 B)" in lack.what


def test_images_that_are_smaller_than_a_small_copy_need_none():
    made = values(plan(read({"data": {"images": 1_000_000, "image_bytes": 300}}), MEASURED))
    assert "proxies" not in made
    assert made["stored"] == made["kept"] == pytest.approx(0.0003)


def test_data_in_place_of_a_fleet_gives_the_same():
    whole = plan(read({"fleet": FLEET, "data": {"image_bytes": 200_000}}), MEASURED)
    direct = plan(read({"data": {"terabytes": 20, "image_bytes": 200_000}}), MEASURED)
    assert values(direct)["images"] == values(whole)["images"]
    counted = plan(read({"data": {"images": 100_000_000, "image_bytes": 200_000}}), MEASURED)
    assert values(counted)["kept"] == pytest.approx(20)


@given(times=st.integers(2, 1000), days=st.floats(0.01, 1000))
@settings(max_examples=examples(30))
def test_machines_for_a_target_end_within_it_and_one_fewer_does_not(times, days):
    setup = {"architecture": "a", "machine": "m", "images_per_second": 100, "epochs": 3, "machines": 1}
    question = {"data": {"images": 1_000_000 * times}, "target_days": days, "training": [setup]}
    (alone,) = plan(read(question)).trainings
    needed = alone.machines_for_target or 0
    assert alone.days / needed <= days * (1 + 1e-6)
    assert needed == 1 or alone.days / (needed - 1) > days * (1 - 1e-6)
    if needed <= SETUP["machines"].most:
        (made,) = plan(read(question | {"training": [setup | {"machines": needed}]})).trainings
        assert made.days == pytest.approx(alone.days / needed)
        assert made.machine_hours == pytest.approx(alone.machine_hours)


FIELDS = [
    (f"{group}.{name}", {group: {name: None}}, quantity)
    for group, them in GROUPS.items()
    for name, quantity in them.items()
]


@pytest.mark.parametrize("wrong", [0, 5e-324, -1, math.nan, math.inf, 1e300, "5", True])
@pytest.mark.parametrize(("field", "shape", "quantity"), [*FIELDS, ("target_days", None, TARGET_DAYS)])
def test_a_wrong_number_is_named_with_what_to_type(field, shape, quantity, wrong):
    group, _, name = field.partition(".")
    document = {group: {name: wrong}} if name else {group: wrong}
    with pytest.raises(PlanError) as caught:
        read(document)
    (words,) = caught.value.errors[field]
    assert "must be" in words
    assert quantity.fix in words
    assert field in str(caught.value)


@pytest.mark.parametrize(
    ("document", "field", "words"),
    [
        ({"fleet": {**FLEET, "share_kept": 1.5}}, "fleet.share_kept", "to 1, such as"),
        ({"fleet": {"vehicles": 2}}, "fleet.days", "all five"),
        ({"fleet": {**FLEET, "vehicles": 2.5}}, "fleet.vehicles", "whole number"),
        ({"fleet": {**FLEET, "cars": 5}}, "fleet.cars", "is not a field"),
        ({"fleet": 5}, "fleet", "must be an object"),
        ({"flet": {}}, "flet", "is not a field"),
        ({"fleet": FLEET, "data": {"terabytes": 5}}, "data.terabytes", "leave out one"),
        ({"fleet": FLEET, "data": {"images": 5, "image_bytes": 5}}, "data.image_bytes", "leave out one"),
        ({"labeling": {"labels": 5, "share": 0.5}}, "labeling.share", "leave out one"),
        ({"prices": {"terabyte_month": 5}}, "prices.months", "is missing"),
        ({"example": "nonesuch"}, "example", "automotive-100-cars"),
        ({"training": 5}, "training", "must be a list"),
        ({"training": [{}] * 51}, "training", "at most 50"),
        ({"training": [5]}, "training.0", "must be an object"),
        ({"training": [{"architecture": "x"}]}, "training.0.images_per_second", "one pace is needed"),
        ({"training": [{"images_per_second": 5, "terabytes_per_day": 5}]}, "training.0.images_per_second", "leave out"),
        ({"training": [{"images_per_second": -5}]}, "training.0.images_per_second", "from 0.000001 to 1,000,000,000"),
        ({"training": [{"images_per_second": 5, "epoch": 5}]}, "training.0.epoch", "is not a field"),
        ({"currency": "x" * 13}, "currency", "12 characters"),
    ],
)
def test_what_contradicts_itself_is_named(document, field, words):
    with pytest.raises(PlanError) as caught:
        read(document)
    assert words in caught.value.errors[field][0]


@pytest.mark.parametrize("end", ["smallest", "largest"])
def test_numbers_at_their_bounds_give_finite_figures(end):
    """A plan is JSON, which has no infinity."""
    others = {"data.terabytes", "data.images", "labeling.share"}  # in place of what is given here
    chosen = {
        group: {
            name: quantity.most if end == "largest" else quantity.least
            for name, quantity in them.items()
            if f"{group}.{name}" not in others
        }
        for group, them in GROUPS.items()
    }
    pace = SETUP["images_per_second"]
    setup = {"images_per_second": pace.most if end == "largest" else pace.least, "epochs": 1e5}
    made = plan(read(chosen | {"target_days": 1 if end == "largest" else 36_500, "training": [setup]}))
    assert all(math.isfinite(figure.value) for figure in made.figures)
    assert all(math.isfinite(one.days) for one in made.trainings)


@pytest.mark.parametrize(
    ("field", "more"),
    [
        ("target_days", {"target_days": 1e-6, "training": [{"images_per_second": 1e-6, "epochs": 1e5}]}),
        ("target_days", {"target_days": 1e-6, "scoring": {"images_per_second": 1e-6}}),
        ("labeling.days", {"labeling": {"labels": 1e12, "labels_per_hour": 1e-6, "hours_per_day": 1, "days": 1}}),
    ],
)
def test_more_than_anybody_has_is_refused_by_the_name_of_the_days(field, more):
    with pytest.raises(PlanError) as caught:
        plan(read({"data": {"images": 1e15}} | more))
    (words,) = caught.value.errors[field]
    assert "1e+12 are the most: give more days" in words
