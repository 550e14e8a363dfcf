"""The revision of the training code, part of a run's lock. Imports no torch."""

import hashlib
import subprocess
from functools import cache
from pathlib import Path

import worker_programs

PACKAGES = (Path(__file__).parent, Path(worker_programs.__file__).parent)
GIT_SECONDS = 10.0


@cache
def revision() -> str:
    """`git:<commit>` if the packages training and worker_programs are unchanged in a git checkout, else
    `sha256:<digest>` over their sources."""
    commits = {_commit(package) for package in PACKAGES}
    if len(commits) == 1 and (commit := commits.pop()) is not None:
        return f"git:{commit}"
    return f"sha256:{sources(PACKAGES)}"


def sources(packages: tuple[Path, ...]) -> str:
    """SHA-256 over the sources of packages, given their folders."""
    found = hashlib.sha256()
    for package in packages:
        for path in sorted(package.rglob("*.py")):
            found.update(f"{package.name}/{path.relative_to(package).as_posix()}\0".encode())
            found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()


def _commit(package: Path) -> str | None:
    """The commit of the package's checkout; None if the package was changed since, or git doesn't track it."""
    if _git(package, "status", "--porcelain", "--", ".") != "" or not _git(package, "ls-files", "--", "."):
        return None
    return _git(package, "rev-parse", "HEAD")


def _git(folder: Path, *arguments: str) -> str | None:
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=GIT_SECONDS, check=True)  # noqa: S603 - fixed words
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
