"""`make audit`: asks the advisory databases of Python's and npm's packages about every pin of the locks.

Exits 1 if a pin has a known vulnerability, 2 if one could not be checked: no answer doesn't count as safe.
"""

import json
import os
import re
import subprocess
import sys
import venv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from embedded.layout import project_root
from embedded.setup.node import node_environment

PIP_AUDIT = "pip-audit==2.10.1"
LOCKS = ("runtime", "torch", "dev", "node")
PIN = re.compile(r"^([A-Za-z0-9._-]+==[^\s\\;]+)", re.MULTILINE)
VULNERABLE, UNASKED = 1, 2


@dataclass(frozen=True, slots=True)
class Finding:
    """A package at its pinned version: its known vulnerabilities, or why it could not be checked."""

    package: str
    advisories: tuple[str, ...] = ()
    unasked: str = ""


def main() -> int:
    root = project_root()
    found = [*_python(root), *_npm(root)]
    for one in found:
        if one.advisories:
            print(f"VULNERABLE {one.package}: {'; '.join(one.advisories)}")
    unasked = [one for one in found if one.unasked]
    for reason in dict.fromkeys(one.unasked for one in unasked):
        alike = [one.package for one in unasked if one.unasked == reason]
        print(f"not asked about {len(alike)} ({', '.join(alike[:3])}{', ...' if len(alike) > 3 else ''}): {reason}")
    bad = sum(bool(one.advisories) for one in found)
    print(f"{len(found)} asked about: {bad} with known vulnerabilities, {len(unasked)} without an answer.")
    return VULNERABLE if bad else UNASKED if unasked else 0


def pins(locks: Iterable[str]) -> list[str]:
    """Return the sorted `name==version` pins in the texts of some locks."""
    return sorted({pin for lock in locks for pin in PIN.findall(lock)})


def of_python(report: Mapping[str, Any]) -> list[Finding]:
    """Convert pip-audit's JSON to a finding for each package."""
    return [
        Finding(
            f"{one['name']} {one.get('version', '')}".strip(),
            tuple(f"{hole['id']}, mended in {_versions(hole['fix_versions'])}" for hole in one.get("vulns", [])),
            "no advisory database has it" if "skip_reason" in one else "",
        )
        for one in report["dependencies"]
    ]


def _versions(mended: Iterable[str]) -> str:
    return " or ".join(mended) or "no version"


def of_npm(report: Mapping[str, Any]) -> list[Finding]:
    """Convert `npm audit --json` to findings; a single one for all packages if the registry did not answer."""
    if "vulnerabilities" not in report:
        said = report.get("error", {}).get("summary") or report.get("message") or "no answer"
        return [Finding("npm's packages", unasked=f"npm's registry: {said}")]
    holes = [
        Finding(name, tuple(via["title"] if isinstance(via, dict) else f"through {via}" for via in one["via"]))
        for name, one in report["vulnerabilities"].items()
    ]
    healthy = report["metadata"]["dependencies"]["total"] - len(holes)
    return [*holes, *(Finding("an npm package") for _ in range(healthy))]


def _python(root: Path) -> list[Finding]:
    place = root / "build" / "audit"
    program = place / "bin" / "pip-audit"
    if not program.exists():
        venv.create(place, with_pip=True)
        command = [str(place / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", PIP_AUDIT]
        subprocess.run(command, check=True)
    wanted = place / "pins.txt"
    locks = (root / "requirements" / f"{name}.lock" for name in LOCKS)
    wanted.write_text("\n".join(pins(lock.read_text(encoding="utf-8") for lock in locks)), encoding="utf-8")
    command = [str(program), "--requirement", str(wanted), "--no-deps", "--disable-pip", "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return of_python(json.loads(done.stdout))
    except json.JSONDecodeError:
        said = done.stderr.strip().rpartition("\n")[2] or f"pip-audit ended with {done.returncode}"
        return [Finding("Python's packages", unasked=said)]


def _npm(root: Path) -> list[Finding]:
    env = {**os.environ, **node_environment(Path(sys.executable).parent)}
    command = ["npm", "audit", "--json"]
    done = subprocess.run(command, cwd=root / "frontend", env=env, capture_output=True, text=True, check=False)
    try:
        return of_npm(json.loads(done.stdout))
    except json.JSONDecodeError:
        return [Finding("npm's packages", unasked=done.stderr.strip().rpartition("\n")[2] or "npm said nothing")]


if __name__ == "__main__":
    sys.exit(main())
