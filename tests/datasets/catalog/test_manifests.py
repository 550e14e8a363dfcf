"""Versions as streams of rows."""

from collections.abc import Callable

import pytest
from tests.datasets.conftest import change, changes

from accounts.models import User
from blobs.models import Blob
from catalog.exports.manifests import manifest_lines
from catalog.models import Dataset
from catalog.versions.commit import commit
from catalog.versions.datasets import find_version
from worker_programs.manifest import Sample

pytestmark = pytest.mark.both


def test_lines_are_samples_of_a_program_in_the_order_of_their_ids(
    dataset: Dataset, alice: User, blob_of: Callable[[int], Blob]
) -> None:
    rows = [change(key, blob_of(n + 1)) for n, key in enumerate("cab")]
    rows.append(change("d", blob_of(1), label={"class": "cat"}))
    commit(dataset, changes(*rows), author=alice)
    version = find_version(dataset, "head")
    lines = list(manifest_lines(version))
    assert [Sample(**line).key for line in lines] == ["c", "a", "b", "d"]
    assert lines[3]["label"] == {"class": "cat"}
    assert [line["key"] for line in manifest_lines(version, split="pool")] == ["c", "a", "b"]
    assert [line["key"] for line in manifest_lines(version, labelled=True)] == ["d"]
