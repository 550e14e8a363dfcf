"""What there was before projects is in the first one, and everybody may do what they could."""

from collections.abc import Iterator

import pytest
from django.apps.registry import Apps
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.clock]
BEFORE = [
    ("accounts", "0002_token_scope"),
    ("catalog", "0003_several_classes_are_a_task"),
    ("jobs", "0002_job_counted"),
    ("lifecycle", "0001_lifecycle"),
    ("registry", "0005_any_task"),
]


@pytest.fixture
def before() -> Iterator[Apps]:
    """The models of that time, on its tables; afterwards they are those of the code again."""
    executor = MigrationExecutor(connection)
    executor.migrate(BEFORE)
    yield executor.loader.project_state(BEFORE).apps
    now()


def now() -> Apps:
    executor = MigrationExecutor(connection)
    leaves = executor.loader.graph.leaf_nodes()
    executor.migrate(leaves)
    return executor.loader.project_state(leaves).apps


def test_all_there_was_is_in_the_first_project_and_nobody_may_less(before: Apps) -> None:
    user = before.get_model("accounts", "User").objects
    people = {name: user.create(username=name, role=role) for name, role in
              (("alice", "owner"), ("rita", "reviewer"), ("bob", "annotator"))}  # fmt: skip
    told = {"task": "classification", "classes": ["a"], "created_by_id": people["alice"].pk}
    before.get_model("catalog", "Dataset").objects.create(name="pets", **told)
    before.get_model("registry", "Model").objects.create(name="cnn", **told)
    job = before.get_model("jobs", "Job").objects
    job.create(kind="train", title="of a model", created_by_id=people["alice"].pk)
    job.create(kind="collect", title="of the platform")
    event = before.get_model("lifecycle", "LifecycleEvent").objects
    event.create(kind="dataset", object_id=1, action="archived", name="pets", by_id=people["alice"].pk)
    after = now()
    (first,) = after.get_model("accounts", "Project").objects.all()
    roles = dict(after.get_model("accounts", "Membership").objects.values_list("user__username", "role"))
    assert (first.name, roles) == ("default", {"rita": "engineer", "bob": "annotator"})
    owners = after.get_model("accounts", "User").objects.filter(is_owner=True)
    assert list(owners.values_list("username", flat=True)) == ["alice"]
    for app, model in (("catalog", "Dataset"), ("registry", "Model"), ("lifecycle", "LifecycleEvent")):
        assert after.get_model(app, model).objects.get().project_id == first.pk
    jobs = after.get_model("jobs", "Job").objects
    assert dict(jobs.values_list("kind", "project")) == {"train": first.pk, "collect": None}
