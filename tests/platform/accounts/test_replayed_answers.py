"""A stored answer under an Idempotency-Key is given again only to who still has the rights of the first request."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import Membership, Project, Role, Scope, Token, User
from accounts.services import first_project
from blobs.models import Blob
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.models import Dataset
from catalog.versions.commit import commit
from catalog.versions.datasets import create_dataset

pytestmark = pytest.mark.django_db


@pytest.fixture
def elsewhere(eva: User) -> Project:
    """Another project of eva's, so that she is somebody after she leaves the first."""
    project = Project.objects.create(name="elsewhere")
    Membership.objects.create(project=project, user=eva, role=Role.ENGINEER)
    return project


@pytest.fixture
def dataset(alice: User) -> Dataset:
    made = create_dataset("pets", task="classification", classes=["cat"], description="", author=alice)
    blob = Blob.objects.create(md5="a" * 32, sha256="a" * 64, size=1, key="files/md5/aa/a", width=8, height=8)
    commit(made, ChangeSet([SampleChange("a.png", blob=blob, split="pool")]), author=alice)
    return made


def send(api: APIClient, path: str, body: dict[str, Any], key: str = "k", **headers: str) -> Any:
    return api.post(path, body, format="json", headers={"Idempotency-Key": key, **headers})


NEW = {"name": "new", "task": "classification", "classes": ["x"], "project": "default"}
DONE = [
    pytest.param("/datasets/pets/tags", {"name": "gold", "version": 1}, id="a tag"),
    pytest.param("/datasets/pets", {"samples": [], "message": "secret"}, id="a commit"),
    pytest.param(
        "/datasets", {"name": "more", "task": "classification", "classes": ["x"], "project": "default"}, id="a dataset"
    ),
    pytest.param("/labeling/queues", {"name": "q", "dataset": "pets"}, id="a queue"),
    pytest.param(
        "/models", {"name": "cnn", "task": "classification", "classes": ["cat"], "project": "default"}, id="a model"
    ),
    pytest.param("/datasets/pets/filters", {"filter": {"split": ["train"]}}, id="a question"),
]


@pytest.mark.parametrize(("path", "body"), DONE)
@pytest.mark.parametrize("change", ["removed", "viewer"])
def test_who_lost_the_right_gets_no_first_answer_again(
    eva: User, evas_api: APIClient, elsewhere: Project, dataset: Dataset, path: str, body: dict[str, Any], change: str
) -> None:
    first = send(evas_api, path, body)
    assert first.status_code < 500
    again = send(evas_api, path, body)
    assert (again.content, again["Idempotency-Replayed"]) == (first.content, "true")
    membership = Membership.objects.get(project=first_project(), user=eva)
    if change == "removed":
        membership.delete()
    else:
        membership.role = Role.ANNOTATOR
        membership.save()
    again = send(evas_api, path, body)
    assert (again.status_code, again.json()["code"]) == (403, "rights_changed")
    assert "Idempotency-Replayed" not in again


def test_who_is_in_no_project_any_more_is_refused_as_by_the_view(
    eva: User, evas_api: APIClient, dataset: Dataset
) -> None:
    assert send(evas_api, "/labeling/queues", {"name": "q", "dataset": "pets"}).status_code == 201
    Membership.objects.filter(user=eva).delete()
    again = send(evas_api, "/labeling/queues", {"name": "q", "dataset": "pets"})
    assert (again.status_code, again.json()["code"]) == (403, "reviewers_only")


@pytest.mark.parametrize(
    ("limits", "code"),
    [({"scope": Scope.READ}, "token_only_reads"), ({"project": True}, "rights_changed")],
    ids=["to reading", "to another project"],
)
def test_a_token_that_was_limited_since(
    eva: User, evas_api: APIClient, elsewhere: Project, dataset: Dataset, limits: dict[str, Any], code: str
) -> None:
    assert send(evas_api, "/labeling/queues", {"name": "q", "dataset": "pets"}).status_code == 201
    Token.objects.filter(user=eva).update(
        **{name: elsewhere if value is True else value for name, value in limits.items()}
    )
    again = send(evas_api, "/labeling/queues", {"name": "q", "dataset": "pets"})
    assert (again.status_code, again.json()["code"]) == (403, code)


def test_who_owned_the_platform_then(api: APIClient, alice: User) -> None:
    assert send(api, "/people", {"name": "carl", "role": "annotator"}).status_code < 500
    User.objects.filter(pk=alice.pk).update(is_owner=False)
    Membership.objects.create(project=first_project(), user=alice, role=Role.OWNER)
    again = send(api, "/people", {"name": "carl", "role": "annotator"})
    assert (again.status_code, again.json()["code"]) == (403, "owners_only")


def test_an_answer_is_repeated_to_who_gained_rights_or_was_only_moved_elsewhere(
    eva: User, evas_api: APIClient, elsewhere: Project, dataset: Dataset
) -> None:
    first = send(evas_api, "/labeling/queues", {"name": "q", "dataset": "pets"})
    Membership.objects.filter(project=first_project(), user=eva).update(role=Role.OWNER)
    Membership.objects.filter(project=elsewhere).delete()
    assert send(evas_api, "/labeling/queues", {"name": "q", "dataset": "pets"}).content == first.content
