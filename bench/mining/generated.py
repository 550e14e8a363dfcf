"""A dataset of samples that nobody can look at, with score files as if a model had: what a large pool needs."""

from hashlib import md5, sha256
from typing import Any

import numpy as np

from bench.mining.corpus import embeddings, probabilities

CLASSES = [f"class-{number}" for number in range(10)]
BATCH = 50_000
LABELLED_EACH = 1000
"""One of so many samples is labelled and in split train; the others are the pool."""
DRIVE = 500
"""Samples of a drive."""


def generate(samples: int, *, author: Any, dimensions: int, name: str = "generated") -> tuple[Any, Any]:
    """(dataset version, model version) with `samples` samples, each of bytes of its own that are nowhere, and the
    scores of all in files of BATCH rows. Each sample says its drive and the second in it. Needs an object store."""
    from catalog.versions.datasets import create_dataset
    from jobs.services import ShardSpec, cancel, create_job
    from registry.models import ModelVersion
    from registry.services import create_model

    what = {"task": "classification", "classes": CLASSES, "description": "", "author": author}
    dataset, model = create_dataset(name, **what), create_model(name, **what)
    digest = sha256(name.encode()).hexdigest()
    version = ModelVersion.objects.create(
        model=model, number=1, architecture="generated", digest=digest, created_by=author
    )
    job = create_job("mine", "wrote the generated scores", shards=[ShardSpec()])
    cancel(job.pk)
    for number, at in enumerate(range(0, samples, BATCH)):
        digests = _commit(dataset, author, range(at, min(at + BATCH, samples)))
        _write_scores(version, job, number, digests, dimensions)
    dataset.refresh_from_db()
    return dataset.head, version


def _commit(dataset: Any, author: Any, numbers: range) -> list[str]:
    from blobs.refs import BlobRef
    from blobs.services import rows_for
    from catalog.changes.sets import ChangeSet, SampleChange
    from catalog.versions.commit import commit

    pack = sha256(b"pack").hexdigest()
    refs = []
    for number in numbers:
        data = f"{dataset.name} {number}".encode()
        digest = md5(data, usedforsecurity=False).hexdigest()
        refs.append(BlobRef(digest, sha256(data).hexdigest(), len(data), f"packs/{pack[:2]}/{pack}", 64 * number))
    blobs = rows_for((ref, {"media_type": "image/png", "width": 28, "height": 28}) for ref in refs)
    changes = []
    for number, ref in zip(numbers, refs, strict=True):
        known = number % LABELLED_EACH == 0
        changes.append(
            SampleChange(
                f"{number:08d}.png",
                blob=blobs[ref.md5],
                split="train" if known else "pool",
                label={"class": CLASSES[number // LABELLED_EACH % len(CLASSES)]} if known else None,
                meta={"drive": f"d{number // DRIVE}", "t": float(number % DRIVE)},
            )
        )
    commit(dataset, ChangeSet(changes), author=author)
    return [ref.md5 for ref in refs]


def _write_scores(version: Any, job: Any, number: int, digests: list[str], dimensions: int) -> None:
    from blobs.services import row_for, store
    from mining_jobs.models import ScoreFile
    from scoring.config import SCORER
    from scoring.table import Scores, packed

    rows = len(digests)
    mixed = np.random.default_rng(number).permutation(rows)
    scores = Scores.of(packed(digests), probabilities(rows, len(CLASSES))[mixed], embeddings(rows, dimensions)[mixed])
    ScoreFile.objects.create(
        model_digest=version.digest,
        scorer=SCORER,
        rows=rows,
        blob=row_for(store().put_bytes(scores.to_bytes())),
        job=job,
        shard=number,
    )
