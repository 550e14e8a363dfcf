"""What the benchmark asks of a platform beyond its API."""

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Mapping
from pathlib import Path

from bench.versioning.site import Site
from embedded.layout import Layout, project_root
from embedded.state import SupervisorState


def post(url: str, token: str, body: Mapping[str, object]) -> None:
    """A call of the API."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers, method="POST")  # noqa: S310 - ours
    with urllib.request.urlopen(request):  # noqa: S310 - as above
        pass


def run_script(site: Site, script: str) -> str:
    """Run a Python script on the platform's machine, with its settings: what it printed. Raises SystemExit with what it
    said when it failed."""
    state = SupervisorState.read(Layout(site.var).state)
    if state is None:
        raise SystemExit("the platform has stopped")
    pairs = Path(f"/proc/{state.processes['web'].pid}/environ").read_bytes().decode().split("\0")
    environment = os.environ | dict(pair.split("=", 1) for pair in pairs if "=" in pair)
    manage = [sys.executable, str(project_root() / "manage.py"), "shell", "--no-imports", "-c", script]
    done = subprocess.run(manage, cwd=project_root(), env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr[-3000:])
    return done.stdout
