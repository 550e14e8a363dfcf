"""`rename`, `archive`, `restore` and `delete` of every noun, as they are typed."""

from pathlib import Path

import pytest
from tests.platform.motherlode.canned import Answer, CannedServer
from tests.platform.motherlode.test_lode import lode

NOUNS = {
    "dataset": "/datasets", "model": "/models", "queue": "/labeling/queues", "pipeline": "/pipelines",
    "backtest": "/backtests", "sweep": "/sweeps",
}  # fmt: skip
TOLD = {
    "name": "night", "archived": True, "allowed": True, "goes": [{"name": "samples", "count": 1200, "names": []}],
    "stays": [{"name": "model versions", "count": 2, "names": []}], "needs": [], "busy": [],
}  # fmt: skip


@pytest.mark.parametrize("noun", NOUNS)
def test_a_thing_is_renamed_archived_and_restored(server: CannedServer, tmp_path: Path, noun: str) -> None:
    at = f"{NOUNS[noun]}/night"
    server.script[f"PATCH {at}"] = [Answer(200, {"name": "day"})]
    server.script[f"POST {at}/archive"] = [Answer(200, {})]
    server.script[f"POST {at}/restore"] = [Answer(200, {})]
    assert "is day now" in lode(server, noun, "rename", "night", "day", cwd=tmp_path).stdout
    assert "is archived" in lode(server, noun, "archive", "night", cwd=tmp_path).stdout
    assert "is restored" in lode(server, noun, "restore", "night", cwd=tmp_path).stdout
    assert server.asked[0].document == {"name": "day"}


def test_without_the_name_a_deletion_only_says_what_it_would_do(server: CannedServer, tmp_path: Path) -> None:
    server.script["GET /datasets/night/deletion"] = [Answer(200, TOLD)]
    done = lode(server, "dataset", "delete", "night", cwd=tmp_path)
    assert done.returncode == 1
    assert "is deleted: 1,200 samples" in done.stdout
    assert "stays: 2 model versions" in done.stdout
    assert "--confirm night" in done.stderr
    assert [asked.path for asked in server.asked] == ["/datasets/night/deletion"]


def test_the_archive_is_listed_when_it_is_asked_for(server: CannedServer, tmp_path: Path) -> None:
    server.script["GET /models"] = [Answer(200, {"results": [], "next": None})]
    assert lode(server, "model", "list", "--archived", cwd=tmp_path).returncode == 0
    assert server.asked[0].path == "/models?archived=true"
