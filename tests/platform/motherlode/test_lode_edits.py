"""`lode dataset edit`, `revert` and `lode queue add`, as they are typed."""

from pathlib import Path
from typing import Any

from tests.platform.motherlode.canned import Answer, CannedServer
from tests.platform.motherlode.test_lode import lode

COMMIT: dict[str, Any] = {
    "version": 3, "parent": 2, "added": 0, "updated": 12, "removed": 0, "labelled": 12, "unchanged": 0, "converted": 0,
    "rejected": [], "near_duplicates": [], "leaks": [], "held_out": None,
    "exact_duplicates": {"in_commit": 0, "in_dataset": 0, "pairs": []},
}  # fmt: skip


def test_an_edit_is_committed_and_how_to_take_it_back_is_told(server: CannedServer, tmp_path: Path) -> None:
    server.script["POST /datasets/pets/edits"] = [Answer(201, COMMIT)]
    words = ("--slice", "dark", "--filter", "class = cat or class = dog", "--label", "cat", "--message", "Odd")
    done = lode(server, "dataset", "edit", "pets", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert server.asked[0].document == {
        "filter": 'slice = "dark" and (class = cat or class = dog)', "label": {"class": "cat"}, "remove": False,
        "message": "Odd", "strict": False,
    }  # fmt: skip
    assert "pets is at version 3: 12 updated, 12 labelled" in done.stdout
    assert "lode dataset revert pets 3" in done.stdout


def test_a_dry_run_says_what_would_change_and_what_can_not(server: CannedServer, tmp_path: Path) -> None:
    refused = {"code": "test_is_fixed", "detail": "split: a test sample stays in test", "samples": 2, "keys": ["c.png"]}
    told = {"version": 2, "samples": 14, "changed": 12, "unchanged": 0, "by_split": {"pool": 12},
            "by_class": {"dog": 5}, "unlabelled": 7, "refused": [refused],
            "moves": [{"from": "pool", "to": "train", "samples": 12}],
            "held_out": 1, "leaks": 0}  # fmt: skip
    server.script["POST /datasets/pets/edits/preview"] = [Answer(200, told)]
    done = lode(
        server, "dataset", "edit", "pets", "--filter", "width > 9", "--split", "train", "--dry-run", cwd=tmp_path
    )
    assert server.asked[0].document == {"filter": "width > 9", "split": "train", "remove": False}
    assert done.stdout.splitlines() == [
        "of 14 samples of version 2, 12 would change", "  their labels now: 5 dog, 7 without a label",
        "  12 go from pool to train", "  1 stay in pool: they show nearly what a test image shows",
    ]  # fmt: skip
    assert "2 can't be changed so, like c.png: split: a test sample stays in test" in done.stderr


def test_labels_are_taken_away(server: CannedServer, tmp_path: Path) -> None:
    server.script["POST /datasets/pets/edits"] = [Answer(201, COMMIT)]
    words = ("dataset", "edit", "pets", "--slice", "dark", "--no-label")
    assert lode(server, *words, "--split", "pool", cwd=tmp_path).returncode == 0
    sent = {"filter": 'slice = "dark"', "clear": True, "split": "pool", "remove": False}
    assert server.asked[0].document == sent | {"message": "", "strict": False}
    told = {"version": 2, "samples": 7, "changed": 7, "unchanged": 0, "by_split": {"pool": 1, "train": 4, "test": 2},
            "by_class": {"cat": 7}, "unlabelled": 0, "refused": [], "moves": [], "held_out": 0, "leaks": 0}  # fmt: skip
    server.script["POST /datasets/pets/edits/preview"] = [Answer(200, told)]
    shown = lode(server, *words, "--dry-run", cwd=tmp_path).stdout
    assert "4 in train, 2 in test are neither trained on nor evaluated without a label" in shown
    assert "say one of the two" in lode(server, *words, "--label", "cat", cwd=tmp_path).stderr


def test_a_version_is_taken_back(server: CannedServer, tmp_path: Path) -> None:
    server.script["POST /datasets/pets/reverts"] = [Answer(201, COMMIT | {"version": 4})]
    done = lode(server, "dataset", "revert", "pets", "3", cwd=tmp_path)
    assert server.asked[0].document == {"version": "3", "message": ""}
    assert "pets is at version 4" in done.stdout


def test_an_edit_of_everything_has_to_be_said(server: CannedServer, tmp_path: Path) -> None:
    assert "--filter or --slice" in lode(server, "dataset", "edit", "pets", "--remove", cwd=tmp_path).stderr
    assert server.asked == []


def test_more_samples_come_into_a_queue(server: CannedServer, tmp_path: Path) -> None:
    server.script["POST /labeling/queues/night/samples"] = [Answer(200, {"added": 3, "already": 2, "left_out": 1})]
    done = lode(server, "queue", "add", "night", "--slice", "dark", cwd=tmp_path)
    assert done.stdout.splitlines() == [
        "night: 3 samples added; 2 were in it; 1 near-duplicates of test samples are left out"
    ]


def test_classes_are_added_removed_or_set(server: CannedServer, tmp_path: Path) -> None:
    server.script["POST /datasets/pets/edits"] = [Answer(201, COMMIT), Answer(201, COMMIT)]
    words = ("dataset", "edit", "pets", "--slice", "dark")
    given = lode(server, *words, "--add-class", "cat", "--add-class", "bird", "--remove-class", "dog", cwd=tmp_path)
    assert given.returncode == 0, given.stderr
    assert lode(server, *words, "--label", "cat", "--label", "dog", cwd=tmp_path).returncode == 0
    told = {"filter": 'slice = "dark"', "remove": False, "message": "", "strict": False}
    assert [one.document for one in server.asked] == [
        told | {"add_classes": ["cat", "bird"], "remove_classes": ["dog"]},
        told | {"label": {"classes": ["cat", "dog"]}},
    ]
