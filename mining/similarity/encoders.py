"""Pairs of encoders that users add: finding them, and the job that checks the files of a new one."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.db.models import QuerySet

from accounts.models import Project, User
from accounts.rights import check
from blobs.models import Blob
from catalog.intake.addresses import allowed_hosts
from catalog.intake.fetching import UrlRefused, check_url
from catalog.models import Dataset
from core.errors import Conflict, Invalid, NotFound
from core.references import by_id_or_name
from export.words.encoder_spec import EncoderSpec
from jobs.models import Job
from jobs.services import ShardSpec, create_job
from registry.files import as_document
from registry.metadata import read_object, take_notes
from registry.trunks import TrunkEncoder
from similarity.models import Encoder
from worker_programs.config import ConfigError, document, parse

KIND, FETCH_KIND = "adopt_encoder", "fetch_encoder"
PARTS = ("image", "text", "tokenizer")
"""The files of an encoder."""
REFUSED = "encoder_"
"""Prefix of a file's name in error codes (`export.words.encoder_spec`)."""
MOST_BYTES = 2**31 - 1
"""Most bytes of the files together: proxies in front of the platform take no longer body."""
TOKENIZER_BYTES = 64 << 20


def encoders() -> QuerySet[Encoder]:
    """Return all encoders, with what their documents show."""
    return Encoder.objects.select_related("project", "created_by", "image", "text")


def find_encoder(reference: str) -> Encoder:
    """Return an encoder by id or name. Raises NotFound."""

    def unknown() -> NotFound:
        return NotFound(f"There is no encoder {reference!r}.", code="encoder_unknown")

    found = by_id_or_name(encoders().filter, reference)
    if found is None:
        raise unknown()
    check(found.project_id, unknown)
    return found


def encoder_for(dataset: Dataset, reference: str) -> Encoder:
    """Return an encoder to search this dataset with. Raises NotFound, Invalid (`encoder`) for one of another
    project."""
    found = find_encoder(reference)
    if found.project_id != dataset.project_id:
        words = f"{found.name!r} is in the project {found.project}, dataset {dataset.name!r} in {dataset.project}: "
        raise Invalid.field("encoder", f"{words}use an encoder of that project", code="projects_differ")
    return found


def trunk_encoders(project: int) -> list[TrunkEncoder]:
    """Return the encoders of a project as trunks of its trainings, the newest first."""
    rows = Encoder.objects.filter(project=project).select_related("image").order_by("-pk")
    return [TrunkEncoder(row.name, row.image.ref, row.trunk_fault) for row in rows]


def lock_encoder(encoder: Encoder) -> Encoder:
    """Lock an encoder, so that it stays until the surrounding transaction ends. Raises NotFound where it was
    removed."""
    found = Encoder.objects.select_for_update().filter(pk=encoder.pk).first()
    if found is None:
        raise NotFound(f"There is no encoder {encoder.name!r}.", code="encoder_unknown")
    return found


@dataclass(frozen=True, slots=True)
class NewEncoder:
    """The fields of an encoder to add."""

    name: str
    project: Project
    spec: Mapping[str, Any]
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a file is fetched from, and the SHA-256 (64 hexadecimal digits) that it must have."""

    url: str
    sha256: str


def read_metadata(text: str, preprocessor: str = "") -> tuple[Mapping[str, Any], str]:
    """Parse the metadata: how the files are read (`EncoderSpec`), and the notes. What it leaves out is taken from the
    text of a `preprocessor_config.json`. Raises Invalid naming the field (`metadata.mean`, `preprocessor`)."""
    told = read_object("metadata", text)
    notes = take_notes(told)
    read = _read_by(read_object("preprocessor", preprocessor))
    try:
        return document(parse(EncoderSpec, read | told)), notes
    except ConfigError as error:
        raise Invalid(str(error), errors=_named(error, told, read)) from error


def _named(error: ConfigError, told: Mapping[str, Any], read: Mapping[str, Any]) -> dict[str, list[str]]:
    """Name what is wrong by the part of the form that says it."""
    errors: dict[str, list[str]] = {}
    for name, messages in error.errors.items():
        if (top := name.partition(".")[0]) in read and top not in told:
            errors.setdefault("preprocessor", []).extend(f"gives no {name}: {message}" for message in messages)
        else:
            errors[f"metadata.{name}"] = list(messages)
    return errors


def _read_by(config: Mapping[str, Any]) -> dict[str, Any]:
    """Translate the image settings of Hugging Face's `preprocessor_config.json` to fields of `EncoderSpec`."""
    told: dict[str, Any] = {}
    if config.get("do_rescale") is False:
        told["scale"] = "1"
    if config.get("do_normalize") is False:
        told |= {"mean": [0.0] * 3, "std": [1.0] * 3}
    else:
        told |= {ours: config[theirs] for ours, theirs in (("mean", "image_mean"), ("std", "image_std"))
                 if theirs in config}  # fmt: skip
    size = config.get("crop_size") or config.get("size")
    if isinstance(size, dict):
        height = size.get("height", size.get("shortest_edge"))
        size = (height, size.get("width", height))
    elif size is not None:
        size = (size, size)
    return told | ({"input_size": [3, *size]} if size else {})


def refuse_taken(name: str) -> None:
    """Raise Conflict (`name_taken`) where there is an encoder of this name."""
    if Encoder.objects.filter(name=name).exists():
        raise Conflict(f"There is an encoder {name!r} already: choose another name.", code="name_taken")


def start_adding(new: NewEncoder, files: Mapping[str, Blob], *, author: User) -> Job:
    """Create a queued job that checks the files (`PARTS`) and registers the encoder. The caller wakes it."""
    params = {
        "name": new.name,
        "spec": dict(new.spec),
        "notes": new.notes,
        "files": {part: as_document(files[part].ref) for part in PARTS},
    }
    title = f"Check the files of encoder {new.name}"
    return create_job(
        KIND, title, shards=[ShardSpec()], params=params, unit="files", created_by=author, project=new.project.pk
    )


def start_fetching(new: NewEncoder, sources: Mapping[str, Source], *, author: User) -> Job:
    """Create a queued job that fetches the files (`PARTS`) from their addresses, checks them and registers the encoder.
    The caller wakes it. Raises Invalid naming an address that is not allowed."""
    for part, source in sources.items():
        try:
            check_url(source.url, allowed_hosts())
        except UrlRefused as error:
            raise Invalid.field(f"{part}.url", str(error), code=error.code) from error
    params = {
        "name": new.name,
        "spec": dict(new.spec),
        "notes": new.notes,
        "sources": {part: asdict(sources[part]) for part in PARTS},
    }
    title = f"Fetch the encoder {new.name}"
    return create_job(
        FETCH_KIND, title, shards=[ShardSpec()], params=params, unit="MB", created_by=author, project=new.project.pk
    )


def encoder_of(job: Job) -> Encoder | None:
    """Return the encoder that a job registered; None if it has not, or not yet."""
    rows = encoders().filter(name=job.params["name"], project=job.project_id)
    return rows.first() if job.state == Job.State.SUCCEEDED else None
