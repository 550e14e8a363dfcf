"""Drop the one folder that wraps everything in an archive: it is not part of the keys, as when you push that folder
itself. So `images` and `images.tar.gz` give the same samples.

The folder is kept if it is named like a class of the dataset or like a split, and if the dataset has these samples
under it, or others without it.
"""

from collections.abc import Mapping

from blobs.models import Blob
from catalog.changes.sets import Rejection
from catalog.intake.ingest import Received
from catalog.keys import normal_key
from catalog.models import Dataset
from core.list_parameters import listed
from formats.splits import split_named


def drop_top_folder(dataset: Dataset, received: Received) -> None:
    """Remove the folder from the keys and the paths of an archive's items, and add a note about it."""
    top = _top_folder([*received.images, *received.documents])
    if not top or not _is_wrapping(dataset, top, received.images):
        return
    received.images = {key.removeprefix(top): blob for key, blob in received.images.items()}
    received.originals = {key.removeprefix(top): blob for key, blob in received.originals.items()}
    received.documents = {path.removeprefix(top): data for path, data in received.documents.items()}
    received.rejected = [
        Rejection(normal_key(item.key).removeprefix(top), item.code, item.detail) for item in received.rejected
    ]
    received.notes.append(
        f"{top} holds everything in the archive and is not part of the keys, as when it is pushed itself"
    )


def _top_folder(paths: list[str]) -> str:
    """Return the folder that all paths begin with, with its slash, or an empty string."""
    top = paths[0][: paths[0].find("/") + 1] if paths else ""
    return top if all(path.startswith(top) for path in paths) else ""


def _is_wrapping(dataset: Dataset, top: str, images: Mapping[str, Blob]) -> bool:
    head = _digests_at_head(dataset, [*images, *(key.removeprefix(top) for key in images)])
    if any(key in head for key in images):
        return False
    there = {key: head[key.removeprefix(top)] for key in images if key.removeprefix(top) in head}
    if there:  # the same samples, or others that only have the same names
        return any(images[key].md5 == md5 for key, md5 in there.items())
    return top[:-1] not in dataset.classes and split_named(top[:-1]) is None


def _digests_at_head(dataset: Dataset, keys: list[str]) -> dict[str, str]:
    if dataset.head is None:
        return {}
    return dict(dataset.head.revisions.filter(sample__key__in=listed(keys)).values_list("sample__key", "blob__md5"))
