"""A plugin of pytest: each test as often as MOTHERLODE_TEST_TIMES says."""

import os

import pytest

TIMES = "MOTHERLODE_TEST_TIMES"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Once more with each number."""
    metafunc.fixturenames.append("time_of_many")
    metafunc.parametrize("time_of_many", range(int(os.environ[TIMES])))
