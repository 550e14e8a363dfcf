"""`/audit`: what changes rights and rules is written down with who, what, before, after and from where; for ever."""

from collections.abc import Callable
from typing import Any

import orjson
import pytest
from django.db.models import ProtectedError
from rest_framework.test import APIClient
from tests.platform.accounts.test_projects import DATASET

from accounts.models import AuditEvent, Project, Token, User
from accounts.services import create_user, first_project
from catalog.models import Dataset
from labeling.services import create_queue

pytestmark = [pytest.mark.django_db, pytest.mark.both]


def newest(api: APIClient, **query: str) -> dict[str, Any]:
    found: dict[str, Any] = api.get("/audit", query).json()["results"][0]
    return found


def test_a_role_is_written_down_with_who_gave_it_by_which_token_from_where(api: APIClient, bob: User) -> None:
    headers = {"X-Request-ID": "req-7"}
    api.put("/projects/default/members/bob", {"role": "engineer"}, format="json", headers=headers)
    row = newest(api)
    assert row.pop("created")
    assert {name: value for name, value in row.items() if name != "id"} == {
        "who": "alice", "token": "test", "address": "127.0.0.1", "request_id": "req-7", "action": "role given",
        "kind": "person", "name": "bob", "project": "default", "before": {"role": "annotator"},
        "after": {"role": "engineer"},
    }  # fmt: skip
    api.put("/projects/default/members/bob", {"role": "engineer"}, format="json")
    api.patch("/people/bob", {"active": True}, format="json")
    api.patch("/projects/default", {"name": "default"}, format="json")
    assert newest(api)["id"] == row["id"], "what changes nothing is not an event"


def test_what_fails_leaves_no_event(api: APIClient) -> None:
    before = AuditEvent.objects.count()
    assert api.patch("/people/me", {"active": False}, format="json").status_code == 409
    assert api.post("/projects", {"name": "default"}, format="json").status_code == 409
    assert AuditEvent.objects.count() == before


def test_each_kind_of_change_is_told(api: APIClient, bob: User) -> None:
    api.post("/projects", {"name": "roads"}, format="json")
    api.patch("/projects/roads", {"description": "of a city"}, format="json")
    api.post("/people", {"username": "ana", "role": "viewer", "project": "roads"}, format="json")
    api.patch("/people/ana", {"active": False}, format="json")
    api.delete("/projects/roads/members/ana")
    api.delete("/projects/roads")
    token = api.post("/people/bob/tokens", {"name": "laptop"}, format="json").json()
    api.delete(f"/people/bob/tokens/{token['id']}")
    api.post("/datasets", DATASET, format="json")
    api.patch("/datasets/pets", {"name": "animals"}, format="json")
    api.put("/datasets/animals/budget", {"labels_per_day": 5}, format="json")
    api.post("/datasets/animals/archive")
    api.post("/models", DATASET | {"name": "cnn"}, format="json")
    api.patch("/models/cnn", {"description": "better"}, format="json")
    told = [(row.action, row.kind, row.name) for row in AuditEvent.objects.order_by("pk")]
    assert told == [
        ("created", "project", "roads"), ("changed", "project", "roads"), ("added", "person", "ana"),
        ("changed", "person", "ana"), ("removed", "person", "ana"), ("deleted", "project", "roads"),
        ("token made", "person", "bob"), ("token revoked", "person", "bob"), ("renamed", "dataset", "pets"),
        ("budget set", "dataset", "animals"), ("archived", "dataset", "animals"), ("changed", "model", "cnn"),
    ]  # fmt: skip
    secret = token["secret"]
    assert secret not in str(list(AuditEvent.objects.values()))
    changed = AuditEvent.objects.get(action="changed", kind="model")
    assert (changed.before, changed.after) == ({"description": ""}, {"description": "better"})


