"""`/projects`: who makes them, who says who is in them, and what that opens and closes."""

from collections.abc import Callable

import pytest
from rest_framework.test import APIClient
from tests.datasets.conftest import CLASSES, png
from tests.platform.accounts.world import world

from accounts.models import Membership, Project, User
from accounts.services import create_user, first_project
from blobs.store import BlobStore
from jobs.models import Job
from jobs.services import ShardSpec, create_job
from labeling.models import Task

ApiOf = Callable[[User], APIClient]
pytestmark = [pytest.mark.django_db, pytest.mark.both]
DATASET = {"name": "pets", "task": "classification", "classes": CLASSES}


@pytest.fixture
def roads(db: None) -> Project:
    first_project()
    return Project.objects.create(name="roads")


@pytest.fixture
def olga(roads: Project) -> User:
    """Owns the project."""
    return create_user("olga", role="owner", project=roads)[0]


def test_a_platform_begins_with_one_project_and_nobody_has_to_name_it(api: APIClient, eva: User, api_of: ApiOf) -> None:
    assert [row["name"] for row in api.get("/projects").json()["results"]] == ["default"]
    assert api.post("/datasets", DATASET, format="json").json()["project"] == "default"
    assert api_of(eva).post("/datasets", DATASET | {"name": "cars"}, format="json").json()["project"] == "default"
    assert api_of(eva).get("/session").json()["user"] == {
        "id": eva.pk, "username": "eva", "role": "engineer", "projects": [{"project": "default", "role": "engineer"}],
    }  # fmt: skip


def test_an_owner_of_the_platform_makes_a_project_and_its_owner_adds_people(
    api: APIClient, api_of: ApiOf, bob: User
) -> None:
    made = api.post("/projects", {"name": "roads", "description": "of a city"}, format="json")
    assert (made.status_code, made.json()["members"]) == (201, 0)
    olga = api.post("/people", {"username": "olga", "role": "owner", "project": "roads"}, format="json").json()
    assert (olga["role"], olga["projects"]) == ("owner", [{"project": "roads", "role": "owner"}])
    hers = api_of(User.objects.get(username="olga"))
    assert hers.put("/projects/roads/members/bob", {"role": "viewer"}, format="json").json()["role"] == "viewer"
    assert hers.put("/projects/roads/members/bob", {"role": "engineer"}, format="json").json()["role"] == "engineer"
    assert api.get("/people/bob").json()["projects"] == [
        {"project": "default", "role": "annotator"}, {"project": "roads", "role": "engineer"},
    ]  # fmt: skip
    assert [row["username"] for row in hers.get("/projects/roads/members").json()["results"]] == ["bob", "olga"]
    assert hers.get("/projects/default").status_code == 404
    assert hers.post("/projects", {"name": "mine"}, format="json").status_code == 403
    assert hers.delete("/projects/roads/members/bob").status_code == 204
    assert hers.delete("/projects/roads/members/bob").json()["code"] == "member_unknown"
    assert api.get("/people/bob").json()["projects"] == [{"project": "default", "role": "annotator"}]


def test_who_builds_in_several_names_one(api: APIClient, api_of: ApiOf, eva: User, roads: Project) -> None:
    Membership.objects.create(project=roads, user=eva, role="engineer")
    Project.objects.filter(name="default").update(name="first")
    client = api_of(eva)
    refused = client.post("/datasets", DATASET, format="json")
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["project"])
    assert "first, roads" in refused.json()["detail"]
    assert client.post("/datasets", DATASET | {"project": "roads"}, format="json").json()["project"] == "roads"
    assert [one["name"] for one in client.get("/datasets?project=roads").json()["results"]] == ["pets"]
    assert client.get("/datasets?project=first").json()["results"] == []
    unknown = client.get("/datasets?project=nowhere")
    assert (unknown.status_code, unknown.json()["code"]) == (404, "project_unknown")


