"""`--json` against the real platform, of commands that change something: what they print is the platform's document."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests import commands
from tests.datasets.transfers.conftest import Lode, Wire

from embedded.ports import HOST
from motherlode import Motherlode

Call = Callable[..., Any]


@pytest.fixture
def owner(wire: Wire, token: str, tmp_path: Path) -> Call:
    """The owner's `lode`, which returns the one document on standard output."""
    env = {"MOTHERLODE_URL": f"http://{HOST}:{wire.port}", "MOTHERLODE_TOKEN": token, "COLUMNS": "40"}

    def call(*words: str, code: int = 0) -> Any:
        done = commands.lode((*words, "--json"), env=env, cwd=tmp_path)
        assert done.returncode == code, f"{done.stdout}\n{done.stderr}"
        return json.loads(done.stdout)

    return call


def test_a_dataset_from_its_name_to_its_deletion(owner: Call, lode: Lode, folder: Path) -> None:
    lode("push", str(folder), "digits")
    kept = owner("dataset", "slice", "digits", "nights", "--filter", "split = train")
    assert (kept["name"], kept["count"]) == ("nights", 54)
    assert owner("dataset", "slice", "digits", "nights", "--delete") == {"dataset": "digits", "slice": "nights"}
    assert owner("dataset", "rename", "digits", "numbers")["name"] == "numbers"
    assert owner("dataset", "archive", "numbers")["archived_by"] == "alice"
    assert owner("dataset", "delete", "numbers", code=1)["allowed"] is True
    assert owner("dataset", "restore", "numbers")["archived"] is None


def test_a_queue_is_created_changed_and_written_to_a_file(owner: Call, lode: Lode, folder: Path) -> None:
    lode("push", str(folder), "digits")
    made = owner("queue", "create", "q", "digits", "--filter", "split = train", "--limit", "5")
    assert (made["name"], made["counts"]["total"], made["passing"]) == ("q", 5, 54)
    assert owner("queue", "add", "q", "--filter", "split = test")["added"] == 6
    assert owner("queue", "change", "q", "--priority", "high")["priority"] == "high"
    assert owner("queue", "requeue", "q") == {"requeued": 0}
    written = owner("queue", "export", "q", "--to", "tasks.jsonl")
    assert (written["file"], written["bytes"] > 0) == ("tasks.jsonl", True)


def test_people_and_projects(owner: Call, client: Motherlode) -> None:
    assert owner("project", "create", "roads")["name"] == "roads"
    assert owner("people", "add", "zoe", "--project", "roads")["username"] == "zoe"
    assert owner("project", "add", "roads", "zoe", "--role", "reviewer")["role"] == "reviewer"
    assert owner("people", "role", "zoe", "viewer", "--project", "roads")["username"] == "zoe"
    assert owner("people", "deactivate", "zoe")["active"] is False
    assert owner("people", "activate", "zoe")["active"] is True
    assert owner("project", "quota", "roads", "--slots", "2")["slots"] == 2
    assert owner("project", "remove", "roads", "zoe") == {"project": "roads", "person": "zoe"}
    assert owner("project", "rename", "roads", "streets")["name"] == "streets"


def test_a_model_without_versions(owner: Call, client: Motherlode) -> None:
    assert owner("model", "create", "m", "--classes", "cat,dog")["classes"] == ["cat", "dog"]
    assert owner("model", "rename", "m", "signs")["name"] == "signs"
    assert owner("model", "archive", "signs")["name"] == "signs"
