"""Search a version for the samples most like an image, a part of one, one of its samples, or words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from blobs.models import Blob
from blobs.services import store
from catalog.filtering.filters import Filter
from catalog.models import Revision, Sample, Version
from catalog.reading.members import Members, members_of
from core.errors import Conflict, Unprocessable
from core.list_parameters import listed
from mining_jobs.scores.files import ModelFile
from registry.predicting import ReadText, embed, read_text
from scoring.table import packed
from similarity.embeddings import KEPT_VERSIONS, Embedder, coverage_of, open_job
from similarity.lexicon import LEAST_KNOWN, LEAST_SHARE, description_of, find_lexicon, nearest_names
from similarity.models import Lexicon
from similarity.ranking import Floats, Rows, best, unit
from similarity.vectors import NOTHING, Vectors, vectors_of

Region = tuple[int, int, int, int]
"""x, y, width, height in pixels of the upright image."""
Spend = Callable[[bytes], None]
"""Called with each image before it is decoded."""


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for: a sample of the version or an image's bytes, whole or a `region` of it; or words."""

    sample: Revision | None = None
    image: bytes | None = None
    text: str | None = None
    region: Region | None = None


@dataclass(frozen=True, slots=True)
class Similar:
    """The nearest samples with their similarities, nearest first, of `compared` samples that pass the filter and have
    embeddings. Of the whole version, `missing` samples have no embedding yet, and `unreadable` ones can't have one.
    `words` is the text as it was read, in a search by words; `unknown` is set where they are not known or no image
    is like them."""

    results: list[tuple[Revision, float]]
    compared: int
    missing: int
    unreadable: int
    words: ReadText | None = None
    unknown: "UnknownWords | None" = None


@dataclass(frozen=True, slots=True)
class UnknownWords:
    """Words that are like no name (not `known`) or, if they are, like no image: the largest `similarity` with a name or
    an image is below `least`. `nearest` are the names most like them."""

    known: bool
    similarity: float
    least: float
    nearest: list[str]


@dataclass(frozen=True, slots=True)
class _Gallery:
    """The vectors to compare with, of a model's file or, for words beside the backbone's features, of its lexicon; and
    the file that reads words."""

    file: ModelFile
    vectors: Vectors
    text: Blob | None
    lexicon: Lexicon | None = None


def find_similar(
    version: Version, embedder: Embedder, query: Query, chosen: Filter, *, offset: int, limit: int, spend: Spend
) -> Similar:
    """Return at most `limit` samples by similarity, from `offset` on.

    Raises Conflict (`embeddings_missing`) where no sample has an embedding, Unprocessable for an image that the model
    can't read, Unavailable (`embeddings_loading`, or as `registry.predicting`).
    """
    members, gallery = members_of(version), _gallery(embedder, query)
    vectors = gallery.vectors if gallery is not None else NOTHING
    rows = _rows(vectors, members)
    if gallery is None or not (rows >= 0).any():
        raise _missing(version, embedder, query)
    words = _words(query, gallery)
    wanted = _vector(query, vectors, gallery.file, spend) if words is None else _unit(words.embedding)
    passing = members.chosen(version, chosen)
    places = passing[rows[passing] >= 0]
    found = best(
        vectors.matrix, wanted, rows[places], offset + limit, lambda some: _keys(members.samples[places[some]])
    )
    shown = [(int(members.samples[places[place]]), similarity) for place, similarity in found[offset:]]
    missing = coverage_of(version, embedder).missing
    unreadable = int((rows < 0).sum()) - missing  # also images whose embeddings are not finite
    revisions = _revisions(version, [sample for sample, _ in shown])
    results = [(revisions[sample], similarity) for sample, similarity in shown if sample in revisions]
    unknown = _unknown(found[0][1], words, gallery.lexicon) if found and words is not None else None
    return Similar(results, len(places), missing, unreadable, words, unknown)


