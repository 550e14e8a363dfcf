"""Renaming, archiving, restoring and deleting: the same of datasets, models, queues, pipelines and back-tests."""

import itertools
from typing import Any

import pytest
from tests.mining.pipelines.turning import learned, make
from tests.working import work_on

from accounts.models import Membership, Project, Role
from backtests.models import Backtest
from blobs.models import Blob
from blobs.references import unreachable
from catalog.models import Dataset, Label, Revision, Sample
from core.errors import Conflict
from jobs import services as jobs
from jobs.lifecycle.kinds import Fate, kinds, parts_of
from jobs.lifecycle.models import LifecycleEvent
from jobs.models import Job
from labeling.models import Answer, Queue, Task
from pipelines.models import Pipeline
from pipelines.rounds import loop
from registry.models import ModelVersion

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]
KINDS = {
    "dataset": "/datasets/digits", "model": "/models/digits-cnn", "queue": "/labeling/queues/night",
    "pipeline": "/pipelines/loop", "backtest": "/backtests/which",
}  # fmt: skip


@pytest.fixture
def things(api, truth, alice) -> None:
    """One of each kind."""
    make(api)
    said = {"name": "night", "dataset": "digits", "samples": ["pool-00.png", "pool-01.png"]}
    assert api.post("/labeling/queues", said, format="json").status_code == 201
    asked = {"name": "which", "dataset": "digits", "learner": {"kind": "train", "architecture": "small_cnn"},
             "strategies": [{"name": "margin"}], "seeds": 2, "rounds": 1, "count": 5, "start": 5}  # fmt: skip
    made = api.post("/backtests", asked, format="json")
    assert made.status_code == 202, made.content
    jobs.cancel(made.json()["job"]["id"])


def names(api, address: str, **query: str) -> set[str]:
    return {one["name"] for one in api.get(address.rpartition("/")[0], query).json()["results"]}


def refused(answer, status: int, code: str) -> dict[str, Any]:
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.content
    told: dict[str, Any] = answer.json()
    return told


def archive(api, *addresses: str) -> None:
    for address in addresses:
        answer = api.post(f"{address}/archive")
        assert answer.status_code == 200, answer.content


