"""`python -m bench.beside.filling DATASET COUNT`: add unlabelled samples as rows; their bytes are stored already."""

import sys

import django

BATCH = 50_000


def main() -> None:
    """Commit in batches, as one transaction each."""
    django.setup()
    from bench.beside.images import digests
    from blobs.models import Blob
    from catalog.changes.sets import ChangeSet, SampleChange
    from catalog.models import Dataset
    from catalog.versions.commit import commit

    dataset, count = Dataset.objects.select_related("created_by").get(name=sys.argv[1]), int(sys.argv[2])
    blobs = list(Blob.objects.filter(md5__in=digests()))
    for start in range(0, count, BATCH):
        numbers = range(start, min(start + BATCH, count))
        samples = [SampleChange(key(number), blob=blobs[number * 7919 % len(blobs)]) for number in numbers]
        commit(dataset, ChangeSet(samples, message="Filled"), author=dataset.created_by)


def key(number: int) -> str:
    """The key of the n-th sample."""
    return f"{number % 97:02d}/{number:08d}.png"


if __name__ == "__main__":
    main()
