"""Lakes as the API shows them."""

from collections.abc import Collection, Sequence
from typing import Any

from catalog.models import Dataset
from jobs.documents import job_documents
from lake import Found
from lakes.models import LakeScan
from lakes.reading import address_of, columns_of, counts_of
from lakes.scanning import scanning_strategies


def lake_document(dataset: Dataset) -> dict[str, Any]:
    """The counts of a dataset's lake, beside those of its samples."""
    samples = dataset.head.counts["samples"] if dataset.head else 0
    facts = {"dataset": dataset.name, "samples": samples, "columns": columns_of(dataset)}
    return counts_of(dataset) | facts | {"strategies": scanning_strategies()}


def part_document(part: Any) -> dict[str, Any]:
    """A part from `lakes.reading.parts_of`, with its counts."""
    return {
        "id": part.pk,
        "source": part.source,
        "frames": part.rows,
        "bytes": part.bytes,
        "first": bytes(part.first).decode(),
        "last": bytes(part.last).decode(),
        "groups": part.group_count,
        "packs": part.pack_count,
        "columns": part.columns,
        "by": part.created_by.username,
        "created": part.created,
    }


def frame_document(dataset: Dataset, frame: Found, samples: Collection[str]) -> dict[str, Any]:
    """A frame, with the address of its bytes. `samples` are the keys that are samples."""
    place = f"/datasets/{dataset.pk}/lake/bytes/{address_of(dataset, frame)}"
    return frame._asdict() | {"sample": frame.key in samples, "thumb": f"{place}/thumb", "url": place}


def scan_document(scan: LakeScan) -> dict[str, Any]:
    """A scan with the current state of its job."""
    return scan_documents([scan])[0]


def scan_documents(scans: Sequence[LakeScan]) -> list[dict[str, Any]]:
    """Scans with the current states of their jobs, which are read together."""
    jobs = job_documents([scan.job for scan in scans])
    return [_scan_document(scan, job) for scan, job in zip(scans, jobs, strict=True)]


def _scan_document(scan: LakeScan, job: dict[str, Any]) -> dict[str, Any]:
    names = ("count", "control", "seed", "prefix", "where", "stats", "created")
    mining = scan.mining
    return {name: getattr(scan, name) for name in names} | {
        "id": scan.pk,
        "dataset": scan.dataset.name,
        "model": f"{scan.model_version.model.name}@{scan.model_version.number}",
        "strategy": {"name": scan.strategy, "params": scan.params},
        "version": mining.version.number if mining else None,
        "mining": mining.pk if mining else None,
        "queue": mining.queue.name if mining and mining.queue else None,
        "job": job,
    }