def test_a_role_counts_in_its_project_alone(api: APIClient, api_of: ApiOf, eva: User, roads: Project) -> None:
    """An engineer of one is a viewer of another: reads it and changes nothing in it."""
    Membership.objects.create(project=roads, user=eva, role="viewer")
    api.post("/datasets", DATASET | {"project": "roads"}, format="json")
    client = api_of(eva)
    assert client.get("/datasets/pets").status_code == 200
    refused = client.patch("/datasets/pets", {"description": "x"}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (403, "engineers_only")
    refused = client.post("/datasets", DATASET | {"name": "other", "project": "roads"}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (403, "engineers_only")
    assert client.delete("/datasets/pets?confirm=pets").json()["code"] == "owners_only"


def test_who_is_taken_out_sees_nothing_of_it_and_holds_no_task_of_it(
    api: APIClient, api_of: ApiOf, alice: User, bob: User, object_store: BlobStore
) -> None:
    his, queue = api_of(bob), world(first_project(), alice, "x", png=png()).queue.name
    (task,) = his.post(f"/labeling/queues/{queue}/next", {"count": 1}, format="json").json()["tasks"]
    assert api.delete("/projects/default/members/bob").status_code == 204
    assert his.get("/labeling/queues").json()["results"] == []
    assert his.post(f"/labeling/queues/{queue}/next", {"count": 1}, format="json").status_code == 403
    assert not Task.objects.live().filter(pk=task["id"]).exists()
    assert his.get("/session").json()["user"]["role"] is None


def test_who_becomes_a_viewer_holds_no_task_any_more(
    api: APIClient, api_of: ApiOf, alice: User, bob: User, object_store: BlobStore
) -> None:
    queue = world(first_project(), alice, "x", png=png()).queue.name
    (task,) = api_of(bob).post(f"/labeling/queues/{queue}/next", {"count": 1}, format="json").json()["tasks"]
    api.put("/projects/default/members/bob", {"role": "reviewer"}, format="json")
    assert Task.objects.live().filter(pk=task["id"]).exists(), "a reviewer labels too"
    api.put("/projects/default/members/bob", {"role": "viewer"}, format="json")
    assert not Task.objects.live().filter(pk=task["id"]).exists()


def test_work_of_the_platform_itself_is_for_its_owners(api: APIClient, api_of: ApiOf, olga: User) -> None:
    create_job("collect", "Collect", shards=[ShardSpec()])
    job = create_job("train", "of another project", shards=[ShardSpec()], project=first_project().pk)
    assert len(api.get("/jobs").json()["results"]) == 2
    assert api_of(olga).get("/jobs").json()["results"] == []
    assert api_of(olga).get(f"/jobs/{job.pk}").status_code == 404
    assert Job.objects.count() == 2


@pytest.mark.parametrize("name", ["", "a b", "12", "../x", "x" * 101, "-a"])
def test_a_name_that_cannot_be_is_named(api: APIClient, name: str) -> None:
    answer = api.post("/projects", {"name": name}, format="json")
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["name"])


def test_a_name_is_taken_once_and_may_change(api: APIClient, roads: Project) -> None:
    assert api.post("/projects", {"name": "roads"}, format="json").json()["code"] == "name_taken"
    assert api.patch("/projects/roads", {"name": "default"}, format="json").json()["code"] == "name_taken"
    assert api.patch("/projects/roads", {"name": "streets"}, format="json").json()["name"] == "streets"
    assert api.get(f"/projects/{roads.pk}").json()["name"] == "streets"


def test_only_an_empty_project_ends(api: APIClient, roads: Project, olga: User) -> None:
    api.post("/datasets", DATASET | {"project": "roads"}, format="json")
    refused = api.delete("/projects/roads")
    assert (refused.status_code, refused.json()["code"]) == (409, "project_in_use")
    api.post("/projects", {"name": "empty"}, format="json")
    assert api.delete("/projects/empty").status_code == 204
    assert api.get("/projects/empty").status_code == 404


def test_with_several_projects_a_role_of_a_new_person_names_one(api: APIClient, roads: Project) -> None:
    refused = api.post("/people", {"username": "ana", "role": "reviewer"}, format="json")
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["project"])
    added = api.post("/people", {"username": "ana", "role": "reviewer", "project": "roads"}, format="json").json()
    assert added["projects"] == [{"project": "roads", "role": "reviewer"}]
    assert api.patch("/people/ana", {"role": "engineer"}, format="json").json()["role"] == "engineer", "their only one"
    api.put("/projects/default/members/ana", {"role": "viewer"}, format="json")
    refused = api.patch("/people/ana", {"role": "annotator"}, format="json")
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["project"])
