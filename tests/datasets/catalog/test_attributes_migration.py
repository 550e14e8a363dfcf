"""Attributes and regions that stood in metadata move onto their objects; what does not fit stays where it is."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from tests.datasets.conftest import change, changes

from accounts.models import User
from blobs.models import Blob
from catalog.models import Dataset, LabelObject
from catalog.services import commit, find_version

pytestmark = pytest.mark.both

BOXES = [{"class": "car", "box": [0.0, 0.0, 9.0, 9.0]}, {"class": "car", "box": [5.0, 5.0, 20.0, 20.0]}]
REGION = {"class": "DontCare", "box": [1.0, 1.0, 2.0, 2.0]}


@pytest.mark.django_db
def test_old_rows_are_moved_where_they_fit(detection: Dataset, alice: User, blob_of: Callable[[int], Blob]) -> None:
    metas: list[dict[str, Any]] = [
        {"attributes": [{"truncated": 0.5}, {}], "ignore": [REGION], "night": True},
        {"attributes": [{"truncated": 0.5}]},
        {"attributes": [{"a": {}}, {}], "ignore": [{"class": "x", "box": [0, 0, 99, 99]}]},
    ]
    rows = [change(f"{n}.png", blob_of(n), label={"boxes": BOXES}, meta=meta) for n, meta in enumerate(metas)]
    commit(detection, changes(*rows), author=alice)
    first = find_version(detection, "1")
    commit(detection, changes(change("0.png", meta={"attributes": None, "ignore": None})), author=alice)
    import_module("catalog.migrations.0013_attributes_into_labels").move(apps, None)
    was = {row.sample.key: row for row in first.revisions.select_related("sample", "label")}
    assert was["0.png"].meta == {"night": True}
    label = was["0.png"].label
    assert label is not None
    assert label.value == {"boxes": [BOXES[0] | {"attributes": {"truncated": 0.5}}, BOXES[1]], "ignore": [REGION]}
    assert [one.attributes for one in LabelObject.objects.filter(label=label, kind="box").order_by("pk")] == [
        {"truncated": 0.5}, None,
    ]  # fmt: skip
    for number in (1, 2):
        row = was[f"{number}.png"]
        assert row.label is not None
        assert (row.meta, row.label.value) == (metas[number], {"boxes": BOXES})
    now = find_version(detection, "2").revisions.select_related("label").get(sample__key="0.png")
    assert now.label is not None
    assert (now.label.value, now.meta) == ({"boxes": BOXES}, {"night": True}), "it said so without them"
