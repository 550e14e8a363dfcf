"""The Pythons that Motherlode runs on: `requires-python` in pyproject.toml names them, for the Makefile too."""

import re
import sys
from collections.abc import Iterable
from pathlib import Path

from embedded.setup.console import SetupError

RANGE = re.compile(r'^requires-python = ">=3\.(\d+),<3\.(\d+)"$', re.MULTILINE)


def supported(root: Path) -> range:
    """Return their minor versions, the oldest first. Raises ValueError where the project names no such range."""
    found = RANGE.search((root / "pyproject.toml").read_text(encoding="utf-8"))
    if found is None:
        raise ValueError(f"{root / 'pyproject.toml'} has no line that matches {RANGE.pattern}")
    return range(int(found[1]), int(found[2]))


def in_words(minors: Iterable[int]) -> str:
    """Return `3.11, 3.12 or 3.13` of 11, 12, 13."""
    *most, last = (f"3.{minor}" for minor in minors)
    return f"{', '.join(most)} or {last}" if most else last


def check_own(root: Path) -> None:
    """Raise SetupError if the project can't run on the Python that runs this."""
    minors = supported(root)
    if sys.version_info[0] != 3 or sys.version_info[1] not in minors:
        own = f"{sys.version_info[0]}.{sys.version_info[1]}"
        raise SetupError(
            f"{sys.executable} is Python {own}; Motherlode needs Python {in_words(minors)}. "
            "Without PYTHON=, make takes one that is there."
        )