def test_what_changes_how_data_are_labelled_is_told(api: APIClient, bob: User) -> None:
    made = api.post("/datasets", DATASET, format="json").json()
    classes = [*made["classes"][:-1], "bird"]
    schema = {"classes": [{"name": name} for name in classes], "parent": 1}
    assert api.put("/datasets/pets/schema", schema, format="json").status_code == 200
    for changes in ({"description": "of neighbours"}, {"split_rule": {"group": "key", "fractions": {"test": 0.2}}}):
        assert api.patch("/datasets/pets", changes, format="json").status_code == 200
    api.post("/datasets/pets/slices", {"name": "night", "filter": {"split": "pool"}}, format="json")
    assert api.put("/datasets/pets/slices/night", {"name": "dark"}, format="json").status_code == 200
    assert api.delete("/datasets/pets/slices/dark").status_code == 204
    queue = create_queue(Dataset.objects.get(), "first", items=[], created_by=bob)
    terms = {"assignees": ["bob"], "due": "2027-01-01T00:00:00Z", "gold_share": 0.0}
    assert api.patch(f"/labeling/queues/{queue.pk}", terms, format="json").status_code == 200
    told = [(row.action, row.kind, row.name, row.before, row.after) for row in AuditEvent.objects.order_by("pk")]
    rule = Dataset.objects.get().split_rule
    assert told == [
        ("changed", "label schema", "pets",
         {"version": 1, "classes": made["classes"]}, {"version": 2, "classes": classes}),
        ("changed", "dataset", "pets", {"description": ""}, {"description": "of neighbours"}),
        ("changed", "dataset", "pets", {"split_rule": None}, {"split_rule": rule}),
        ("created", "slice", "night of pets", None, {"name": "night", "filter": {"split": "pool"}}),
        ("changed", "slice", "dark of pets", {"name": "night"}, {"name": "dark"}),
        ("deleted", "slice", "dark of pets", {"name": "dark", "filter": {"split": "pool"}}, None),
        ("changed", "queue", "first", {"assignees": [], "due": None},
         {"assignees": ["bob"], "due": "2027-01-01T00:00:00+00:00"}),
    ]  # fmt: skip


def test_owners_of_a_project_read_what_was_done_in_theirs(
    api: APIClient, api_of: Callable[[User], APIClient], evas_api: APIClient
) -> None:
    roads = Project.objects.create(name="roads")
    olga = api_of(create_user("olga", role="owner", project=roads)[0])
    api.post("/datasets", DATASET, format="json")
    api.post("/datasets/pets/archive")
    api.put("/projects/roads/members/eva", {"role": "viewer"}, format="json")
    assert [(row["name"], row["project"]) for row in olga.get("/audit").json()["results"]] == [("eva", "roads")]
    assert olga.get(f"/audit?project={first_project().name}").status_code == 404
    assert [row["name"] for row in api.get("/audit?project=default").json()["results"]] == ["pets"]
    assert [row["name"] for row in api.get("/audit?q=archiv").json()["results"]] == ["pets"]
    assert evas_api.get("/audit").status_code == 403
    lines = b"".join(api.get("/audit/export")).splitlines()
    assert [orjson.loads(line)["name"] for line in lines] == ["pets", "eva"]


def test_nothing_changes_or_deletes_a_row(api: APIClient) -> None:
    api.post("/projects", {"name": "roads"}, format="json")
    row = AuditEvent.objects.get()
    for act in (row.save, row.delete):
        with pytest.raises(ProtectedError):
            act()
    assert AuditEvent.objects.count() == 1


def test_behind_a_proxy_the_address_is_the_one_that_the_proxy_saw(alice: User, settings: Any) -> None:
    settings.HTTPS = True
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {Token.objects.issue(alice, 'x')[1]}")
    told = {"X-Forwarded-For": "10.0.0.1, 203.0.113.9", "X-Forwarded-Proto": "https"}
    assert client.post("/projects", {"name": "roads"}, format="json", headers=told).status_code == 201
    assert AuditEvent.objects.get().address == "203.0.113.9"
    settings.HTTPS = False
    assert client.post("/projects", {"name": "rails"}, format="json", headers=told).status_code == 201
    assert AuditEvent.objects.latest("pk").address == "127.0.0.1", "without a proxy the header is anybody's words"
