"""Receivers that run after a commit, outside of its transaction, and after an erasure."""

from collections.abc import Sequence
from typing import Any

from django.dispatch import receiver

from catalog.models import Dataset, Revision, Version
from catalog.signals import samples_erased, versions_erased
from catalog.versions.commit import version_committed
from publishing.models import Repository, Upload
from publishing.republishing import republish
from publishing.tasks import publish_soon


@receiver(version_committed)
def publish_version(version: Version, **_: Any) -> None:
    """Publish the version as a commit in the dataset's repository."""
    publish_soon(Repository.Kind.DATASETS, version.dataset.name)


@receiver(samples_erased)
def forget_pushed(samples: Sequence[int], digests: Sequence[str], **_: Any) -> None:
    """Delete the `dvc push` uploads of erased samples, unless another sample has the same bytes."""
    others = Revision.objects.filter(blob__md5__in=digests).exclude(sample__in=samples).values("blob")
    Upload.objects.filter(blob__md5__in=digests, listing=False).exclude(blob__in=others).delete()


@receiver(versions_erased)
def publish_anew(dataset: Dataset, numbers: Sequence[int], **_: Any) -> list[str]:
    """Republish the listings of the versions without the erased samples; return the md5s to delete at once."""
    return republish(Repository.Kind.DATASETS, dataset.name, numbers)
