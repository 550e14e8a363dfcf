"""`make check`: style, types, dependency rules, schema drift and the web application's own checks.

`--write-schema` writes the API's schema and the TypeScript and Python types made from it instead of comparing them.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from embedded.client_types import write_client_types
from embedded.environment import SHELVES
from embedded.layout import project_root
from embedded.setup.node import node_environment

ROOT = project_root()
FRONTEND = ROOT / "frontend"
SCHEMA = FRONTEND / "openapi.json"
TYPES = FRONTEND / "src" / "shared" / "api" / "schema.d.ts"
CLIENT_TYPES = ROOT / "platform" / "motherlode" / "documents.py"
MADE = (SCHEMA, TYPES, CLIENT_TYPES)
BIN = Path(sys.executable).parent


@dataclass(frozen=True, slots=True)
class Outcome:
    """`words` is empty when the check passed."""

    name: str
    words: str
    seconds: float = field(default=0.0)


def main() -> int:
    parser = argparse.ArgumentParser(prog="make check")
    parser.add_argument("--write-schema", action="store_true", help="write frontend/openapi.json and its types")
    if parser.parse_args().write_schema:
        _write_schema(*MADE)
        print(f"Wrote {_names(MADE)}")
        return 0
    failed: list[Outcome] = []
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for done in as_completed([pool.submit(_timed, check) for check in _checks()]):
            outcome = done.result()
            print(f"  {'FAILED' if outcome.words else 'ok':<7} {outcome.name:<30} {outcome.seconds:6.1f} s", flush=True)
            failed += [outcome] if outcome.words else []
    for outcome in failed:
        print(f"\n== {outcome.name} ==\n{outcome.words}")
    print(f"\n{len(failed)} of the checks failed." if failed else "\nAll checks passed.")
    return 1 if failed else 0


def _checks() -> list[Callable[[], Outcome]]:
    """Return the checks, the slow ones first, so that the quick ones fill the other core."""
    sources = [*SHELVES, "tests", "bench", "manage.py"]
    present = [name for name in sources if (ROOT / name).exists()]
    return [
        lambda: _command("mypy --strict", [str(BIN / "mypy"), *present]),
        lambda: _command("frontend: lint", ["npm", "run", "lint"], cwd=FRONTEND),
        lambda: _command("frontend: tests", ["npm", "test"], cwd=FRONTEND),
        lambda: _command("frontend: types", ["npm", "run", "typecheck"], cwd=FRONTEND),
        _schema_is_current,
        lambda: _command("migrations", [sys.executable, str(ROOT / "manage.py"), "migration_rules"]),
        lambda: _command("dependency rules", [str(BIN / "lint-imports")]),
        lambda: _command("ruff check", [str(BIN / "ruff"), "check"]),
        lambda: _command("ruff format", [str(BIN / "ruff"), "format", "--check"]),
        _shelves_are_no_packages,
    ]


def _timed(check: Callable[[], Outcome]) -> Outcome:
    started = time.monotonic()
    outcome = check()
    return Outcome(outcome.name, outcome.words, time.monotonic() - started)


def _command(name: str, argv: Sequence[str], *, cwd: Path = ROOT) -> Outcome:
    done = subprocess.run(
        argv, cwd=cwd, env=_environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    words = f"{done.stdout}{done.stderr}".strip()
    return Outcome(name, (words or f"exit code {done.returncode}") if done.returncode else "")


def _shelves_are_no_packages() -> Outcome:
    """Check that no shelf is a package: a `platform/__init__.py` would shadow the standard library's platform, and
    break everything."""
    strays = [f"{shelf}/__init__.py must not exist: a shelf is not a package" for shelf in SHELVES]
    return Outcome("shelves are no packages", "\n".join(s for s in strays if (ROOT / s.split()[0]).exists()))


def _schema_is_current() -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        fresh = [Path(folder, one.name) for one in MADE]
        try:
            _write_schema(*fresh)
        except subprocess.CalledProcessError as error:
            return Outcome("API schema", f"{error.stdout}{error.stderr}")
        stale = [kept for made, kept in zip(fresh, MADE, strict=True) if not _same(made, kept)]
    return Outcome("API schema", f"{_names(stale)}: other than the code makes them, run `make schema`" if stale else "")


def _names(paths: Sequence[Path]) -> str:
    return ", ".join(str(path.relative_to(ROOT)) for path in paths)


def _write_schema(schema: Path, types: Path, client_types: Path) -> None:
    """Write the schema and the types made from it, which depend on the code alone. Raises CalledProcessError with the
    generator's output."""
    spectacular = ["spectacular", "--format", "openapi-json", "--validate", "--fail-on-warn", "--file", str(schema)]
    commands: list[tuple[list[str], Path]] = [
        ([sys.executable, str(ROOT / "manage.py"), *spectacular], ROOT),
        (["npm", "exec", "--", "openapi-typescript", str(schema), "-o", str(types)], FRONTEND),
    ]
    for argv, cwd in commands:
        subprocess.run(argv, cwd=cwd, env=_environment(), capture_output=True, text=True, check=True)
    write_client_types(schema, client_types, BIN)


def _same(one: Path, other: Path) -> bool:
    return other.is_file() and one.read_bytes() == other.read_bytes()


def _environment() -> dict[str, str]:
    """Return an environment in which settings load without any service; its secret key signs nothing."""
    return {
        **node_environment(BIN),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "MOTHERLODE_SECRET_KEY": "only-for-checks-" + "0" * 50,
        "PYTHONPATH": os.pathsep.join(str(ROOT / shelf) for shelf in SHELVES),
    }


if __name__ == "__main__":
    sys.exit(main())
