"""Every command of the parser, called with `--json`: standard output holds exactly one document."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.platform.motherlode.canned import Answer, Asked, CannedServer
from tests.platform.motherlode.test_lode import lode
from typer.main import get_command

from motherlode.cli import build

OPERATORS = {
    "admin backup": "it starts the program of the platform's own machine, and calls no API",
    "admin restore": "it starts the program of the platform's own machine, and calls no API",
    "admin upgrade-check": "it hands --json to the program of the platform's own machine",
    "doctor": "it hands --json to the program of the platform's own machine",
}
ELSEWHERE = {
    "annotate": "it answers until its queue is empty: test_lode_json",
    "dataset import-dvc": "it reads a DVC repository: datasets/publishing/test_import_dvc",
    "dataset pull": "it checks each image against its digest: datasets/transfers/test_push_and_pull",
}
# What a command needs beside a value for each of its arguments: the rest is made up from the parser.
OPTIONS = {
    "dataset create": "--classes cat,dog",
    "dataset edit": "--filter boxes>1 --remove",
    "dataset erase": "--yes",
    "dataset export": "--output out.zip",
    "dataset import": "--source s",
    "dataset import-dvc": "--classes cat",
    "dataset slice": "--filter boxes>1",
    "dataset tag-samples": "--filter boxes>1 --add night",
    "dataset push": "d",
    "dataset allow": "a.png",
    "dataset keep-out": "a.png",
    "dataset similar": "a.png",
    "backtest start": "--model m@1",
    "model download": "--to m.onnx",
    "queue add": "--filter boxes>1",
    "queue change": "--mode label",
    "lineage": "a.png",
    "run snapshots": "--step 5 --to snapshot.bin",
}
VALUES = {"source": "pictures.zip", "address": "s3://b/p", "onnx": "a.png", "images": "a.png",
          "image": "a.png", "text": "a.png", "tokenizer": "a.png", "to": "written", "sources": "sources.json",
          "search": "recipe.steps=1..2"}  # fmt: skip
STATES = {"pipeline watch": "done"}
DONE = {
    "id": 1, "kind": "any", "title": "Any", "state": "succeeded", "error": None,
    "missing": None, "waiting": None, "points": [],
    "log": [], "next": 0, "progress": {"done": 1, "total": 1, "rate": None, "eta": None, "unit": "rows"},
    "result": {"blobs": 1, "digest": "d", "frames": 1, "version": 2, "rejected": []},
}  # fmt: skip
# An answer in which every command finds what it looks for, before it prints.
ANY: dict[str, Any] = {
    **DONE, "name": "x", "words": "about 2 min",
    "job": DONE, "dataset": "d", "digest": "d", "number": 1, "version": 2, "rejected": [],
    "counts": {"todo": 0, "leased": 0, "running": 0, "total": 0}, "gates": [], "filter": {}, "best": None, "goes": [],
    "stays": [], "needs": [], "busy": [], "allowed": False, "archived": None, "trials": 1, "started": [], "notes": "",
    "tasks": [], "bytes": 1, "samples": 1, "slice": None, "split": None, "stats": {}, "known": [], "text": "text",
    "requeued": 1, "upload": "u", "missing_files": [], "buckets": {}, "exists": [], "unknown": [],
    "mode": "label", "checked": 0, "confirmed": 0, "forgotten": 0, "moved": 0, "user": {},
    "warnings": [], "inputs_changed": None, "hidden": 0, "files": 1, "next": None, "url": "/x", "index": 1, "count": 1,
    "queue_counts": None, "queue": None, "auto_commit": None, "parts": 0, "received": [], "part_bytes": 1,
}  # fmt: skip


def commands(found: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """The commands of a group and of those within it, by the words that call them."""
    if hasattr(found, "commands"):
        for name, command in found.commands.items():
            yield from commands(command, (*path, name))
    else:
        yield " ".join(path), found


COMMANDS = dict(commands(get_command(build())))


def typed(name: str) -> list[str]:
    """What is typed to call a command, with a value for everything that it asks for."""
    words = name.split()
    for param in COMMANDS[name].params:
        if param.required:
            option = [param.opts[0]] if param.param_type_name == "option" else []
            words += [*option, VALUES.get(param.name, "1")]
    return [*words, *OPTIONS.get(name, "").split()]


class Answering(CannedServer):
    """Answers every call with the same document; `state` is that of its jobs."""

    state = "succeeded"

    def answer(self, asked: Asked) -> Answer:
        self.asked.append(asked)
        job = DONE | {"state": self.state}
        one = ANY | job | {"job": job} | ({"trials": []} if asked.path.endswith("/register") else {})
        return Answer(200, one | {"results": [one]})


@pytest.fixture
def anything() -> Iterator[Answering]:
    server = Answering()
    yield server
    server.close()


def test_only_what_calls_no_api_has_no_document() -> None:
    without = {name for name, one in COMMANDS.items() if not any("--json" in option.opts for option in one.params)}
    assert without == OPERATORS.keys() - {"doctor", "admin upgrade-check"}
    assert len(COMMANDS) > 130


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - OPERATORS.keys() - ELSEWHERE.keys()))
def test_standard_output_is_one_document(anything: Answering, tmp_path: Path, name: str) -> None:
    for file in ("pictures.zip", "a.png"):
        (tmp_path / file).write_bytes(b"PK\x03\x04 some bytes")
    (tmp_path / "sources.json").write_text("{}")
    anything.state = "running" if name.endswith("cancel") else STATES.get(name, "succeeded")
    done = lode(anything, *typed(name), "--json", cwd=tmp_path)
    assert "Traceback" not in done.stderr, done.stderr
    assert "Usage" not in done.stderr, done.stderr
    json.loads(done.stdout)
    assert anything.asked


def test_every_argument_and_option_says_what_it_is_for() -> None:
    silent = [f"{name} {one.opts[0]}" for name, command in COMMANDS.items() for one in command.params if not one.help]
    assert silent == []


def test_a_round_that_fails_again_at_once_is_told_with_its_reason(server: CannedServer, tmp_path: Path) -> None:
    failed = {"number": 1, "state": "failed", "error": "Dataset 'd' is empty: push images to it first.",
              "queue_counts": None, "auto_commit": None, "queue": None}  # fmt: skip
    server.script["POST /pipelines/p/retry"] = [Answer(202, {"name": "p"})]
    server.script["GET /pipelines/p/rounds"] = [Answer(200, {"results": [failed], "next": None})]
    done = lode(server, "pipeline", "retry", "p", cwd=tmp_path)
    assert (done.returncode, "Dataset 'd' is empty" in done.stdout) == (1, True)
    assert json.loads(lode(server, "pipeline", "retry", "p", "--json", cwd=tmp_path).stdout) == failed


# How many samples a queue draws is for the platform to judge.
LIMITED = sorted(
    name
    for name, one in COMMANDS.items()
    if name != "queue create" and any("--limit" in option.opts for option in one.params)
)


@pytest.mark.parametrize("name", LIMITED)
def test_a_limit_that_no_list_reaches_is_refused_in_words(anything: Answering, tmp_path: Path, name: str) -> None:
    done = lode(anything, *typed(name), "--limit", "9" * 30, cwd=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert "'--limit'" in done.stderr
