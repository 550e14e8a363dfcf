"""`python -m bench.fault_matrix`: each fault strikes `--times` times on each profile; 1 where anything did not hold.

Counted are the tests of a fault, each run as often: those that draw the moments of their kills or race draw and race
anew. Those that take minutes are left to `make test-full` unless `--long` is given.
"""

import argparse
import math
import os
import re
import subprocess
import sys
import time
from typing import NamedTuple

from bench.fault_matrix.faults import FAULTS, Fault
from bench.fault_matrix.repeated import TIMES
from bench.planted_faults.__main__ import FAILED, PASSED, ROOT, WHERE

PLUGIN = "bench.fault_matrix.repeated"
COUNTED = re.compile(r"(\d+) (passed|skipped)")


class Outcome(NamedTuple):
    """How often its tests held, which did not, and how many are not for this profile."""

    held: int
    failed: list[str]
    skipped: int
    seconds: float


def main() -> int:
    """Print a line for each fault and profile."""
    parser = argparse.ArgumentParser(prog="python -m bench.fault_matrix", description=__doc__)
    parser.add_argument("--times", type=int, default=20, help="how often each fault strikes (20)")
    parser.add_argument("--profile", choices=["embedded", "production"], help="that one alone")
    parser.add_argument("--only", type=int, nargs="+", metavar="N", help="the faults of these numbers alone")
    parser.add_argument("--long", action="store_true", help="with the tests that take minutes")
    asked = parser.parse_args()
    broken = held = 0
    for number, fault in enumerate(FAULTS, start=1):
        if number not in (asked.only or [number]):
            continue
        print(f"{number:>3}  {fault.name}\n     {fault.holds}", flush=True)
        for profile in fault.profiles:
            if asked.profile in (None, profile):
                found = run(fault, profile, math.ceil(asked.times / fault.strikes), long=asked.long)
                held, broken = held + found.held, broken + len(found.failed)
                left = f", {found.skipped} skipped" if found.skipped else ""
                told = f"{found.held:>5} held {len(found.failed):>3} did not {found.seconds:6.0f} s{left}"
                print(f"     {profile:<11}{told}", flush=True)
                for name in found.failed:
                    print(f"       {name}", flush=True)
    print(f"{held} times it held, {broken} times it did not")
    return 1 if broken or not held else 0


def run(fault: Fault, profile: str, times: int, *, long: bool) -> Outcome:
    """Its tests on a profile. SystemExit where they could not be run."""
    program = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-p", PLUGIN]
    marks = "not gpu" if long else "not gpu and not clock"
    told = {"MOTHERLODE_TEST_PROFILE": profile, "CI": "true", TIMES: str(times)}
    started = time.monotonic()
    done = subprocess.run([*program, "-m", marks, *fault.tests], cwd=ROOT, env=os.environ | told,
                          capture_output=True, text=True, check=False)  # fmt: skip
    counts = {kind: int(count) for count, kind in COUNTED.findall(done.stdout)}
    failed = WHERE.findall(done.stdout)
    if done.returncode != PASSED and not (done.returncode == FAILED and failed):
        raise SystemExit(f"pytest ended with {done.returncode}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return Outcome(counts.get("passed", 0), failed, counts.get("skipped", 0), time.monotonic() - started)


if __name__ == "__main__":
    sys.exit(main())
