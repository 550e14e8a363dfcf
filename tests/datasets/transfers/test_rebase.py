"""`lode dataset push --rebase`: on a head that moved, replayed where nobody else touched the keys, else refused."""

import json
from pathlib import Path

import pytest
from tests.datasets.conftest import png
from tests.datasets.transfers.conftest import Lode

from catalog.models import Dataset, Version

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ours(lode: Lode, folder: Path) -> Path:
    """A folder that was pushed as version 1, and then changed here: one image anew, one more."""
    lode("push", str(folder), "digits")
    (folder / "train" / "dog" / "001.png").write_bytes(png(901))
    (folder / "train" / "dog" / "ours.png").write_bytes(png(902))
    return folder


def theirs(lode: Lode, root: Path, files: dict[str, bytes]) -> None:
    """Somebody else's commit on the head."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    lode("push", str(root), "digits")


def states(dataset: Dataset, number: int) -> dict[str, str]:
    rows = Version.objects.get(dataset=dataset, number=number).revisions
    return dict(rows.values_list("sample__key", "blob__md5"))


def test_changes_of_other_keys_are_kept_and_ours_come_on_top(
    lode: Lode, ours: Path, dataset: Dataset, tmp_path: Path
) -> None:
    theirs(lode, tmp_path / "theirs", {"train/cat/theirs.png": png(910), "train/cat/010.png": png(911)})
    pushed = json.loads(lode("push", str(ours), "digits", "--parent", "1", "--rebase", "--json"))
    assert (pushed["commit"]["parent"], pushed["commit"]["added"], pushed["commit"]["updated"]) == (2, 1, 1)
    head, second = states(dataset, 3), states(dataset, 2)
    assert head["train/cat/theirs.png"] == second["train/cat/theirs.png"]
    assert head["train/cat/010.png"] == second["train/cat/010.png"]  # not set back to what we had of it
    assert {key for key in head if head[key] != second.get(key)} == {"train/dog/001.png", "train/dog/ours.png"}


def test_a_key_that_both_changed_is_refused_and_named(lode: Lode, ours: Path, dataset: Dataset, tmp_path: Path) -> None:
    theirs(lode, tmp_path / "theirs", {"train/dog/001.png": png(912), "train/dog/ours.png": png(913)})
    said = lode("push", str(ours), "digits", "--parent", "1", "--rebase", code=1)
    assert "rebase_conflict" in said
    assert "train/dog/001.png" in said
    assert "train/dog/ours.png" in said
    assert Version.objects.filter(dataset=dataset).count() == 2


def test_a_removal_of_what_others_changed_is_refused(
    lode: Lode, folder: Path, dataset: Dataset, tmp_path: Path
) -> None:
    lode("push", str(folder), "digits")
    theirs(lode, tmp_path / "theirs", {"train/dog/001.png": png(912)})
    (folder / "train" / "dog" / "001.png").unlink()
    said = lode("push", str(folder), "digits", "--parent", "1", "--rebase", "--delete", code=1)
    assert "rebase_conflict" in said
    (tmp_path / "theirs" / "train" / "dog" / "001.png").unlink()
    done = json.loads(lode("push", str(folder), "digits", "--rebase", "--delete", "--json"))
    assert done["commit"]["removed"] == 1


def test_the_first_push_of_two_to_an_empty_dataset_wins_and_the_other_is_replayed(
    lode: Lode, folder: Path, dataset: Dataset, tmp_path: Path
) -> None:
    theirs(lode, tmp_path / "theirs", {"train/cat/theirs.png": png(910)})
    pushed = json.loads(lode("push", str(folder), "digits", "--parent", "0", "--rebase", "--json"))
    assert (pushed["commit"]["version"], pushed["commit"]["added"]) == (2, 60)
    again = json.loads(lode("push", str(folder), "digits", "--parent", "0", "--rebase", "--json"))
    assert (again["commit"]["version"], again["commit"]["unchanged"]) == (2, 60)  # as after an answer that got lost


@pytest.mark.clock
def test_a_replay_of_nothing_of_ours_commits_nothing(lode: Lode, folder: Path, tmp_path: Path) -> None:
    (folder / "only.png").write_bytes(png(1))
    lode("push", str(folder), "digits")
    theirs(lode, tmp_path / "theirs", {"only.png": png(2)})
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone" / "only.png").write_bytes(png(1))
    done = json.loads(lode("push", str(tmp_path / "alone"), "digits", "--parent", "1", "--rebase", "--json"))
    assert (done["commit"]["version"], done["commit"]["updated"]) == (2, 0)


@pytest.fixture
def pulled(lode: Lode, folder: Path, tmp_path: Path) -> Path:
    """A folder into which version 1 was pulled, before somebody else pushed ten more."""
    lode("push", str(folder), "digits")
    lode("pull", "digits", str(tmp_path / "pulled"))
    theirs(lode, tmp_path / "theirs", {f"train/cat/new-{n}.png": png(920 + n) for n in range(10)})
    return tmp_path / "pulled"


def test_the_pulled_version_is_the_parent_so_that_nothing_is_removed_unseen(
    lode: Lode, pulled: Path, dataset: Dataset
) -> None:
    for words in (("--delete",), ()):
        said = lode("push", str(pulled), *words, code=1)
        assert "stale_parent" in said
        assert "10 added" in said
        assert "--rebase" in said
        assert "--onto head" in said
    assert Version.objects.filter(dataset=dataset).count() == 2
    (pulled / "train" / "dog" / "001.png").unlink()
    done = json.loads(lode("push", str(pulled), "--delete", "--rebase", "--json"))
    assert (done["commit"]["parent"], done["commit"]["removed"]) == (2, 1)
    assert "stale_parent" in lode("push", str(pulled), "--delete", code=1), "theirs are not in the folder yet"
    done = json.loads(lode("push", str(pulled), "--delete", "--onto", "head", "--json"))
    assert done["commit"]["removed"] == 10


def test_a_push_goes_on_from_the_version_that_it_made(lode: Lode, folder: Path, tmp_path: Path) -> None:
    lode("push", str(folder), "digits")
    lode("pull", "digits", str(tmp_path / "out"))
    for number in (2, 3):
        (tmp_path / "out" / f"{number}.png").write_bytes(png(940 + number))
        done = json.loads(lode("push", str(tmp_path / "out"), "--json"))
        assert (done["commit"]["parent"], done["commit"]["version"]) == (number - 1, number)


@pytest.mark.clock
def test_files_that_both_changed_are_a_conflict_without_delete_too(
    lode: Lode, pulled: Path, dataset: Dataset, tmp_path: Path
) -> None:
    (pulled / "train" / "dog" / "001.png").write_bytes(png(950))
    assert "stale_parent" in lode("push", str(pulled), code=1)
    theirs(lode, tmp_path / "theirs", {"train/dog/001.png": png(951)})
    assert "rebase_conflict" in lode("push", str(pulled), "--rebase", code=1)
    assert Version.objects.filter(dataset=dataset).count() == 3


def test_what_was_pulled_of_another_dataset_says_nothing(lode: Lode, pulled: Path, dataset: Dataset) -> None:
    """Nor of one of the same name on another platform."""
    noted = pulled / ".motherlode" / "version.json"
    noted.write_text(json.dumps(json.loads(noted.read_text()) | {"created": "2020-01-01T00:00:00Z"}))
    assert json.loads(lode("push", str(pulled), "--json"))["commit"]["parent"] == 2
    assert json.loads(noted.read_text())["version"] == 1
