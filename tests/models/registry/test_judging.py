"""What a model was judged by stays in test; what none was judged by may be taken out of it."""
# ruff: noqa: F811 - a fixture of another folder

from typing import Any

import pytest
from tests.datasets.conftest import blob_of, change, changes  # noqa: F401 - a fixture

from accounts.models import User
from catalog.changes.plan import CommitResult
from catalog.models import Dataset
from catalog.versions.commit import commit
from catalog.versions.datasets import find_version
from jobs.models import Job
from registry.models import Model, ModelVersion, Run
from registry.uploads import KIND as UPLOAD


@pytest.fixture
def dataset_in_test(dataset: Dataset, alice: User, blob_of: Any) -> Dataset:
    """Two labelled samples in test."""
    label = {"class": "1"}
    commit(
        dataset,
        changes(*(change(key, blob_of(n), split="test", label=label) for n, key in enumerate("ab"))),
        author=alice,
    )
    return dataset


def moved(dataset: Dataset, key: str, alice: User) -> CommitResult:
    return commit(dataset, changes(change(key, split="train")), author=alice)


def test_a_model_version_fixes_the_test_samples_that_it_was_judged_by(
    dataset_in_test: Dataset, model: Model, alice: User, version_with: Any
) -> None:
    version_with(0.9)  # of no dataset
    assert moved(dataset_in_test, "a", alice).corrected == 1
    made = version_with(0.9)
    ModelVersion.objects.filter(pk=made.pk).update(dataset_version=find_version(dataset_in_test, "2"))
    [refused] = moved(dataset_in_test, "b", alice).rejected
    assert (refused.code, refused.detail) == (
        "test_is_fixed",
        "split: digits-cnn@2 was judged by this sample in test: it stays there, or figures would flatter",
    )
    assert moved(dataset_in_test, "a", alice).unchanged == 1  # that one was in train by then


@pytest.mark.parametrize(("state", "corrected"), [("queued", 0), ("running", 0), ("failed", 1), ("cancelled", 1)])
def test_a_run_that_is_still_to_be_judged_fixes_them_too(
    dataset_in_test: Dataset, model: Model, alice: User, state: str, corrected: int
) -> None:
    job = Job.objects.create(kind="train", title="t", state=state, created_by=alice, project=model.project)
    version = find_version(dataset_in_test, "1")
    told = {"dataset": dataset_in_test, "version": version, "architecture": "small_cnn", "created_by": alice}
    run = Run.objects.create(model=model, job=job, **told)
    result = moved(dataset_in_test, "a", alice)
    assert result.corrected == corrected
    assert [one.detail.startswith(f"split: run {run.pk} of digits-cnn ") for one in result.rejected] == [True] * (
        1 - corrected
    )


def test_an_upload_that_is_still_to_be_judged_fixes_them_too(
    dataset_in_test: Dataset, model: Model, alice: User
) -> None:
    params = {"model": model.pk, "dataset_version": find_version(dataset_in_test, "1").pk}
    Job.objects.create(kind=UPLOAD, title="Check net.onnx", params=params, created_by=alice, project=model.project)
    [refused] = moved(dataset_in_test, "a", alice).rejected
    assert "(Check net.onnx)" in refused.detail
