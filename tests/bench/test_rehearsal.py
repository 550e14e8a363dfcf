"""The rehearsal itself: two processes of simulated workers on the real PostgreSQL and RabbitMQ, with every fault."""

import os
import subprocess
import sys

import pytest
from tests import settings as profile

from embedded.layout import project_root

pytestmark = [pytest.mark.production, pytest.mark.clock]


def test_every_shard_is_counted_once_whatever_happens_to_workers_and_messages():
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MOTHERLODE_", "DJANGO_"))}
    command = [sys.executable, "-m", "bench.rehearsal", "--frames", "2e7", "--workers", "48", "--pace", "20000"]
    command += ["--clock", "1", "--postgres", profile.SERVER, "--broker", profile.BROKER]
    paths = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        command, cwd=project_root(), env=kept | {"PYTHONPATH": paths}, capture_output=True, text=True, timeout=280
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "305 of 305" in done.stdout
    assert "Kept: each shard counted exactly once" in done.stdout
