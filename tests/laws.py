"""How many examples of a law are tried: a quarter of what the test says, all of them in `make test-full`."""

import os

from hypothesis import HealthCheck, settings

LEAST = 5
FULL = os.environ.get("MOTHERLODE_TEST_FULL") == "1"


def examples(count: int) -> int:
    """So many in the full run."""
    return count if FULL else max(LEAST, count // 4)


settings.register_profile(
    "tests", max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
settings.load_profile("tests")
