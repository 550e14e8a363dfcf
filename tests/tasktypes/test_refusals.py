"""What the error about an unknown class says."""

import pytest

from core.errors import Invalid
from tasktypes.refusals import check_known


@pytest.mark.parametrize("name", ["Car", "car ", "CAR", "traffic light", "Traffic-Light"])
def test_a_class_that_differs_in_case_or_spaces_alone_is_refused_with_the_one_that_is_meant(name: str) -> None:
    meant = "car" if "ar" in name.lower()[:3] else "traffic_light"
    with pytest.raises(Invalid) as error:
        check_known(name, ["car", "traffic_light"])
    assert f"whose {meant!r} differs in case or spaces alone: write it the same" in error.value.detail


@pytest.mark.parametrize("name", ["cart", 3, None])
def test_another_class_is_refused_without_a_guess(name: object) -> None:
    with pytest.raises(Invalid) as error:
        check_known(name, ["car", "traffic_light"])
    assert error.value.detail.endswith("this dataset has car, traffic_light")
