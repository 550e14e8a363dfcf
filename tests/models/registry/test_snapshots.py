"""`/runs/{id}/snapshots`: what was kept while a run trained, and the bytes of any of it."""

import hashlib

import pytest
from tests.models.registry.test_clone_run import RUN

from blobs.services import keep_bytes
from registry.models import Run, Snapshot

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(api, truth) -> Run:
    return Run.objects.get(pk=api.post("/runs", RUN, format="json").json()["id"])


@pytest.fixture
def keep(run):
    def make(kind: str, step: int, content: bytes) -> Snapshot:
        blob = keep_bytes(content, media_type="application/octet-stream")
        return Snapshot.objects.create(run=run, kind=kind, step=step, blob=blob, metrics={"accuracy": step / 10})

    return make


def test_snapshots_are_listed_the_newest_first_and_downloaded(api, run, keep):
    keep("best", 2, b"two")
    keep("recovery", 4, b"four")
    listed = api.get(f"/runs/{run.pk}/snapshots").json()["results"]
    assert [(row["kind"], row["step"], row["metrics"]) for row in listed] == [
        ("recovery", 4, {"accuracy": 0.4}), ("best", 2, {"accuracy": 0.2}),
    ]  # fmt: skip
    answer = api.get(listed[1]["url"])
    assert b"".join(answer) == b"two"
    assert answer["Content-Disposition"] == f'attachment; filename="run-{run.pk}-best-2.safetensors"'
    assert answer["ETag"] == f'"{hashlib.sha256(b"two").hexdigest()}"'
    assert answer["Content-Length"] == "3"
    assert api.get(listed[1]["url"], headers={"If-None-Match": answer["ETag"]}).status_code == 304


def test_of_two_at_one_step_the_best_comes_unless_the_other_is_asked_for(api, run, keep):
    keep("recovery", 2, b"with its optimiser")
    keep("best", 2, b"two")
    assert b"".join(api.get(f"/runs/{run.pk}/snapshots/2")) == b"two"
    assert b"".join(api.get(f"/runs/{run.pk}/snapshots/2?kind=recovery")) == b"with its optimiser"


def test_what_is_not_there_is_404_and_says_what_is(api, run, keep):
    assert api.get(f"/runs/{run.pk}/snapshots").json() == {"results": [], "next": None}
    keep("best", 2, b"two")
    for address in (f"/runs/{run.pk}/snapshots/3", f"/runs/{run.pk}/snapshots/2?kind=recovery"):
        answer = api.get(address)
        assert (answer.status_code, answer.json()["code"]) == (404, "snapshot_unknown")
        assert "it has 2" in answer.json()["detail"]
    assert api.get("/runs/99/snapshots").json()["code"] == "run_unknown"
    assert api.get(f"/runs/{run.pk}/snapshots/99999999999999999999999").status_code == 404
    assert "kind" in api.get(f"/runs/{run.pk}/snapshots/2?kind=worst").json()["errors"]
