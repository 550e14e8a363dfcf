"""Load the images of a demo into a dataset of the platform, part by part."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from demo.examples import Part
from demo.plan import Arm, Plan
from motherlode.bars import JobBar
from motherlode.client import Motherlode
from motherlode.errors import JobFailedError, MotherlodeError
from motherlode.transport import Upload

if TYPE_CHECKING:
    from motherlode.documents import Commit


def ensure_dataset(client: Motherlode, arm: Arm, plan: Plan, source: str) -> None:
    """Create the arm's dataset if it is missing. Raises `other_images` if it holds images of another source."""
    description = _description(arm, plan, source)
    if not _is_there(client, arm, description):
        client.datasets.create(arm.dataset, classes=plan.classes, task=plan.task, description=description)


def ensure_fork(client: Motherlode, plan: Plan, source: str, parts: Sequence[Part]) -> bool:
    """Create the random arm's dataset if it is missing, as a fork of the mined arm's version with all parts: no image
    is sent or stored again. Returns whether it was missing. Raises as `ensure_dataset`."""
    description = _description(plan.random, plan, source)
    if _is_there(client, plan.random, description):
        return False
    versions = client.datasets.versions(plan.mined.dataset)
    loaded = next(version["version"] for version in versions if version["message"] == parts[-1].message)
    client.histories.fork(plan.mined.dataset, plan.random.dataset, loaded, description=description)
    return True


def _description(arm: Arm, plan: Plan, source: str) -> str:
    return f"{plan.content} for the {arm.title} arm: {source}"


def _is_there(client: Motherlode, arm: Arm, description: str) -> bool:
    found = next((one for one in client.datasets.all() if one["name"] == arm.dataset), None)
    if found is not None and found["description"] != description:
        detail = (
            f"Dataset {arm.dataset!r} holds something else ({found['description']!r}): `make clean`, or use --suffix"
        )
        raise MotherlodeError(status=0, code="other_images", detail=detail)
    return found is not None


def missing_parts(client: Motherlode, arm: Arm, wanted: Sequence[Part]) -> list[Part]:
    """Return the parts that no version of the dataset holds yet."""
    there = {version["message"] for version in client.datasets.versions(arm.dataset)}
    return [part for part in wanted if part.message not in there]


def push_part(client: Motherlode, arm: Arm, part: Part, bar: JobBar) -> Commit:
    """Upload one part. Sent again after an interruption, it is recognised by its idempotency key and not committed
    twice."""
    archive, annotations = part.archive, part.annotations()
    digest = hashlib.sha256(archive + (annotations or b"")).hexdigest()

    def push(key: str | None) -> Commit:
        return client.datasets.push(
            arm.dataset,
            Upload(f"{part.split}.tar", archive, "application/x-tar"),
            annotations=Upload("annotations.jsonl", annotations, "application/jsonl") if annotations else None,
            allow_near_duplicates=True,  # the images' own splits, as everybody uses them
            form="jsonl" if annotations else "auto",
            split=part.split,
            message=part.message,
            key=key,
            on_progress=bar.show,
        )

    try:
        commit = push(f"demo-{arm.dataset}-{part.split}-{digest[:32]}")
    except JobFailedError:  # perhaps an earlier run's job, which this key returns again: retry under a new key
        commit = push(None)
    bar.finish(len(part.keys))
    if commit["rejected"]:
        first = commit["rejected"][0]
        detail = f"{len(commit['rejected'])} images were rejected; the first is {first['key']}: {first['detail']}"
        raise MotherlodeError(status=0, code=first["code"], detail=detail)
    return commit
