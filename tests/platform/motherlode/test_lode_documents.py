"""Whatever `lode` shows, it also prints as the platform's document, for other programs."""

import json
from typing import Any

import pytest
from tests.platform.motherlode.canned import Answer, CannedServer
from tests.platform.motherlode.test_lode import lode

LISTED = [{"id": 1, "name": "[red]"}, {"id": 2, "name": "b"}]
ONE, VERSIONS = {"id": 1, "name": "x"}, [{"version": 2}, {"version": 1}]
PAGE = {"results": LISTED, "next": None}
WAITING = {"results": [{"key": "job:1", "title": "[red]"}], "unseen": 1, "left_out": 0, "mail": True, "mail_to": None}
COMMANDS: dict[str, tuple[dict[str, Any], Any]] = {
    "dataset list": ({"GET /datasets": PAGE}, LISTED),
    "dataset show x": ({"GET /datasets/x": ONE, "GET /datasets/x/versions": {"results": VERSIONS, "next": None}},
                       ONE | {"versions": VERSIONS}),
    "job list": ({"GET /jobs": PAGE}, LISTED),
    "model list": ({"GET /models": PAGE}, LISTED),
    "model show x": ({"GET /models/x": ONE, "GET /models/x/versions": {"results": VERSIONS, "next": None}},
                     ONE | {"versions": VERSIONS}),
    "model version x 2": ({"GET /models/x/versions/2": ONE}, ONE),
    "model architectures": ({"GET /architectures": PAGE}, LISTED),
    "mine strategies": ({"GET /strategies": PAGE | {"faults": []}}, PAGE | {"faults": []}),
    "run list": ({"GET /runs": PAGE}, LISTED),
    "run show 1": ({"GET /runs/1": ONE}, ONE),
    "queue list": ({"GET /labeling/queues": PAGE}, LISTED),
    "people list": ({"GET /people": PAGE}, LISTED),
    "project list": ({"GET /projects": PAGE}, LISTED),
    "project members x": ({"GET /projects/x/members": PAGE}, LISTED),
    "audit": ({"GET /audit": PAGE}, LISTED),
    "notifications": ({"GET /session/notifications": WAITING}, WAITING),
    "notifications --seen": ({"PATCH /session/notifications": WAITING}, WAITING),
}  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS)
def test_it_is_printed_as_it_came(server: CannedServer, words: str) -> None:
    answers, document = COMMANDS[words]
    server.script.update({address: [Answer(200, answer)] for address, answer in answers.items()})
    done = lode(server, *words.split(), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == document
