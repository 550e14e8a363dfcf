"""The labels and the schema in a pushed directory, in the form that `publication.labels` writes."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from catalog.changes.sets import Rejection
from catalog.intake.incoming import MAX_DOCUMENT_BYTES
from catalog.keys import LABELS, SCHEMA, normal_key
from catalog.models import Dataset
from catalog.publication.source import DatasetSource
from jobs.errors import ShardFailed
from publishing.models import Document, Repository
from publishing.remote import find_document
from publishing.texts import Text, written_as
from worker_programs.json_text import read_json

TYPES = {"split": str, "label": dict, "meta": dict}
State = dict[str, Any]


@dataclass(slots=True)
class PushedLabels:
    """The states, by key, of samples whose line differs from the head, and the rejected lines."""

    states: dict[str, State] = field(default_factory=dict)
    rejected: list[Rejection] = field(default_factory=list)


def take_documents(dataset: Dataset, repository: Repository, wanted: dict[str, str]) -> PushedLabels:
    """Remove the documents from a directory, given as md5 by key, and read the changed lines.

    A document that equals one of a published version has no edits: the head keeps its own. Raises ShardFailed if the
    bytes of `labels.jsonl` were not sent or are too large.
    """
    labels, schema = wanted.pop(LABELS, None), wanted.pop(SCHEMA, None)
    pushed = PushedLabels()
    if schema and not _is_published(repository, SCHEMA, schema):
        words = "the classes and the label schema are changed on the dataset's page or at its `schema`, not by a push"
        pushed.rejected.append(Rejection(SCHEMA, "schema_not_pushed", words))
    if labels and not _is_published(repository, LABELS, labels):
        _read(_bytes(repository, labels), pushed)
        for key in pushed.states.keys() - wanted.keys():
            del pushed.states[key]
            pushed.rejected.append(
                Rejection(key, "sample_unknown", f"{LABELS} names it, and the directory has no such image")
            )
        _drop_unchanged(dataset, pushed.states)
    return pushed


def _is_published(repository: Repository, path: str, md5: str) -> bool:
    return Document.objects.filter(written_as(md5), publication__repository=repository, path=path).exists()


def _bytes(repository: Repository, md5: str) -> bytes:
    sent = repository.uploads.filter(blob__md5=md5).select_related("blob").first()
    text = find_document(repository, md5) if sent is None else Text.whole(sent.blob)
    if text is None:
        raise ShardFailed(f"{LABELS} was not sent: push again", code="objects_missing")
    if text.length > MAX_DOCUMENT_BYTES:
        detail = f"{LABELS} has more than {MAX_DOCUMENT_BYTES} bytes: push the labels in parts with `lode dataset push`"
        raise ShardFailed(detail, code="annotations_too_large")
    return text.read()


def _read(data: bytes, pushed: PushedLabels) -> None:
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        key, state = _state(line)
        if key is None or state is None:
            words = "must be an object with a `key`, and `split`, `label` and `meta` as a published version has them"
            pushed.rejected.append(Rejection(f"{LABELS}:{number}", "annotations_malformed", f"line {number} {words}"))
        elif key in pushed.states:
            pushed.rejected.append(Rejection(key, "duplicate_key", f"{LABELS} has more than one line of it"))
        else:
            pushed.states[key] = state


def _state(line: bytes) -> tuple[str, State] | tuple[None, None]:
    try:
        row = read_json(line)
    except ValueError:
        return None, None
    if not isinstance(row, dict) or not isinstance(row.get("key"), str):
        return None, None
    state = {name: row.get(name) for name in TYPES}
    if not all(value is None or isinstance(value, TYPES[name]) for name, value in state.items()):
        return None, None
    return normal_key(row["key"]), state | {"meta": state["meta"] or {}}


def _drop_unchanged(dataset: Dataset, states: dict[str, State]) -> None:
    """Delete the states that equal those of the head."""
    for key, state in _head_states(dataset):
        if key in states and states[key] | {"split": states[key]["split"] or state["split"]} == state:
            del states[key]


def _head_states(dataset: Dataset) -> Iterator[tuple[str, Mapping[str, Any]]]:
    lines: Iterable[bytes] = ()
    if dataset.head:
        lines = DatasetSource().documents(dataset.name, dataset.head.number)[LABELS]
    for line in lines:
        row = orjson.loads(line)
        yield row["key"], {name: row[name] for name in TYPES}
