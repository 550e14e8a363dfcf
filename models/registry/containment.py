"""Which models were trained or evaluated on a sample, and which runs may still make one."""

from collections.abc import Iterator
from typing import Any

from blobs.services import chunks
from catalog.erasure import containment
from catalog.erasure.containment import Contained
from registry.models import ModelVersion, Run


def models_of(found: Contained) -> Iterator[dict[str, Any]]:
    """Model versions that were trained or evaluated on a dataset version that held one of the samples."""
    for versions in chunks(found.versions):
        rows = ModelVersion.objects.filter(dataset_version__in=versions).order_by("pk")
        for row in rows.select_related("model", "dataset_version__dataset"):
            on = row.dataset_version
            assert on is not None  # noqa: S101 - it was asked for
            yield {"model": row.model.name, "version": row.number, "digest": row.digest} | {
                "dataset": on.dataset.name, "dataset_version": on.number,
            }  # fmt: skip


def runs_of(found: Contained) -> Iterator[dict[str, Any]]:
    """Runs on a dataset version that held one of the samples, without a version yet: they have read it or will have
    no more, and those that go on, are resumed or registered make a version of what they learned."""
    for versions in chunks(found.versions):
        rows = Run.objects.filter(version__in=versions, model_version=None).order_by("pk")
        for row in rows.select_related("model", "job", "version__dataset"):
            yield {"id": row.pk, "model": row.model.name, "state": row.job.state} | {
                "dataset": row.version.dataset.name, "dataset_version": row.version.number,
            }  # fmt: skip


containment.register("models", models_of)
containment.register("runs", runs_of)
