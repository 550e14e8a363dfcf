"""No test is left out because its file was not imported."""

import os
import subprocess
import sys

import pytest
from tests.unasked import NEEDED, NEVER

PROFILES = {"(both or production) and not clock": "production"}


def collected(expression: str, *options: str) -> list[str]:
    """The tests of an expression, in their order."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("MOTHERLODE_", "DJANGO_", "PYTEST_"))
    }
    env = kept | {"MOTHERLODE_TEST_PROFILE": PROFILES.get(expression, "embedded")}
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", expression, *options, "tests"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    return [line for line in done.stdout.splitlines() if "::" in line]


@pytest.mark.clock
@pytest.mark.parametrize("expression", [*NEEDED, *NEVER])
def test_a_run_has_the_tests_that_it_would_have_if_all_files_were_imported(expression: str) -> None:
    # The same words in other brackets: the expression is not among those that leave files out.
    assert collected(expression) == collected(f"({expression})")
