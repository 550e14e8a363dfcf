"""Files in which a run has nothing to do are not imported: each process of the run would do so for nothing."""

import re
from pathlib import Path

import pytest

NEEDED = {
    "(both or production) and not clock": re.compile(r"mark\.(both|production)\b|add_marker\(.production.\)"),
    "browser and not clock": re.compile(r"mark\.browser\b"),
}
"""By the expression of `make test`: what a file of tests, or the conftest.py beside it, holds if one of them fits."""
NEVER = {
    "not production and not clock and not browser": re.compile(r"^pytestmark = pytest\.mark\.browser$", re.MULTILINE)
}
"""The same, of which none fits."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if collection_path.suffix != ".py" or not collection_path.name.startswith("test_"):
        return None
    asked = config.option.markexpr
    needed, never = NEEDED.get(asked), NEVER.get(asked)
    if needed is None and never is None:
        return None
    beside = collection_path.with_name("conftest.py")
    text = collection_path.read_text() + (beside.read_text() if beside.exists() else "")
    unasked = (needed is not None and not needed.search(text)) or (never is not None and never.search(text))
    return True if unasked else None
