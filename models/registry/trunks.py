"""Encoders of a project as frozen trunks of its trainings: which there are, what a training asks for, their files.

The app that keeps encoders registers how they are found (`register`). A training's shard names the files that it was
given when it was queued, so that an encoder that is added, removed or renamed meanwhile changes nothing.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db.models import Q

from blobs.refs import BlobRef
from core.errors import Invalid
from jobs.models import Job, Shard
from registry.files import as_document, fetch_file
from training.auto import NEWEST_ENCODERS, Auto, learner
from training.config import ENCODER

ENCODERS = "encoders"
"""Where a shard's params hold the files of encoders, by name."""
TRAINING, PREPARING = "train", "prepare_training"
"""The kinds of jobs that have such shards."""

Files = dict[str, dict[str, Any]]
"""Refs of files, as documents, by the encoder's name."""


@dataclass(frozen=True, slots=True)
class TrunkEncoder:
    """An encoder, the `ref` of its file, and why no model can be trained on it; empty: one can."""

    name: str
    ref: BlobRef
    fault: str


Finder = Callable[[int], Sequence[TrunkEncoder]]
"""Finds the encoders of a project by its id, the newest first."""
_finders: list[Finder] = []


def register(finder: Finder) -> None:
    """Register how the encoders of a project are found."""
    _finders.append(finder)


def asked_encoders(architecture: str, params: Mapping[str, Any], project: int) -> Files:
    """Return the files of the encoders that a training with these settings needs. Raises Invalid naming an encoder that
    the project does not have, or on which no model can be trained."""
    made = learner(architecture, dict(params))
    if not isinstance(made, Auto):
        named = made.name == ENCODER
        return _named([made.params.encoder], project, field=f"config.params.{ENCODER}") if named else {}
    if made.params.encoders is not None:
        return _named(made.params.encoders, project, field="config.params.encoders")
    fitting = [one for one in _encoders_of(project) if not one.fault]
    return {one.name: as_document(one.ref) for one in fitting[:NEWEST_ENCODERS]}


def fetched_encoders(params: Mapping[str, Any], folder: Path) -> dict[str, str]:
    """Fetch the files that a shard's params name into `folder`; return their paths by the encoder's name."""
    folder.mkdir()
    refs = {name: BlobRef(**ref) for name, ref in params.get(ENCODERS, {}).items()}
    return {name: str(fetch_file(ref, folder / f"{ref.sha256}.onnx")) for name, ref in refs.items()}


def training_on(sha256: str) -> Job | None:
    """Return an open job that trains on the encoder's file with this digest, or prepares that; None without one."""
    shards = _shards(Q(job__state__in=Job.OPEN)).select_related("job").order_by("pk")
    return next((shard.job for shard in shards if sha256 in _digests(shard.params, "sha256")), None)


def files_of_trainings() -> Iterator[str]:
    """Yield the md5s of encoders' files that a training may still read: those that failed may be resumed."""
    unfinished = Q(job__kind=TRAINING) & ~Q(job__state=Job.State.SUCCEEDED)
    for params in _shards(unfinished | Q(job__state__in=Job.OPEN)).values_list("params", flat=True):
        yield from _digests(params, "md5")


def _shards(which: Q) -> Any:
    return Shard.objects.filter(which, job__kind__in=(TRAINING, PREPARING), params__has_key=ENCODERS)


def _digests(params: Mapping[str, Any], of: str) -> list[str]:
    return [ref[of] for ref in params[ENCODERS].values()]


def _encoders_of(project: int) -> list[TrunkEncoder]:
    return [one for finder in _finders for one in finder(project)]


def _named(names: Collection[str], project: int, *, field: str) -> Files:
    there = {one.name: one for one in _encoders_of(project)}
    for name in names:
        if name not in there:
            raise Invalid.field(field, _unknown(name, list(there)), code="encoder_unknown")
        if fault := there[name].fault:
            raise Invalid.field(field, f"no model can be trained on {name!r}: {fault}", code="encoder_unfit")
    return {name: as_document(there[name].ref) for name in names}


def _unknown(name: str, there: Sequence[str]) -> str:
    have = f"it has {', '.join(there)}" if there else "it has none: add one (`lode encoder add`)"
    return f"the project has no encoder {name!r}; {have}" if name else f"name an encoder of the project; {have}"
