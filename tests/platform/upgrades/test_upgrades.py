"""A state of an earlier version becomes one of this code: the same tables as a new platform has, and nothing lost."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from rest_framework.test import APIClient
from tests.mining.conftest import truth  # noqa: F401 - a fixture
from tests.mining.pipelines.turning import make
from tests.platform.upgrades.states import restore, write, written
from tests.workers import ROOT

PLACES = ("/datasets", "/datasets/digits/versions", "/datasets/digits/versions/1/samples", "/labeling/queues",
          "/models", "/pipelines", "/mining/jobs", "/jobs", "/people")  # fmt: skip
READ = f"""
import json
from rest_framework.test import APIClient
from accounts.models import User
client = APIClient()
client.force_authenticate(User.objects.get(username="alice"))
print(json.dumps({{place: client.get(place).json()["results"] for place in {PLACES!r}}}))
"""


def manage(database: Path, *words: str) -> str:
    """The states are SQLite's, whatever profile is tested."""
    environment = os.environ | {
        "MOTHERLODE_DATABASE_URL": f"sqlite:///{database}",
        "MOTHERLODE_TEST_PROFILE": "embedded",
    }
    done = subprocess.run(
        [sys.executable, "manage.py", *words], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def tables(database: Path) -> dict[str, set[tuple[Any, ...]]]:
    """The columns, indexed columns and references of each table."""
    with closing(sqlite3.connect(database)) as opened:
        names = [name for (name,) in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = {name: {row[1:] for row in opened.execute(f"PRAGMA table_info('{name}')")} for name in names}
        for name in names:
            for _, index, *kind in opened.execute(f"PRAGMA index_list('{name}')").fetchall():
                columns = tuple(row[2] for row in opened.execute(f"PRAGMA index_info('{index}')"))
                found[name].add((columns, *kind))
            for _, _, *reference in opened.execute(f"PRAGMA foreign_key_list('{name}')").fetchall():
                found[name].add(("references", *reference))
    return found


def content_types(database: Path) -> list[tuple[str, str]]:
    """The models that Django knows, by app."""
    with closing(sqlite3.connect(database)) as opened:
        return sorted(opened.execute("SELECT app_label, model FROM django_content_type"))


@pytest.mark.skipif("MOTHERLODE_WRITE_STATE" not in os.environ, reason="states are written at a release")
@pytest.mark.django_db(transaction=True)
def test_write_a_state(api: APIClient, truth: dict[str, str]) -> None:  # noqa: F811 - the fixture
    body = {"name": "first", "dataset": "digits", "samples": ["pool-00.png", "pool-01.png"]}
    assert api.post("/labeling/queues", body, format="json").status_code == 201
    (task, _) = api.post("/labeling/queues/first/next", {"count": 2}, format="json").json()["tasks"]
    answer = {"value": {"class": truth["pool-00.png"]}, "seconds": 2.0, "lease_token": task["lease_token"]}
    answer |= {"shown_suggestion": False}
    assert api.post(f"/labeling/tasks/{task['id']}/answer", answer, format="json").status_code == 200
    make(api)
    write(connection.settings_dict["NAME"], os.environ["MOTHERLODE_WRITE_STATE"])


@pytest.mark.parametrize("state", written(), ids=lambda state: state.name.removesuffix(".sql.gz"))
def test_it_has_the_tables_of_a_new_platform_and_serves_what_it_held(state: Path, tmp_path: Path) -> None:
    old, new = tmp_path / "old.sqlite3", tmp_path / "new.sqlite3"
    restore(state, old)
    manage(old, "migrate", "-v0")
    manage(new, "migrate", "-v0")
    assert tables(old) == tables(new)
    assert content_types(old) == content_types(new)
    served = json.loads(manage(old, "shell", "--no-imports", "-c", READ).splitlines()[-1])
    assert {place: len(results) for place, results in served.items()} == {
        "/datasets": 1, "/datasets/digits/versions": 1, "/datasets/digits/versions/1/samples": 50,
        "/labeling/queues": 1, "/models": 1, "/pipelines": 1, "/mining/jobs": 0, "/jobs": 1, "/people": 1,
    }  # fmt: skip
    assert served["/datasets"][0]["counts"]["samples"] == 110
    assert served["/labeling/queues"][0]["counts"]["done"] == 1
