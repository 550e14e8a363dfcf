"""`/datasets`: create, commit, look."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, Literal
from urllib.parse import quote

import httpx

from motherlode.errors import MotherlodeError
from motherlode.resources.filters import Filter, as_parameter
from motherlode.resources.jobs import Jobs
from motherlode.resources.lifecycle import Lifecycle
from motherlode.transport import Transport, Upload, segment

if TYPE_CHECKING:
    from motherlode.documents import (
        Commit,
        CopyList,
        Dataset,
        Embeddings,
        Export,
        Format,
        LabelSchema,
        Lineage,
        LiveJob,
        ManifestSample,
        Map,
        NearDuplicate,
        NearDuplicateCounts,
        NearDuplicateDecided,
        Sample,
        SimilarList,
        Source,
        SplitEnum,
        TakenOver,
        Uploads,
        Version,
    )


class Datasets(Lifecycle):
    _route = "/datasets"

    def __init__(self, transport: Transport, jobs: Jobs) -> None:
        self._transport = transport
        self._jobs = jobs

    def all(self) -> Iterator[Dataset]:
        """List all datasets."""
        return self._transport.pages("/datasets")

    def get(self, dataset: str) -> Dataset:
        """Return a dataset by id or name."""
        document: Dataset = self._transport.get(f"/datasets/{segment(dataset)}")
        return document

    def create(
        self,
        name: str,
        *,
        classes: Sequence[str],
        task: str = "classification",
        description: str = "",
        multi_label: bool = False,
        project: str | None = None,
    ) -> Dataset:
        """Create an empty dataset. `task` is the label of an image: one class (classification), any number of classes
        (multilabel; or set `multi_label`), boxes (detection) or polygons (segmentation). `project` defaults to the only
        one in which you may build."""
        body: dict[str, object] = {"name": name, "task": task, "classes": list(classes), "description": description}
        body["project"] = project
        body |= {"multi_label": True} if multi_label else {}
        document: Dataset = self._transport.post("/datasets", body).json()
        return document

    def schema(self, dataset: str, version: int | None = None) -> LabelSchema:
        """Return the label schema, which annotators see: the current one with its history, or a version of it."""
        path = f"/datasets/{segment(dataset)}/schema" + (f"/versions/{segment(version)}" if version is not None else "")
        document: LabelSchema = self._transport.get(path)
        return document

    def change_schema(
        self,
        dataset: str,
        classes: Sequence[Mapping[str, object]],
        *,
        parent: int,
        guideline: str | None = None,
        message: str = "",
    ) -> LabelSchema:
        """Set the classes, in a new version of the schema on `parent`. Each class needs a `name`; fields left out stay
        as they are, and a new class takes the next free key. Raises `stale_parent` (409), `class_in_use` (400)."""
        body: dict[str, object] = {"classes": list(classes), "message": message, "parent": parent}
        body |= {"guideline": guideline} if guideline is not None else {}
        document: LabelSchema = self._transport.put(f"/datasets/{segment(dataset)}/schema", body)
        return document

    def versions(self, dataset: str) -> Iterator[Version]:
        """List the versions of a dataset, the newest first."""
        return self._transport.pages(f"/datasets/{segment(dataset)}/versions")

    def version(self, dataset: str, version: int | str) -> Version:
        """Return a version by number, tag or alias, or `head`."""
        document: Version = self._transport.get(f"/datasets/{segment(dataset)}/versions/{segment(version)}")
        return document

    def samples(
        self,
        dataset: str,
        version: int | str = "head",
        *,
        split: SplitEnum | Sequence[SplitEnum] | None = None,
        label: str | Sequence[str] | None = None,
        labelled: bool | None = None,
        search: str | None = None,
        chosen: Filter | None = None,
        predicted_by: str | None = None,
        predicted: str | Sequence[str] | None = None,
        correct: bool | None = None,
        order: str | None = None,
        seed: int | None = None,
    ) -> Iterator[Sample]:
        """List the samples of a version that match all conditions, in a stable order. Of several splits or labels, one
        must match. `search` looks in the keys, `chosen` is a filter. `predicted` are classes and `correct` is whether
        the label agrees, by the stored scores of the model `predicted_by` ("signs@production"). `order` is an order of
        the API, such as "-loss" for the most wrong first; `seed` is that of the order "random"."""
        path = f"/datasets/{segment(dataset)}/versions/{segment(version)}/samples"
        return self._transport.pages(path, split=split, label=label, labelled=_flag(labelled), q=search,
                                     filter=as_parameter(chosen), predicted_by=predicted_by, predicted=predicted,
                                     correct=_flag(correct), order=order, seed=seed, limit=500)  # fmt: skip

    def lineage(self, dataset: str, key: str) -> Lineage:
        """Return the history of a sample and what contained it: the models that learned from it, to any depth, or were
        judged by it, and what scored, picked and asked for it."""
        document: Lineage = self._transport.get(f"/datasets/{segment(dataset)}/samples/{quote(key)}/lineage")
        return document

    def push(
        self,
        dataset: str,
        archive: Upload,
        *,
        annotations: Upload | None = None,
        form: str = "auto",
        split: SplitEnum | None = None,
        message: str = "",
        parent: int | None = None,
        allow_near_duplicates: bool = False,
        keep_partial: bool = False,
        strict: bool = False,
        replace_metadata: bool = False,
        convert: bool = False,
        names_encoding: str | None = None,
        key: str | None = None,
        on_progress: Callable[[LiveJob], None] | None = None,
    ) -> Commit:
        """Commit an archive (zip, tar, tar.gz) of images; if the platform answers with a job, wait for it.

        `form` is the annotations' format; `split` applies to all images, whatever the annotations say; with `parent`
        the commit is refused unless that version is still the head. Near-duplicates of test samples stay out of train,
        unless `allow_near_duplicates` is set. Rejected files are in the result's `rejected`; with `strict` any of them
        refuses the whole upload (`not_all_accepted`). An image with objects that a label can't hold stays unlabelled,
        unless `keep_partial` keeps its other objects; `incomplete` counts them. Metadata merges into the sample's (a
        null removes a name), unless `replace_metadata` is set. With `convert`, TIFF, BMP, GIF, HEIC and AVIF are turned
        into PNG or JPEG, and the originals are kept. `names_encoding` is that of the archive's names where they are
        not UTF-8. Raises JobFailedError when the platform accepted the archive and
        its job then failed.
        """
        files = {"archive": archive} if annotations is None else {"archive": archive, "annotations": annotations}
        fields = {"format": form, "split": split, "message": message, "parent": None if parent is None else str(parent),
                  "near_duplicates": _near_duplicates(allowed=allow_near_duplicates),
                  "metadata": _metadata(replace=replace_metadata),
                  **_completeness(keep_partial=keep_partial, strict=strict),
                  **_conversion(convert=convert), **_encoding(names_encoding)}  # fmt: skip
        response = self._transport.post_form(f"/datasets/{segment(dataset)}", fields, files, key=key)
        return self._jobs.commit_of(response, on_progress)

    def push_directly(
        self,
        dataset: str,
        name: str,
        archive: BinaryIO,
        *,
        form: str = "auto",
        split: SplitEnum | None = None,
        message: str = "",
        parent: int | None = None,
        allow_near_duplicates: bool = False,
        keep_partial: bool = False,
        strict: bool = False,
        replace_metadata: bool = False,
        convert: bool = False,
        names_encoding: str | None = None,
        on_progress: Callable[[LiveJob], None] | None = None,
    ) -> Commit:
        """`push`, with the archive (up to 5 GiB) sent directly to the object store, which must be reachable from
        here."""
        size = archive.seek(0, io.SEEK_END)
        place = self._transport.post(f"/datasets/{segment(dataset)}/uploads", {"presign": [{"size": size}]}).json()[
            "places"
        ][0]
        archive.seek(0)
        self._transport.put_directly(place["url"], archive, size=size)
        body = {"archive": {"upload": place["upload"], "name": name}, "format": form, "split": split,
                "message": message, "parent": parent,
                "near_duplicates": _near_duplicates(allowed=allow_near_duplicates),
                "metadata": _metadata(replace=replace_metadata),
                **_completeness(keep_partial=keep_partial, strict=strict),
                **_conversion(convert=convert), **_encoding(names_encoding)}  # fmt: skip
        return self._jobs.commit_of(self._transport.post(f"/datasets/{segment(dataset)}", body), on_progress)

    def near_duplicates(self, dataset: str) -> Iterator[NearDuplicate]:
        """List the near-duplicates of test samples, the latest found first."""
        return self._transport.pages(f"/datasets/{segment(dataset)}/near-duplicates", limit=500)

    def near_duplicate_counts(self, dataset: str) -> NearDuplicateCounts:
        """Count the near-duplicates that are kept out of train, and those that are allowed."""
        answer = self._transport.get(f"/datasets/{segment(dataset)}/near-duplicates", limit=1)
        found: NearDuplicateCounts = answer["counts"]
        return found

    def decide_near_duplicates(
        self, dataset: str, decision: str, *, keys: Sequence[str] | None = None
    ) -> NearDuplicateDecided:
        """Apply a `decision` to near-duplicates: `allow` them in train or `keep_out`; those with these keys, or (None)
        all."""
        body = {"decision": decision} | ({"all": True} if keys is None else {"keys": list(keys)})
        done: NearDuplicateDecided = self._transport.post(f"/datasets/{segment(dataset)}/near-duplicates", body).json()
        return done

    def copies(self, dataset: str) -> CopyList:
        """Get the unlabelled samples of the pool whose bytes a labelled sample has: their counts and the first 100."""
        found: CopyList = self._transport.get(f"/datasets/{segment(dataset)}/copies")
        return found

    def take_over_labels(
        self, dataset: str, *, keys: Sequence[str] | None = None, parent: int | None = None
    ) -> TakenOver:
        """Give unlabelled copies the labels of the samples whose bytes they have: those with these keys, or (None) all
        that can be, in one commit."""
        body: dict[str, Any] = {"all": True} if keys is None else {"keys": list(keys)}
        if parent is not None:
            body["parent"] = parent
        done: TakenOver = self._transport.post(f"/datasets/{segment(dataset)}/copies", body).json()
        return done

    def check_near_duplicates(
        self, dataset: str, *, on_progress: Callable[[LiveJob], None] | None = None
    ) -> dict[str, Any]:
        """Check again the near-duplicates that an older release found by hashes alone and drop the false ones.
        Waits."""
        started = self._transport.post(f"/datasets/{segment(dataset)}/near-duplicates/check", {}).json()
        result: dict[str, Any] = self._jobs.wait(started["job"]["id"], on_progress=on_progress)["result"] or {}
        return result

    def missing(self, dataset: str, digests: Sequence[str], *, convert: bool = False) -> list[str]:
        """Return which of up to 10,000 images, named by md5, the platform does not hold; with `convert`, it also holds
        an original that it has converted."""
        body = {"digests": list(digests), "convert": convert}
        answer = self._transport.post(f"/datasets/{segment(dataset)}/have", body, keyed=False)
        found: list[str] = answer.json()["missing"]
        return found

    def stage(self, dataset: str, archive: bytes, *, convert: bool = False) -> Uploads:
        """Store the images of a small archive without committing them. A commit names them by md5; with `convert`, by
        the md5 of the file as sent."""
        files, fields = {"archive": Upload("batch.tar", archive)}, _conversion(convert=convert)
        answer = self._transport.post_form(f"/datasets/{segment(dataset)}/uploads", fields, files, keyed=False)
        document: Uploads = answer.json()
        return document

    def commit_listing(
        self,
        dataset: str,
        lines: BinaryIO,
        *,
        annotations: Upload | None = None,
        form: str = "auto",
        split: SplitEnum | None = None,
        message: str = "",
        parent: int | None = None,
        allow_near_duplicates: bool = False,
        keep_partial: bool = False,
        strict: bool = False,
        replace_metadata: bool = False,
        convert: bool = False,
        names_encoding: str | None = None,
        on_progress: Callable[[LiveJob], None] | None = None,
    ) -> Commit:
        """Commit JSON lines `{key, md5, split?, label?, meta?}` or `{key, remove: true}` whose bytes are stored.

        `annotations` is one file or an archive of several. Raises `bytes_missing` (409) with the missing md5s in
        `extra["missing"]`, and `stale_parent` (409).
        """
        files = {"samples": Upload("samples.jsonl", lines, "application/x-ndjson")}
        files |= {"annotations": annotations} if annotations is not None else {}
        fields = {"format": form, "split": split, "message": message, "parent": None if parent is None else str(parent),
                  "near_duplicates": _near_duplicates(allowed=allow_near_duplicates),
                  "metadata": _metadata(replace=replace_metadata),
                  **_completeness(keep_partial=keep_partial, strict=strict),
                  **_conversion(convert=convert), **_encoding(names_encoding)}  # fmt: skip
        return self._jobs.commit_of(
            self._transport.post_form(f"/datasets/{segment(dataset)}", fields, files), on_progress
        )

    def sources(self) -> list[Source]:
        """List the sources that images may be imported from."""
        found: list[Source] = self._transport.get("/sources")["results"]
        return found

    def formats(self) -> list[Format]:
        """List the formats of annotations for import and export."""
        found: list[Format] = self._transport.get("/formats")["results"]
        return found

    def import_objects(
        self,
        dataset: str,
        source: str,
        bucket: str,
        *,
        prefix: str = "",
        mode: Literal["copy", "reference"] = "copy",
        form: str = "auto",
        split: SplitEnum | None = None,
        message: str = "",
        parent: int | None = None,
        keep_partial: bool = False,
        strict: bool = False,
        convert: bool = False,
        on_progress: Callable[[LiveJob], None] | None = None,
    ) -> Commit:
        """Commit the images below a prefix of a source's bucket; the `mode` "reference" leaves the bytes where they
        are."""
        body = {"s3": {"source": source, "bucket": bucket, "prefix": prefix}, "mode": mode, "format": form,
                "split": split, "message": message, "parent": parent,
                **_completeness(keep_partial=keep_partial, strict=strict),
                **_conversion(convert=convert)}  # fmt: skip
        return self._jobs.commit_of(self._transport.post(f"/datasets/{segment(dataset)}/imports", body), on_progress)

    def manifest(
        self,
        dataset: str,
        version: int | str = "head",
        *,
        split: SplitEnum | None = None,
        chosen: Filter | None = None,
    ) -> Iterator[ManifestSample]:
        """Yield every sample of a version that is in the split and passes the filter. Raises `manifest_broken` if the
        list is cut short."""
        path = f"/datasets/{segment(dataset)}/versions/{segment(version)}/manifest"
        told = {"split": split, "filter": as_parameter(chosen)}
        params = {name: value for name, value in told.items() if value is not None}
        count = 0
        for text in _lines(self._transport.stream(path, params=params)):
            line = json.loads(text)
            if "key" not in line:
                if line.get("samples") == count:
                    return
                break
            count += 1
            yield line
        detail = f"the list of {dataset} {version} broke off after {count} samples: try again"
        raise MotherlodeError(status=0, code="manifest_broken", detail=detail)

    def blobs(self, digests: Sequence[str]) -> Iterator[bytes]:
        """Yield up to 10,000 blobs as pieces of one tar stream, whose members are named by md5."""
        return self._transport.stream("/blobs", body={"digests": list(digests)})

    def blob(self, digest: str) -> Iterator[bytes]:
        """Yield the bytes of a blob, piece by piece."""
        return self._transport.stream(f"/blobs/{segment(digest)}")

    def export(
        self,
        dataset: str,
        form: str,
        *,
        version: int | str = "head",
        split: SplitEnum | None = None,
        slice_name: str | None = None,
        chosen: Filter | None = None,
        key: str | None = None,
        on_progress: Callable[[LiveJob], None] | None = None,
    ) -> Export:
        """Write a version as a zip in a format, and wait until it is done; optionally only the samples of a split, of a
        slice and that pass a filter.

        The `notes` of the export say what the format can't hold; `download` fetches the zip.
        """
        body = {"version": str(version), "format": form, "split": split, "slice": slice_name, "filter": chosen}
        started = self._transport.post(f"/datasets/{segment(dataset)}/exports", body, key=key).json()
        self._jobs.wait(started["job"]["id"], on_progress=on_progress)
        exports: Iterator[Export] = self._transport.pages(f"/datasets/{segment(dataset)}/exports")
        made = next((one for one in exports if one["id"] == started["id"]), None)
        if made is None:
            detail = "samples of its version were erased meanwhile, and the export went with them: export it again"
            raise MotherlodeError(status=0, code="export_erased", detail=detail)
        return made

    def map(
        self,
        dataset: str,
        *,
        version: int | str = "head",
        model: str | None = None,
        features: str | None = None,
        method: str | None = None,
    ) -> Map:
        """Map the samples of a version to the plane by the embeddings of a model (`"signs@production"`), or without one
        by `features`: `backbone` (the default), or `pixels`; wait for its `job`, then read its `points`."""
        body = {"version": str(version), "model": model, "features": features, "method": method}
        document: Map = self._transport.post(f"/datasets/{segment(dataset)}/maps", body).json()
        return document

    def maps(self, dataset: str) -> Iterator[Map]:
        """List the maps of a dataset, the newest first."""
        return self._transport.pages(f"/datasets/{segment(dataset)}/maps")

    def embeddings(
        self, dataset: str, version: int | str = "head", *, model: str | None = None, encoder: str | None = None
    ) -> Embeddings:
        """Count the samples of a version that have embeddings of a model (`"signs@production"`) or an encoder; by
        default of the backbone."""
        path = f"/datasets/{segment(dataset)}/versions/{segment(version)}/embeddings"
        document: Embeddings = self._transport.get(path, model=model, encoder=encoder)
        return document

    def embed(
        self, dataset: str, version: int | str = "head", *, model: str | None = None, encoder: str | None = None
    ) -> Embeddings:
        """Start computing the missing embeddings; wait for the `job`, which is None when none is missing."""
        path = f"/datasets/{segment(dataset)}/versions/{segment(version)}/embeddings"
        document: Embeddings = self._transport.post(path, {"model": model, "encoder": encoder}).json()
        return document

    def similar(
        self,
        dataset: str,
        to: str | Upload,
        version: int | str = "head",
        *,
        crop: tuple[int, int, int, int] | None = None,
        model: str | None = None,
        encoder: str | None = None,
        chosen: Filter | None = None,
        limit: int = 20,
        offset: int = 0,
    ) -> SimilarList:
        """Find the samples of a version most similar to one of them, given by key, or to an uploaded image; the nearest
        by the cosine of their embeddings first. `crop` (x, y, width, height in pixels) compares a part of it, `chosen`
        is a filter. Raises MotherlodeError (`embeddings_missing`) while none are computed: see `embed`."""
        path = f"/datasets/{segment(dataset)}/versions/{segment(version)}/similar"
        x, y, width, height = crop or (None, None, None, None)
        query: dict[str, object] = {"x": x, "y": y, "width": width, "height": height, "model": model}
        query |= {"encoder": encoder, "filter": as_parameter(chosen), "limit": limit, "offset": offset}
        if isinstance(to, str):
            document: SimilarList = self._transport.get(path, to=to, **query)
            return document
        told = {name: str(value) for name, value in query.items() if value is not None}
        answer = self._transport.post_form(f"{path}?{httpx.QueryParams(told)}", {}, {"file": to}, keyed=False)
        found: SimilarList = answer.json()
        return found

    def like_words(
        self,
        dataset: str,
        text: str,
        version: int | str = "head",
        *,
        encoder: str | None = None,
        chosen: Filter | None = None,
        limit: int = 20,
        offset: int = 0,
    ) -> SimilarList:
        """Find the samples of a version most similar to words, such as `a red car`, the nearest first, by an `encoder`
        of the project, else by the names of ImageNet's classes; `words` in the answer says what that can't find. Raises
        MotherlodeError as `similar`."""
        document: SimilarList = self._transport.get(
            f"/datasets/{segment(dataset)}/versions/{segment(version)}/similar",
            text=text,
            encoder=encoder,
            filter=as_parameter(chosen),
            limit=limit,
            offset=offset,
        )
        return document

    def download(self, export: Export) -> Iterator[bytes]:
        """Yield the bytes of an export's zip, piece by piece. Raises MotherlodeError if the zip no longer exists."""
        if export["url"] is None:
            detail = f"Export {export['id']} has no zip: write it anew."
            raise MotherlodeError(status=0, code="export_unwritten", detail=detail)
        return self._transport.stream(export["url"])

    def commit(
        self,
        dataset: str,
        *,
        samples: Sequence[Mapping[str, object]] = (),
        labels: Mapping[str, Mapping[str, object]] | None = None,
        remove: Sequence[str] = (),
        message: str = "",
        parent: int | None = None,
        replace_metadata: bool = False,
        convert: bool = False,
    ) -> Commit:
        """Commit samples `{key, url|data, split?, label?, meta?}`, labels by key, and keys to remove, as JSON. A `meta`
        merges into the sample's (a null removes a name), unless `replace_metadata` is set. `convert` is as in
        `push`."""
        changes = [{"key": key, "label": label} for key, label in (labels or {}).items()]
        body = {
            "samples": list(samples),
            "labels": changes,
            "remove": list(remove),
            "message": message,
            "parent": parent,
            "metadata": "replace" if replace_metadata else "merge",
            "convert": convert,
        }
        document: Commit = self._transport.post(f"/datasets/{segment(dataset)}", body).json()
        return document


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Split a stream into lines."""
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        yield from whole
    if rest:
        yield rest


def _near_duplicates(*, allowed: bool) -> str | None:
    return "allow" if allowed else None


def _metadata(*, replace: bool) -> str | None:
    return "replace" if replace else None


def _completeness(*, keep_partial: bool, strict: bool) -> dict[str, str]:
    """Form fields for an upload that can't be accepted whole; defaults are left out."""
    return ({"partial": "keep"} if keep_partial else {}) | ({"strict": "true"} if strict else {})


def _conversion(*, convert: bool) -> dict[str, str]:
    return {"convert": "true"} if convert else {}


def _flag(value: bool | None) -> str | None:
    return None if value is None else str(value).lower()


def _encoding(name: str | None) -> dict[str, str]:
    return {"names_encoding": name} if name else {}
