"""The code blocks of the docs, run from top to bottom of each page as a reader would, in one shell, on one platform."""

import json
import os
import random
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from tests.docs.blocks import ROOT, RUN, Block, blocks
from tests.journeys.site import Site, command, start

from embedded.seaweed import HOST

pytestmark = pytest.mark.clock

# A version is published a moment after its commit, so a clone is tried for a while, and so is `dvc get`.
PRELUDE = """
set -euo pipefail; export GIT_TERMINAL_PROMPT=0
curl() { command curl --fail-with-body -sS "$@"; echo; }
patiently() { for _ in $(seq 30); do command "$@" && return; sleep 1; done; command "$@"; }
git() { if [ "$1" = clone ]; then patiently git "$@"; else command git "$@"; fi; }
dvc() { if [ "$1" = get ]; then patiently dvc "$@"; else command dvc "$@"; fi; }
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A platform whose `var` lies where the reader stands, on a port of its own, with images beside it."""
    made = tmp_path_factory.mktemp("reader")
    platform = start(made / "var")
    write_inputs(made)
    yield platform
    command(platform.var, "down")


def write_inputs(folder: Path) -> None:
    """What the pages take for granted: pictures in folders, an archive of them, annotations."""
    for top in ("labelled/train/cat", "labelled/train/dog", "labelled/test/cat", "labelled/test/dog", "unlabelled",
                "images/train/cat", "images/train/dog"):  # fmt: skip
        (folder / top).mkdir(parents=True)
        for n in range(1, 9):
            name = f"{n:04}.jpg" if top == "unlabelled" else f"{n}.jpg"
            pixels = random.Random(f"{top}/{name}").randbytes(64 * 48 * 3)
            Image.frombytes("RGB", (64, 48), pixels).save(folder / top / name)
    keys = [str(path.relative_to(folder / "images")) for path in sorted((folder / "images").rglob("*.jpg"))]
    rows = [{"key": key, "label": {"class": key.split("/")[1]}} for key in keys]
    (folder / "labels.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "samples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with tarfile.open(folder / "images.tar.gz", "w:gz") as archive:
        archive.add(folder / "images", "images")


def script(page: list[Block], address: str) -> str:
    """The page as one program; what it prints before it fails says which block that was."""
    parts = [PRELUDE]
    for block in page:
        if block.not_run:
            continue
        text = block.text if block.language == "sh" else f"{sys.executable} - <<'END'\n{block.text}END\n"
        parts.append(f"cd \"$HERE\"; echo '=== {block}'\n{text.replace('127.0.0.1:8000', address)}")
    return "\n".join(parts)


def run(page: Path, site: Site) -> str:
    """What the page's blocks print. Fails with it where one of them does."""
    folder, address = site.var.parent, site.url.removeprefix("http://")
    home = folder / "home"
    home.mkdir(exist_ok=True)
    env = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(home), "HERE": str(folder),
        "MOTHERLODE_VAR": str(site.var), "PYTHONPATH": str(ROOT / "platform"), "NO_PROXY": HOST,
        "GIT_AUTHOR_NAME": "r", "GIT_AUTHOR_EMAIL": "r@x", "GIT_COMMITTER_NAME": "r", "GIT_COMMITTER_EMAIL": "r@x",
    }  # fmt: skip
    done = subprocess.run(["bash", "-c", script(blocks(page), address)], cwd=folder, env=env, capture_output=True,
                          text=True, check=False, timeout=540)  # fmt: skip
    said = done.stdout + done.stderr
    assert done.returncode == 0, said[-4000:]
    return said


@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", RUN, ids=lambda page: page.name)
def test_the_blocks_of_a_page_run(page: Path, site: Site) -> None:
    said = run(page, site)
    assert said.count("=== ") >= sum(not block.not_run for block in blocks(page))