def _unknown(similarity: float, words: ReadText, lexicon: Lexicon | None) -> UnknownWords | None:
    """Return the words as unknown where no image is like them; by an encoder of users there is no such bar."""
    if lexicon is None:
        return None
    names, nearest = nearest_names(lexicon, _unit(words.embedding))
    if nearest < LEAST_KNOWN:
        return UnknownWords(known=False, similarity=nearest, least=LEAST_KNOWN, nearest=names)
    least = LEAST_SHARE * nearest
    return UnknownWords(known=True, similarity=similarity, least=least, nearest=names) if similarity < least else None


def _gallery(embedder: Embedder, query: Query) -> _Gallery | None:
    """Return the gallery to search; None where one of its files is not made yet."""
    file, files = embedder.file, embedder.score_files
    if file is None:
        return None
    if query.text is None or embedder.encoder is not None:
        text = embedder.encoder.text if embedder.encoder is not None else None
        return _Gallery(file, vectors_of(file.digest, files), text)
    lexicon = find_lexicon()
    if lexicon is None:
        return None
    return _Gallery(file, vectors_of(file.digest, files, description_of(lexicon)), lexicon.text, lexicon)


def _words(query: Query, gallery: _Gallery) -> ReadText | None:
    if query.text is None or gallery.text is None:
        return None
    return read_text(gallery.text, query.text)


def _unit(vector: Sequence[float]) -> Floats:
    made: Floats = unit(np.array([vector], np.float32))[0]
    return made


@lru_cache(maxsize=KEPT_VERSIONS)
def _rows(vectors: Vectors, members: Members) -> Rows:
    """Return the row of each sample of a version in the matrix, or -1; cached."""
    return vectors.rows(members.md5)


def _vector(query: Query, vectors: Vectors, file: ModelFile, spend: Spend) -> Floats:
    """Return the query's vector (D,) of length 1: the stored one for a whole sample, else computed by the prediction
    program."""
    if query.sample is not None and query.region is None:
        row = int(vectors.rows(packed([query.sample.blob.md5]))[0])
        if row >= 0:
            kept: Floats = vectors.matrix[row]
            return kept
    image = query.image if query.sample is None else store().get(query.sample.blob.ref)
    assert image is not None  # noqa: S101 - a query has one of them
    spend(image)
    try:
        found = embed(file.onnx, image, query.region)
    except Unprocessable as fault:
        field = "x" if fault.code == "crop_outside" else "to" if query.sample is not None else "file"
        raise Unprocessable.field(field, fault.detail, code=fault.code) from fault
    return _unit(found)


def _keys(samples: NDArray[np.int64]) -> list[str]:
    ids = samples.tolist()
    named = dict(Sample.objects.filter(pk__in=listed(ids)).values_list("pk", "key"))
    return [named.get(sample, "") for sample in ids]


def _revisions(version: Version, samples: list[int]) -> Mapping[int, Revision]:
    """Map samples to their revisions; samples that have just been erased are left out."""
    rows = version.revisions.filter(sample__in=listed(samples)).select_related("sample", "blob", "original", "label")
    return {row.sample_id: row for row in rows}


def _missing(version: Version, embedder: Embedder, query: Query) -> Conflict:
    job, name = open_job(version, embedder), version.dataset.name
    by = f" --model {embedder.reference}" if embedder.reference else ""
    by = f" --encoder {embedder.name}" if embedder.encoder else by
    if query.text is not None and embedder.encoder is None and coverage_of(version, embedder).embedded:
        what, do, done = "What reads words beside the embeddings is not made yet", "make it", "is making it"
    else:
        what, do = f"No sample of {version} has an embedding by {embedder.name}", "compute them"
        done = "is computing them, and what it has done can be searched"
    how = (
        f"job {job.pk} {done}"
        if job
        else f"{do} with `lode dataset embed {name}{by}`, POST "
        f"/datasets/{name}/versions/{version.number}/embeddings, or “Compute embeddings” on the dataset's page"
    )
    return Conflict(f"{what}: {how}.", code="embeddings_missing")
