"""A pull into a folder in which somebody worked: what they did is not overwritten unless they say so."""

import json
import os
from pathlib import Path

import pytest
from tests.datasets.conftest import png
from tests.datasets.transfers.conftest import Lode, bytes_of

from motherlode import Motherlode
from motherlode.errors import MotherlodeError
from motherlode.pulling import Pulled, pull_version
from motherlode.pushing import PushTerms, push_folder

pytestmark = [pytest.mark.django_db(transaction=True)]


class Desk:
    """Two folders of one person: `source` makes versions, `here` is pulled into."""

    def __init__(self, client: Motherlode, root: Path) -> None:
        self.client, self.source, self.here = client, root / "source", root / "here"
        self.labels = self.here / ".motherlode" / "samples.jsonl"
        self.put({f"train/cat/{number}.png": png(number) for number in range(3)})

    def put(self, files: dict[str, bytes]) -> None:
        """The next version."""
        for name, content in files.items():
            (self.source / name).parent.mkdir(parents=True, exist_ok=True)
            (self.source / name).write_bytes(content)
        push_folder(self.client, "digits", self.source, PushTerms(onto_head=True))

    def pull(self, version: int | str = "head", *, force: bool = False) -> Pulled:
        return pull_version(self.client, "digits", self.here, version, force=force)

    def refused(self) -> list[str]:
        """The files that a pull stops for; it changes nothing in the folder, times and notes included."""
        before = self._state()
        with pytest.raises(MotherlodeError) as told:
            self.pull()
        assert told.value.code == "files_edited"
        assert self._state() == before
        return list(told.value.extra["files"])

    def _state(self) -> dict[str, tuple[int, bytes]]:
        found = (path for path in self.here.rglob("*") if path.is_file())
        return {str(path): (path.lstat().st_mtime_ns, path.read_bytes()) for path in found}


@pytest.fixture
def desk(client: Motherlode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Desk(client, tmp_path)


def test_what_was_edited_or_put_there_stops_a_pull_before_anything_is_changed(desk: Desk) -> None:
    desk.pull()
    edited = desk.here / "train" / "cat" / "0.png"
    edited.write_bytes(png(100))
    desk.put({"train/cat/1.png": png(201), "train/cat/new.png": png(202), "train/dog/linked.png": png(203)})
    (desk.here / "train" / "cat" / "new.png").write_bytes(b"mine")
    (desk.here / "train" / "dog").mkdir()
    (desk.here / "train" / "dog" / "linked.png").symlink_to(edited)
    assert sorted(desk.refused()) == ["train/cat/0.png", "train/cat/new.png", "train/dog/linked.png"]
    assert desk.pull(force=True).fetched_files == 4
    assert bytes_of(desk.here) == bytes_of(desk.source)
    assert desk.pull().fetched_files == 0


def test_what_an_earlier_pull_wrote_is_overwritten_also_where_it_was_of_an_earlier_version(desk: Desk) -> None:
    desk.pull()
    desk.put({"train/cat/0.png": png(300)})
    pull_version(desk.client, "digits", desk.here, split="test")  # 0.png stays as it was
    desk.put({"train/cat/1.png": png(301)})
    assert desk.pull().fetched_files == 2
    assert bytes_of(desk.here) == bytes_of(desk.source)
    assert desk.pull(1).fetched_files == 2


def test_a_file_that_was_pushed_from_the_folder_is_overwritten(desk: Desk) -> None:
    desk.pull()
    (desk.here / "train" / "cat" / "0.png").write_bytes(png(400))
    push_folder(desk.client, "digits", desk.here, PushTerms())
    desk.put({"train/cat/0.png": png(401)})
    assert desk.pull().fetched_files == 1


def test_labels_that_were_edited_stop_a_pull_and_those_of_an_earlier_pull_do_not(desk: Desk) -> None:
    desk.pull()
    desk.put({"train/dog/0.png": png(500)})
    desk.pull()
    assert len(desk.labels.read_text().splitlines()) == 4
    desk.labels.write_text(desk.labels.read_text().replace("dog", "cat"))
    assert desk.refused() == [".motherlode/samples.jsonl"]
    desk.pull(force=True)
    assert '"dog"' in desk.labels.read_text()


@pytest.mark.clock
def test_a_pull_that_was_killed_goes_on_over_files_of_both_versions(desk: Desk) -> None:
    desk.pull()
    desk.put({f"train/cat/{number}.png": png(600 + number) for number in range(3)})
    old = bytes_of(desk.here)
    desk.pull()
    (desk.here / "train" / "cat" / "0.png").write_bytes(old["train/cat/0.png"])  # as if it had not come yet
    desk.put({"train/cat/1.png": png(700)})
    assert desk.pull().fetched_files == 2


def test_lode_says_how_many_files_and_the_first_ten_and_ends_with_1(lode: Lode, desk: Desk) -> None:
    desk.put({f"train/cat/{number}.png": png(number) for number in range(12)})
    lode("pull", "digits", str(desk.here))
    for number in range(12):
        (desk.here / "train" / "cat" / f"{number}.png").write_bytes(b"mine")
    told = lode("pull", "digits", str(desk.here), code=1)
    assert "files_edited" in told
    assert f"12 files in {desk.here}" in told
    assert "--force" in told
    assert told.count("\n  train/cat/") == 10
    assert "and 2 more" in told
    done = json.loads(lode("pull", "digits", str(desk.here), "--force", "--json"))
    assert done["fetched_files"] == 12
    os.utime(desk.here / "train" / "cat" / "0.png")  # touched is not edited
    lode("pull", "digits", str(desk.here))
