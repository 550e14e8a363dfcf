"""The published sums come out as they were printed."""

import math

import pytest

from planning import EXAMPLES, Figure, TrainingTime, plan, read
from planning.examples import ALEXNET, DAYS_PER_YEAR, DGX_1V, INCEPTION
from planning.plan import AsPrinted

PRINTED = {
    "automotive-100-cars": (104, ["9.1 years", "1.1 years", "166 days", "21 days", "16 days", "2.1 days"]),
    "automotive-125-cars": (487.5, ["42.6 years", "5.4 years", "778 days", "98 days", "77 days", "9.8 days"]),
}


def cut_off(value: float, like: str) -> float:
    """With as many decimals as the printed digits have, the others cut off."""
    decimals = len(like.partition(".")[2])
    return float(math.floor(value * 10**decimals + 1e-9) / 10**decimals)


def beside(one: Figure | TrainingTime) -> AsPrinted:
    """What was printed in its place."""
    assert one.printed is not None
    return one.printed


@pytest.mark.parametrize("name", PRINTED)
def test_every_cell_of_the_automotive_table_comes_out_digit_by_digit(name):
    kept, cells = PRINTED[name]
    made = plan(read({"example": name}))
    assert made.figure("kept").value == pytest.approx(kept, rel=1e-12)
    assert beside(made.figure("kept")).off == pytest.approx(0, abs=1e-12)
    assert len(made.trainings) == len(cells)
    for training, cell in zip(made.trainings, cells, strict=True):
        digits, unit = cell.split()
        days = training.days / (DAYS_PER_YEAR if unit == "years" else 1)
        assert cut_off(days, digits) == float(digits), cell
        assert (beside(training).value, beside(training).unit) == (float(digits), unit)
        assert beside(training).off == pytest.approx(days / float(digits) - 1)
        assert 0 <= beside(training).off < 0.05


def test_both_columns_follow_from_one_pace_for_each_network():
    trainings = plan(read({"example": "automotive-100-cars"})).trainings
    paces = {(one.architecture, one.machine): one.pace for one in trainings}
    assert paces == pytest.approx({
        ("InceptionV3", "Pascal GPU"): INCEPTION, ("AlexNet", "Pascal GPU"): ALEXNET,
        ("InceptionV3", "DGX-1V"): INCEPTION * DGX_1V, ("AlexNet", "DGX-1V"): ALEXNET * DGX_1V,
    })  # fmt: skip
    other = plan(read({"example": "automotive-125-cars"})).trainings
    assert {(one.architecture, one.machine): one.pace for one in other} == paces


def test_the_printed_share_of_the_second_column_gives_390_terabytes_and_the_answer_says_so():
    fleet = {"vehicles": 125, "terabytes_per_hour": 1.5, "hours_per_day": 8, "days": 325, "share_kept": 0.0008}
    assert plan(read({"fleet": fleet})).figure("kept").value == pytest.approx(390)
    notes = " ".join(plan(read({"example": "automotive-125-cars"})).notes)
    assert "0.0008" in notes
    assert "390 TB" in notes
    assert "0.001" in notes


def test_the_pod_trains_for_20_8_hours():
    (training,) = plan(read({"example": "dgx-pod"})).trainings
    assert training.days * 24 == pytest.approx(300_000 * 120 / 480 / 3600)
    assert round(training.days * 24, 1) == 20.8
    assert beside(training).off == pytest.approx(0.0016, abs=1e-4)


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_was_printed_is_shown_beside_the_examples_own_data_alone(name):
    changed = plan(read({"example": name, "data": {"images": 1000, "image_bytes": 10}} if name == "dgx-pod" else
                        {"example": name, "fleet": {"days": 100}}))  # fmt: skip
    assert all(figure.printed is None for figure in changed.figures)
    assert all(training.printed is None for training in changed.trainings)
    assert not changed.notes
    with_target = plan(read({"example": name, "target_days": 7}))
    assert all(one.printed is not None and one.machines_for_target for one in with_target.trainings)