def delete(api, address: str, name: str) -> Job:
    answer = api.delete(f"{address}?confirm={name}")
    assert answer.status_code == 202, answer.content
    return Job.objects.get(pk=answer.json()["job"]["id"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_name_is_an_address_and_the_old_one_still_leads_there(api, things, kind):
    address = KINDS[kind]
    old = address.rpartition("/")[2]
    changed = api.patch(address, {"name": "other"}, format="json")
    assert (changed.status_code, changed.json()["name"]) == (200, "other"), changed.content
    assert "other" in names(api, address)
    assert old not in names(api, address)
    for called in ("other", old):
        assert api.get(f"{address.rpartition('/')[0]}/{called}").json()["name"] == "other"
    (event,) = LifecycleEvent.objects.filter(kind=kind)
    assert (event.action, event.name, event.detail, event.by.username) == ("renamed", old, {"to": "other"}, "alice")


NEW: dict[str, dict[str, Any]] = {
    "dataset": {"task": "classification", "classes": ["a", "b"]},
    "model": {"task": "classification", "classes": ["a", "b"]},
    "queue": {"dataset": "digits", "samples": ["pool-00.png"]},
    "pipeline": {"dataset": "digits", "model": "digits-cnn", "architecture": "small_cnn", "strategy": "margin",
                 "count": 1},
    "backtest": {"dataset": "digits", "learner": {"kind": "train", "architecture": "small_cnn"},
                 "strategies": [{"name": "margin"}], "seeds": 2, "rounds": 1, "count": 5, "start": 5},
}  # fmt: skip


def renamed(api, address: str, name: str) -> None:
    answer = api.patch(address, {"name": name}, format="json")
    assert answer.status_code == 200, answer.content


@pytest.mark.parametrize("kind", KINDS)
def test_a_former_name_is_reserved_until_its_owner_releases_it(api, things, kind):
    address = KINDS[kind]
    route, _, old = address.rpartition("/")
    renamed(api, address, "other")
    renamed(api, f"{route}/other", "third")
    told = refused(api.post(route, {"name": old, **NEW[kind]}, format="json"), 409, "name_reserved")
    assert "'third'" in told["detail"]
    assert "/release-name" in told["detail"]
    assert api.get(address).json()["name"] == "third"
    refused(api.post(f"{route}/third/release-name", {"name": "never"}, format="json"), 404, "former_name_unknown")
    answer = api.post(f"{route}/third/release-name", {"name": old}, format="json")
    assert answer.status_code == 200, answer.content
    assert api.get(address).status_code == 404
    assert api.get(f"{route}/other").json()["name"] == "third"  # that one is reserved still
    event = LifecycleEvent.objects.filter(kind=kind).last()
    assert event is not None
    assert (event.action, event.name, event.by.username) == ("released", old, "alice")


def test_a_released_name_is_taken_and_means_the_new_thing(api, things):
    renamed(api, "/datasets/digits", "other")
    other = api.get("/datasets/digits").json()["id"]
    api.post("/datasets/other/release-name", {"name": "digits"}, format="json")
    made = api.post("/datasets", {"name": "digits", **NEW["dataset"]}, format="json")
    assert made.status_code == 201
    assert api.get("/datasets/digits").json()["id"] == made.json()["id"] != other


def test_a_thing_takes_its_own_former_name_and_a_renaming_no_others(api, things):
    renamed(api, "/models/digits-cnn", "other")
    assert api.post("/models", {"name": "second", **NEW["model"]}, format="json").status_code == 201
    refused(api.patch("/models/second", {"name": "digits-cnn"}, format="json"), 409, "name_reserved")
    renamed(api, "/models/other", "digits-cnn")
    refused(api.patch("/models/second", {"name": "other"}, format="json"), 409, "name_reserved")
    renamed(api, "/models/digits-cnn", "other")  # a circle ends nowhere else
    assert api.get("/models/digits-cnn").json()["name"] == "other"


def test_a_deleted_things_former_names_are_free(api, things):
    renamed(api, "/labeling/queues/night", "other")
    archive(api, "/labeling/queues/other")
    work_on(delete(api, "/labeling/queues/other", "other").pk)
    for name in ("night", "other"):
        assert api.post("/labeling/queues", {"name": name, **NEW["queue"]}, format="json").status_code == 201


def test_who_cannot_see_the_holder_learns_nothing_of_it(api, things, eva, api_of):
    renamed(api, "/datasets/digits", "classified")
    Membership.objects.all().delete()
    elsewhere = Project.objects.create(name="elsewhere")
    Membership.objects.create(project=elsewhere, user=eva, role=Role.OWNER)
    told = refused(api_of(eva).post("/datasets", {"name": "digits", **NEW["dataset"]}, format="json"), 409,
                   "name_reserved")  # fmt: skip
    assert "classified" not in str(told)
    assert told["detail"] == "The name 'digits' is reserved: choose another name."
    released = api_of(eva).post("/datasets/classified/release-name", {"name": "digits"}, format="json")
    assert released.status_code == 404


def test_a_name_is_refused_as_at_creation(api, things, subtests):
    for kind in KINDS:
        with subtests.test(kind=kind):
            for name in ("", "12", "Über", "a b", "x" * 101, "deleted)"):
                answer = api.patch(KINDS[kind], {"name": name}, format="json")
                assert (answer.status_code, list(answer.json()["errors"])) == (400, ["name"]), name


def test_a_taken_name_is_refused(api, things):
    api.post("/models", {"name": "second", "task": "classification", "classes": ["a"]}, format="json")
    refused(api.patch("/models/digits-cnn", {"name": "second"}, format="json"), 409, "name_taken")


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_archived_leaves_the_list_stays_readable_and_comes_back(api, things, kind):
    address = KINDS[kind]
    name = address.rpartition("/")[2]
    archive(api, address, address)
    assert api.get(address).json()["archived"] is not None
    assert name not in names(api, address)
    assert names(api, address, archived="true") == {name}
    assert api.post(f"{address}/restore").json()["archived"] is None
    assert name in names(api, address)
    assert names(api, address, archived="true") == set()
    assert list(LifecycleEvent.objects.values_list("action", flat=True)) == ["archived", "restored"]


RUN = {"model": "digits-cnn", "dataset": "digits", "architecture": "small_cnn"}


@pytest.mark.parametrize(
    ("thing", "posts"),
    [
        (
            "dataset",
            [
                ("/datasets/digits", {"samples": []}),
                ("/datasets/digits/slices", {"name": "x", "filter": {}}),
                ("/datasets/digits/forks", {"name": "x", "version": "head"}),
                ("/labeling/queues", {"name": "x", "dataset": "digits"}),
                ("/labeling/queues/night/next", {}),
                ("/pipelines/loop/rounds", {}),
                ("/runs", RUN),
            ],
        ),
        (
            "model",
            [
                ("/pipelines/loop/rounds", {}),
                ("/runs", RUN),
                ("/pipelines", RUN | {"name": "x", "strategy": "random", "count": 1}),
            ],
        ),
        ("queue", [("/labeling/queues/night/next", {}), ("/labeling/queues/night/commit", {})]),
        ("pipeline", [("/pipelines/loop/rounds", {}), ("/pipelines/loop/webhook", {})]),
    ],
)
def test_nothing_is_started_with_what_is_archived_or_written_to_it(api, things, subtests, thing, posts):
    archive(api, KINDS[thing])
    for address, body in posts:
        with subtests.test(address=address, body=body):
            told = refused(api.post(address, body, format="json"), 409, "archived")
            assert "restore it first" in told["detail"]


def test_a_task_of_an_archived_queue_takes_no_answer(api, things):
    task = api.post("/labeling/queues/night/next", {"count": 1}, format="json").json()["tasks"][0]
    archive(api, KINDS["queue"])
    said = {"value": {"class": "1"}, "seconds": 1, "lease_token": task["lease_token"]}
    refused(api.post(f"/labeling/tasks/{task['id']}/answer", said, format="json"), 409, "archived")
    assert not Answer.objects.exists()


def test_an_archived_pipeline_is_woken_by_no_schedule_and_no_trigger(api, things):
    api.patch("/pipelines/loop", {"schedule": "* * * * *", "trigger": {"new_labels": 1}}, format="json")
    archive(api, KINDS["pipeline"])
    pipeline = Pipeline.objects.get()
    Pipeline.objects.update(next_run="2020-01-01T00:00:00Z")
    assert loop.start_due(pipeline.pk) is None
    assert loop.start_triggered(pipeline.pk) is None
    assert not Pipeline.objects.to_examine().exists()


def test_work_under_way_keeps_its_thing_out_of_the_archive(api, things):
    api.post("/pipelines/loop/rounds")
    for kind in ("pipeline", "dataset", "model"):
        assert "round 1 of loop" in refused(api.post(f"{KINDS[kind]}/archive"), 409, "in_use")["detail"]
    api.post("/pipelines/loop/rounds/cancel")
    archive(api, KINDS["pipeline"])


def test_who_may(api, evas_api, bobs_api, things):
    address = KINDS["model"]
    refused(bobs_api.patch(address, {"name": "x"}, format="json"), 403, "engineers_only")
    for verb in ("archive", "restore"):
        refused(bobs_api.post(f"{address}/{verb}"), 403, "engineers_only")
        assert evas_api.post(f"{address}/{verb}").status_code == 200
    refused(evas_api.delete(f"{address}?confirm=digits-cnn"), 403, "owners_only")
    refused(bobs_api.get("/lifecycle/events"), 403, "readers_only")
    assert [one["action"] for one in evas_api.get("/lifecycle/events?kind=model").json()["results"]] == [
        "restored", "archived",
    ]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_deleting_takes_two_steps_and_the_name(api, things, run_job, kind):
    address = KINDS[kind]
    name = address.rpartition("/")[2]
    refused(api.delete(f"{address}?confirm={name}"), 409, "not_archived")
    if kind in {"dataset", "model"}:
        archive(api, KINDS["pipeline"])
    archive(api, address)
    assert list(refused(api.delete(address), 400, "invalid")["errors"]) == ["confirm"]
    assert list(refused(api.post(f"{address}/deletion", {"confirm": "x"}, format="json"), 400, "invalid")["errors"])
    assert api.get(f"{address}/deletion").json()["allowed"]
    assert run_job(delete(api, address, name)).state == "succeeded"
    told = refused(api.get(address), 404, f"{kind}_deleted")
    assert "deleted by alice" in told["detail"]
    for query in ("true", "false"):
        assert name not in names(api, address, archived=query)
    again = api.get(f"{address.rpartition('/')[0]}/{LifecycleEvent.objects.filter(kind=kind)[0].object_id}")
    refused(again, 404, f"{kind}_deleted")
    assert LifecycleEvent.objects.filter(kind=kind, name=name, action="deleted", by__username="alice").count() == 1


def test_a_deletion_names_what_goes_what_stays_and_what_needs_it(api, things):
    learned()
    told = api.get("/datasets/digits/deletion").json()
    goes = {one["name"]: one["count"] for one in told["goes"]}
    assert (goes["samples"], goes["labels"], goes["queues"], goes["back-tests"]) == (110, 50, 1, 1)
    assert {one["name"] for one in told["stays"]} == {"versions", "model versions", "trainings"}
    assert [(one["name"], one["names"]) for one in told["needs"]] == [("pipelines", ["loop"])]
    assert not told["allowed"]
    api.post("/datasets/digits/forks", {"name": "fork", "version": "head"}, format="json")
    archive(api, KINDS["pipeline"], KINDS["dataset"])
    needs = refused(api.delete("/datasets/digits?confirm=digits"), 409, "still_needed")
    assert needs["needs"] == [{"name": "forks", "count": 1, "names": ["fork"]}]
    assert Sample.objects.count() == 110


def test_a_deleted_dataset_leaves_its_lineage_and_nothing_else(api, things, run_job, alice):
    version = learned()
    archive(api, KINDS["pipeline"], KINDS["dataset"])
    done = run_job(delete(api, KINDS["dataset"], "digits"))
    assert done.result["gone"]["samples"] == 110
    for model in (Sample, Label, Revision, Task):
        assert not model.objects.exists()
    shown = api.get(f"/models/digits-cnn/versions/{version.number}").json()
    gone = Dataset.everything.get()
    assert f"digits (deleted {gone.pk})" in str(shown)
    assert Dataset.objects.count() == Queue.objects.count() == Pipeline.objects.count() == Backtest.objects.count() == 0
    assert unreachable(Blob.objects.all()).count() == Blob.objects.count() > 0  # the collector takes them
    made = api.post("/datasets", {"name": "digits", "task": "classification", "classes": ["a"]}, format="json")
    assert made.status_code == 201
    assert made.json()["counts"]["samples"] == 0


def test_a_deleted_model_keeps_its_versions_figures_and_loses_its_files(api, things, run_job):
    version = learned()
    archive(api, KINDS["pipeline"], KINDS["model"])
    run_job(delete(api, KINDS["model"], "digits-cnn"))
    kept = ModelVersion.objects.select_related("model").get()
    assert (kept.pk, kept.metrics["accuracy"]) == (version.pk, 0.5)
    assert not kept.artifacts.exists()
    assert "deleted" in str(kept)


def test_until_it_is_marked_a_deletion_can_be_cancelled_and_from_then_on_it_cannot(api, things):
    archive(api, KINDS["queue"])
    job = delete(api, KINDS["queue"], "night")
    refused(api.delete("/labeling/queues/night?confirm=night"), 409, "deletion_open")
    assert jobs.cancel(job.pk).state == "cancelled"
    assert api.get("/labeling/queues/night").status_code == 200
    job = delete(api, KINDS["queue"], "night")
    assert work_on(job.pk)
    refused(api.get("/labeling/queues/night"), 404, "queue_deleted")
    with pytest.raises(Conflict) as fault:
        jobs.cancel(job.pk)
    assert fault.value.code == "job_past_return"
    assert Task.objects.count() == 2
    assert work_on(job.pk)
    assert not Task.objects.exists()


def test_what_was_restored_meanwhile_is_not_deleted(api, things, run_job):
    archive(api, KINDS["queue"])
    job = delete(api, KINDS["queue"], "night")
    api.post("/labeling/queues/night/restore")
    ended = run_job(job)
    assert (ended.state, ended.error["code"]) == ("failed", "not_archived")
    assert api.get("/labeling/queues/night").status_code == 200


class Killed(BaseException):
    """A worker that dies."""


@pytest.mark.parametrize("batches", [1, 3, 6])
def test_a_deletion_that_is_killed_goes_on_and_ends_as_if_it_had_not_been(api, things, run_job, monkeypatch, batches):
    monkeypatch.setattr("jobs.lifecycle.deletion.BATCH", 20)
    archive(api, KINDS["pipeline"], KINDS["dataset"])
    job = delete(api, KINDS["dataset"], "digits")
    assert work_on(job.pk)
    steps = itertools.count()

    def die(_: object) -> None:
        if next(steps) == batches:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("jobs.context.ShardContext.check", die)
        with pytest.raises(Killed):
            work_on(job.pk)
    assert Sample.objects.exists() or Revision.objects.exists() or Label.objects.exists()
    assert run_job(job).state == "succeeded"
    for part in parts_of("dataset", Fate.GOES):
        if not part.nested:
            assert not part.rows(Dataset.everything.get()).exists(), part.name
    assert LifecycleEvent.objects.filter(kind="dataset", action="deleted").count() == 1


def test_every_kind_has_its_parts_and_none_has_the_same_twice():
    assert set(kinds()) == {*KINDS, "sweep"}, "tests/models/sweeps tells how sweeps fare"
    for kind in kinds():
        found = [part.name for part in parts_of(kind, *Fate)]
        assert found
        assert len(set(found)) == len(found)
