"""`lode dataset log`, `diff`, `tag`, `alias`, `fork` and `merge` against a real server."""

import json
from pathlib import Path

import pytest
from tests.datasets.conftest import png
from tests.datasets.transfers.conftest import Lode

pytestmark = pytest.mark.django_db(transaction=True)


def test_versions_are_listed_compared_named_forked_and_merged(lode: Lode, folder: Path, tmp_path: Path) -> None:
    lode("push", str(folder), "digits", "--message", "first")
    (folder / "train" / "dog" / "new.png").write_bytes(png(901))
    (folder / "train" / "dog" / "001.png").write_bytes(png(902))
    lode("push", str(folder), "digits", "--message", "second")
    log = lode("log", "digits")
    assert log.index("second") < log.index("first")
    assert [one["version"] for one in json.loads(lode("log", "digits", "--limit", "1", "--json"))] == [2]

    said = lode("diff", "digits", "1", "2")
    assert "digits 1 → 2" in said
    assert "added: train/dog/new.png" in said
    assert "changed: train/dog/001.png" in said
    assert "+1" in said
    found = json.loads(lode("diff", "digits", "v1", "--json"))
    assert (found["counts"]["added"], found["counts"]["changed"], found["by_class"]) == (1, 1, {"dog": 1})
    assert "no difference" in lode("diff", "digits", "2", "2")

    assert "digits golden is version 1" in lode("tag", "digits", "golden", "--version", "1")
    assert "name_taken" in lode("tag", "digits", "golden", "--version", "2", code=1)
    assert "digits stable is version 2" in lode("alias", "digits", "stable", "--protected")
    assert "changed: train/dog/001.png" in lode("diff", "digits", "golden", "stable")
    pulled = json.loads(lode("pull", "digits", str(tmp_path / "golden"), "--version", "golden", "--json"))
    assert (pulled["version"], pulled["files"]) == (1, 60)

    assert "mine begins as digits golden: 60 samples" in lode("fork", "digits", "mine", "--version", "golden")
    (tmp_path / "golden" / "extra.png").write_bytes(png(903))
    lode("push", str(tmp_path / "golden"), "mine")
    assert "1 added" in lode("merge", "digits", "mine")
    assert json.loads(lode("pull", "mine", str(tmp_path / "golden"), "--json"))["fetched_files"] == 0
