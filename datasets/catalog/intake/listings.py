"""Commits as JSON lines: one sample a line, its bytes named by the md5 of an earlier upload.

This makes a folder of any size one atomic commit: the lines are read from a file, never as one JSON document in memory.
"""

import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any, BinaryIO

import orjson

from accounts.models import User
from blobs.services import keep
from catalog.changes.sets import ChangeSet, Rejection, SampleChange
from catalog.intake.addresses import fetched
from catalog.intake.archives import kept_document
from catalog.intake.incoming import Document
from catalog.intake.ingest import ALLOW, NOTHING_FOUND, REPLACE, Terms, empty_upload, receive, upload_changes
from catalog.intake.senders import Sender
from catalog.intake.staging import staged
from catalog.keys import key_fault, normal_key
from catalog.models import Dataset, Split
from core.forms import no_such
from jobs.models import Job
from jobs.services import ShardSpec, create_job
from worker_programs.json_text import read_json

AT_ONCE_LINES = 20_000
AT_ONCE_URLS = 20
PLAIN = "plain"  # the format of listings whose lines are complete: folders in keys are ignored
LINE_MALFORMED = "line_malformed"
MD5 = re.compile(r"[0-9a-f]{32}")
FIELDS: dict[str, type] = {"md5": str, "url": str, "split": str, "label": dict, "meta": dict, "remove": bool}
KNOWN = ["key", *FIELDS]
Line = Mapping[str, Any]


def read_lines(file: BinaryIO) -> Iterator[Line | Rejection]:
    """Yield the checked lines; a malformed one as a Rejection (`line_malformed`) with its number and error."""
    for number, text in enumerate(file, start=1):
        if text.strip():
            yield _line(number, text)


def is_large(file: BinaryIO) -> bool:
    """Whether there are more lines, or URLs, than one request handles."""
    urls = 0
    for number, line in enumerate(file):
        urls += b'"url"' in line
        if number >= AT_ONCE_LINES or urls > AT_ONCE_URLS:
            break
    else:
        number = -1
    file.seek(0)
    return number >= 0


def listing_changes(
    dataset: Dataset,
    lines: Iterable[Line | Rejection],
    terms: Terms,
    *,
    annotations: Document | None,
    author: User,
    sender: Sender,
    on_item: Callable[[int], None] = lambda _: None,
) -> tuple[ChangeSet, Mapping[str, Any]]:
    """Return the change set of a listing; its lines take precedence over annotations and folders.

    `on_item` is called with the number of images fetched. Raises Invalid (`empty_upload`), Conflict (`bytes_missing`)
    and formats.FormatError.
    """
    found, remove, rejected = _by_key(lines)
    if not found and not remove and not rejected and annotations is None:
        raise empty_upload("samples: the file is empty")
    named = {key: line["md5"] for key, line in found.items() if "md5" in line}
    blobs = staged(named.values(), sender=sender, convert=terms.convert)
    urls = ((key, line["url"]) for key, line in found.items() if "url" in line)
    received = receive(fetched(urls), on_item=on_item, convert=terms.convert)
    blobs.add_to(received, named)
    refused = {item.key for item in received.rejected}
    received.rejected += rejected
    report: Mapping[str, Any] = NOTHING_FOUND
    if terms.format == PLAIN:
        changes = ChangeSet(rejected=received.rejected, message=terms.message, parent=terms.parent)
        changes.allow_near_duplicates = terms.near_duplicates == ALLOW
        changes.strict = terms.strict
    else:
        changes, report = upload_changes(dataset, received, terms, annotations=annotations, author=author)
    told = {change.sent_as or change.key: change for change in changes.samples}
    for key, line in found.items():
        if key in refused:
            continue
        if key not in told:
            told[key] = SampleChange(key, blob=received.images.get(key), split=terms.split, author_id=author.pk)
            told[key].original = received.originals.get(key)
            told[key].replace_meta = terms.metadata == REPLACE
            changes.samples.append(told[key])
        for name in ("split", "label"):
            if line.get(name) is not None:
                setattr(told[key], name, line[name])
        if line.get("split") is not None:
            told[key].split_source = None
        if line.get("meta") is not None:
            told[key].meta = {**(told[key].meta or {}), **line["meta"]}
    changes.remove = remove
    return changes, report


def create_commit_job(
    dataset: Dataset,
    file: BinaryIO,
    terms: Terms,
    *,
    annotations: Document | None,
    author: User,
) -> Job:
    """Store the listing and its annotations, and queue the job that commits it; the caller wakes it."""
    params = {
        "dataset": dataset.pk,
        "listing": keep(file, media_type="application/x-ndjson").md5,
        "annotations": kept_document(annotations),
        "terms": asdict(terms),
        "author": author.pk,
        "sender": asdict(Sender.of(author)),
    }
    return create_job(
        "commit",
        f"Commit to {dataset.name}",
        shards=[ShardSpec(params)],
        unit="samples",
        created_by=author,
        project=dataset.project_id,
    )


def queue_lines(dataset: Dataset, lines: Iterable[Line], terms: Terms, *, author: User) -> Job:
    """Queue the job that commits lines in memory, which need no annotations."""
    with tempfile.TemporaryFile() as file:
        file.writelines(orjson.dumps(line) + b"\n" for line in lines)
        file.seek(0)
        return create_commit_job(dataset, file, replace(terms, format=PLAIN), annotations=None, author=author)


def _by_key(lines: Iterable[Line | Rejection]) -> tuple[dict[str, Line], list[str], list[Rejection]]:
    found: dict[str, Line] = {}
    remove: list[str] = []
    rejected: list[Rejection] = []
    for line in lines:
        if isinstance(line, Rejection):
            rejected.append(line)
            continue
        key = normal_key(line["key"])
        if (fault := key_fault(key)) is not None:
            rejected.append(Rejection(line["key"], "key_malformed", fault))
        elif line.get("remove"):
            remove.append(key)
        elif key in found:
            rejected.append(Rejection(key, "duplicate_key", "samples: the listing names this key more than once"))
        else:
            found[key] = line
    return found, remove, rejected


def _line(number: int, text: bytes) -> Line | Rejection:
    place = f"samples, line {number}"
    try:
        line = read_json(text)
    except ValueError as error:
        return Rejection(place, LINE_MALFORMED, f"line {number} can't be read as JSON ({error})")
    if not isinstance(line, dict) or not isinstance(line.get("key"), str):
        return Rejection(place, LINE_MALFORMED, f"line {number} needs a string `key`")
    fault = _fault(line)
    return Rejection(line["key"], LINE_MALFORMED, f"line {number} {fault}") if fault else line


def _fault(line: Line) -> str | None:
    """Return the error in the fields of a line, or None."""
    for name in line.keys() - KNOWN:
        return f"`{name}` {no_such(name, KNOWN)}"
    for name, kind in FIELDS.items():
        if line.get(name) is not None and not isinstance(line[name], kind):
            return f"`{name}` must be of type {kind.__name__}"
    if "md5" in line and not MD5.fullmatch(str(line["md5"])):
        return "`md5` must be 32 lower-case hexadecimal digits"
    if line.get("split") is not None and line["split"] not in Split.values:
        return f"`split` must be one of {', '.join(Split.values)}"
    return None
