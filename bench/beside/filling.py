"""`python -m bench.beside.filling DATASET COUNT`: add unlabelled samples whose bytes nobody reads.

Their blobs are rows alone; many samples share one."""

import sys

import django

BATCH, BLOBS = 50_000, 10_000


def main() -> None:
    """Commit in batches, as one transaction each."""
    django.setup()
    from bench.versioning.rows import blobs
    from catalog.changes.sets import ChangeSet, SampleChange
    from catalog.models import Dataset
    from catalog.versions.commit import commit

    dataset, count = Dataset.objects.select_related("created_by").get(name=sys.argv[1]), int(sys.argv[2])
    there = blobs()
    for start in range(0, count, BATCH):
        numbers = range(start, min(start + BATCH, count))
        samples = [SampleChange(key(number), blob=there[number * 7919 % len(there)]) for number in numbers]
        commit(dataset, ChangeSet(samples, message="Filled"), author=dataset.created_by)


def key(number: int) -> str:
    """The key of the n-th sample."""
    return f"{number % 97:02d}/{number:08d}.png"


if __name__ == "__main__":
    main()
