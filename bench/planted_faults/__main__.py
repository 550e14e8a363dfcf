"""`python -m bench.planted_faults`: which of twenty planted faults the tests notice; 1 where two or more are not.

A fault is planted in a copy of the working tree, so that nothing has to be taken back here, whatever becomes of this
program. First all of the tests run on the sound copy: those that fail there would notice anything.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.planted_faults.faults import FAULTS, Fault
from embedded.layout import project_root
from embedded.setup.node import node_environment

ROOT = project_root()
BIN = Path(sys.executable).parent
NOT_COPIED = (".venv", "frontend/node_modules", "frontend/dist")
"""Made by `make dev-setup` and read alone."""
EMBEDDED, PRODUCTION = "not production and not clock and not browser", "(both or production) and not clock"
"""What `make test` runs on each profile."""
PATIENCE_SECONDS = 120
"""Of one test: a fault may make it wait for ever."""
PASSED, FAILED = 0, 1
"""What pytest and vitest end with."""
WHERE = re.compile(r"^(?:FAILED|ERROR| *FAIL) +(?:\|\w+\| +)?(\S+(?:::| > ).+?)(?: - .*)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether any test failed, and which was the first."""

    failed: bool
    by: str
    seconds: float


def main() -> int:
    """Print what became of each."""
    parser = argparse.ArgumentParser(prog="python -m bench.planted_faults", description=__doc__)
    parser.add_argument("--only", type=int, nargs="+", metavar="N", help="the faults of these numbers alone")
    asked = parser.parse_args()
    chosen = [(number, fault) for number, fault in enumerate(FAULTS, start=1) if number in (asked.only or [number])]
    with tempfile.TemporaryDirectory(prefix="motherlode-planted-") as folder:
        copy = Path(folder, "motherlode")
        copy_tree(copy)
        for runner in (of_pages, on_embedded, on_production):
            tests = sorted({test for _, fault in chosen if runner_of(fault) is runner for test in fault.tests})
            if tests and (found := runner(copy, tests)).failed:
                print(f"Without any fault {found.by} fails: mend that first.")
                return 1
        unnoticed = 0
        for number, fault in chosen:
            found = try_fault(copy, fault)
            unnoticed += not found.failed
            verdict = f"noticed by {found.by}" if found.failed else "NOT NOTICED"
            print(f"{number:>3}  {fault.name}\n     {verdict} ({found.seconds:.0f} s)", flush=True)
    print(f"{len(chosen) - unnoticed} of {len(chosen)} faults were noticed")
    return 1 if unnoticed > 1 else 0


def copy_tree(copy: Path) -> None:
    """What git knows of and what is new, as it lies here; beside it links to what was installed."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():  # not one that was deleted and is listed still
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    for name in NOT_COPIED:
        (copy / name).symlink_to(ROOT / name)


def try_fault(copy: Path, fault: Fault) -> Outcome:
    """Run its tests with the fault in the copy, which is sound again afterwards."""
    file = copy / fault.file
    text, stat = file.read_text(), file.stat()
    if text.count(fault.sound) != 1:
        raise SystemExit(f"{fault.file} has {fault.sound!r} {text.count(fault.sound)} times: mend the fault's text")
    file.write_text(text.replace(fault.sound, fault.broken))
    try:
        return runner_of(fault)(copy, fault.tests)
    finally:
        file.write_text(text)
        os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # by this Python knows what it compiled of it


def runner_of(fault: Fault) -> "Runner":
    """What runs its tests."""
    if fault.file.startswith("frontend/"):
        return of_pages
    return on_production if fault.production else on_embedded


def of_pages(copy: Path, tests: Sequence[str]) -> Outcome:
    """Vitest, as `make check` runs it."""
    argv = ["npx", "vitest", "run", "--bail", "1", *(test.removeprefix("frontend/") for test in tests)]
    return run(argv, copy / "frontend", node_environment(BIN) | {"NO_COLOR": "1"})


def on_embedded(copy: Path, tests: Sequence[str]) -> Outcome:
    """Pytest on the embedded profile."""
    return run(pytest_command(EMBEDDED, tests), copy, dict(os.environ))


def on_production(copy: Path, tests: Sequence[str]) -> Outcome:
    """Pytest on the production profile, which says so where its services are missing."""
    told = {"MOTHERLODE_TEST_PROFILE": "production", "CI": "true"}
    return run(pytest_command(PRODUCTION, tests), copy, os.environ | told)


def pytest_command(marked: str, tests: Sequence[str]) -> list[str]:
    """The command that runs those of the tests until one fails."""
    program = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-x", "-p", "no:cacheprovider"]
    return [*program, "--timeout", str(PATIENCE_SECONDS), "-m", marked, *tests]


def run(argv: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Outcome:
    """What the tests of a command say. SystemExit where they could not be run."""
    started = time.monotonic()
    done = subprocess.run(argv, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    by = WHERE.findall(said) if done.returncode == FAILED else []
    if done.returncode != PASSED and not by:
        raise SystemExit(f"{' '.join(argv)} ended with {done.returncode}:\n{said[-3000:]}")
    return Outcome(bool(by), by[0] if by else "", time.monotonic() - started)


Runner = Callable[[Path, Sequence[str]], Outcome]


if __name__ == "__main__":
    sys.exit(main())
