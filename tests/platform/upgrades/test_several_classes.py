"""Datasets that said `multi_label` say their task, and the other way round."""

from collections.abc import Iterator

import pytest
from django.apps.registry import Apps
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from accounts.models import User

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.clock]
BEFORE, AFTER = "0002_fork_override_and_revision_class", "0003_several_classes_are_a_task"


@pytest.fixture
def as_it_is_now() -> Iterator[None]:
    """The tables are those of the code again, whatever became of the test."""
    yield
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def migrate(name: str) -> Apps:
    """Bring the catalog to this migration; its models as they were then."""
    executor = MigrationExecutor(connection)
    executor.migrate([("catalog", name)])
    return executor.loader.project_state([("catalog", name)]).apps


@pytest.mark.usefixtures("as_it_is_now")
def test_several_classes_become_a_task_and_a_flag_again(alice: User) -> None:
    datasets = migrate(BEFORE).get_model("catalog", "Dataset").objects
    told = {"one": ("classification", False), "many": ("classification", True), "boxes": ("detection", False)}
    for name, (task, several) in told.items():
        datasets.create(name=name, task=task, multi_label=several, classes=["a"], created_by_id=alice.pk)
    datasets = migrate(AFTER).get_model("catalog", "Dataset").objects
    now = {"one": "classification", "many": "multilabel", "boxes": "detection"}
    assert dict(datasets.values_list("name", "task")) == now
    datasets.create(name="outlines", task="segmentation", classes=["a"], created_by_id=alice.pk)
    datasets = migrate(BEFORE).get_model("catalog", "Dataset").objects
    rows = {name: (task, several) for name, task, several in datasets.values_list("name", "task", "multi_label")}
    assert rows == told | {"outlines": ("detection", False)}
    datasets.all().delete()
