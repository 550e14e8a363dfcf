"""The code blocks of the docs, run from top to bottom of each page as a reader would, in one shell, on one platform."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.docs.blocks import ROOT, RUN, blocks
from tests.docs.readers import BEFORE, as_here, before, write_inputs
from tests.journeys.site import Site, command, start

from embedded.ports import HOST

pytestmark = pytest.mark.clock
SHELVES = ":".join(str(ROOT / name) for name in ("platform", "datasets", "models", "mining"))
PYTHON = "python -c 'import os, sys; print(os.path.expandvars(sys.stdin.read()))' <<'END' | python -\n{}END\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A platform whose `var` lies where the reader stands, on a port of its own, with images beside it."""
    made = tmp_path_factory.mktemp("reader")
    platform = start(made / "var")
    write_inputs(made)
    yield platform
    command(platform.var, "down")


def script(page: Path, address: str) -> str:
    """The page as one program; what it prints before it fails says which block that was."""
    parts = [(BEFORE / "prelude.sh").read_text()]
    for number, block in enumerate(blocks(page)):
        parts.append(f'cd "$HERE"\n{before(page.stem, number)}')
        if not block.not_run:
            text = as_here(page.stem, block.text)
            parts.append(f"echo '=== {block}'\n{text if block.language == 'sh' else PYTHON.format(text)}")
    return "\n".join(parts).replace("127.0.0.1:8000", address)


def run(page: Path, site: Site) -> str:
    """What the page's blocks print. Fails with it where one of them does."""
    folder, address = site.var.parent, site.url.removeprefix("http://")
    home = folder / "home"
    home.mkdir(exist_ok=True)
    env = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(home), "HERE": str(folder),
        "MOTHERLODE_VAR": str(site.var), "PYTHONPATH": SHELVES, "NO_PROXY": HOST,
        "GIT_AUTHOR_NAME": "r", "GIT_AUTHOR_EMAIL": "r@x", "GIT_COMMITTER_NAME": "r", "GIT_COMMITTER_EMAIL": "r@x",
    }  # fmt: skip
    done = subprocess.run(["bash", "-c", script(page, address)], cwd=folder, env=env, capture_output=True,
                          text=True, check=False, timeout=540)  # fmt: skip
    said = done.stdout + done.stderr
    assert done.returncode == 0, said[-4000:]
    return said


@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", RUN, ids=lambda page: page.name)
def test_the_blocks_of_a_page_run(page: Path, site: Site) -> None:
    said = run(page, site)
    assert said.count("=== ") >= sum(not block.not_run for block in blocks(page))
