"""What a version's row names: its listing, its documents, and the git objects of their texts. Written whole, or from
the version before and what changed."""

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from heapq import merge
from typing import Any, BinaryIO, cast

from dulwich.objects import Blob as GitBlob
from dulwich.objects import ShaFile

from blobs.models import Blob
from blobs.services import keep, keep_bytes, store
from publishing.documents import SPOOL_BYTES, content, keep_documents
from publishing.models import Document, Publication, Repository
from publishing.sources import Change, source
from publishing.texts import Text, listing_of
from versioning import (
    ENTRIES,
    LINES,
    EditedText,
    Entry,
    Form,
    LineFiles,
    Listing,
    PathClash,
    write_listing,
    write_pack,
    write_texts,
)
from versioning.history import FILE
from versioning.listing import entry_bytes
from versioning.texts import LINES as JSON_LINES

SMALL_BYTES = 1 << 16  # texts up to this length are always stored whole
PATCH_PART = 16  # a patch of more than this part of its text's length makes way for a whole one
MOST_BYTES = 256 << 20  # texts that are patched are in memory: those of three million samples
JSON, GIT_PACK, PATCH = "application/json", "application/x-git-packed-objects", "application/octet-stream"


@dataclass(slots=True)
class Written:
    """The texts of one version in the store, and the facts about its directory."""

    listing: Text
    size: int
    nfiles: int
    documents: dict[str, Text]
    texts: dict[str, list[int | str]]
    pack: Blob | None
    left_out: set[str] = field(default_factory=set)

    def put_into(self, row: Publication) -> None:
        """Set the fields of a row that name these texts."""
        row.listing, row.listing_patch = self.listing.base, self.listing.patch
        row.listing_md5, row.listing_length = self.listing.md5, self.listing.length
        row.size, row.nfiles, row.texts, row.pack = self.size, self.nfiles, self.texts, self.pack

    def rows(self, publication: Publication) -> list[Document]:
        """Return unsaved rows of the documents."""
        return [document_row(publication, path, text) for path, text in self.documents.items()]


def document_row(publication: Publication, path: str, text: Text) -> Document:
    """Return the unsaved row of a document."""
    facts: dict[str, Any] = {"blob": text.base, "patch": text.patch, "md5": text.md5, "length": text.length}
    return Document(publication=publication, path=path, **facts)


def write_whole(repository: Repository, number: int, *, before: Mapping[str, Text]) -> Written:
    """Write all texts of a version from all its samples; `before` are the documents of the version before."""
    documents = keep_documents(repository, number)
    with tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES) as spool:
        file = cast(BinaryIO, spool)
        listing, left_out = write_version(repository, number, documents, file)
        file.seek(0)
        text = Text.whole(keep(file, media_type=JSON), ENTRIES)
    texts, pack = git_texts(documents, before=before)
    return Written(text, listing.size, listing.nfiles, documents, texts, pack, left_out)


def write(
    repository: Repository,
    number: int,
    *,
    before: Publication | None,
    known: Mapping[str, Text],
    increments: "Increments",
) -> Written:
    """Write the texts of a version: from the version before, whose documents are `known`, and what changed; or whole,
    where there is none or it can't be done."""
    changes = source(repository.kind).changes(repository.name, number) if before is not None else None
    written = None
    if before is not None and changes is not None:
        written = increments.write(before, changes, known=known)
    return written or write_whole(repository, number, before=known)


def write_version(
    repository: Repository, number: int, documents: Mapping[str, Text], file: BinaryIO
) -> tuple[Listing, set[str]]:
    """Write the version's listing. Leaves out files that no disk can hold beside the others, because their path is also
    a folder or the name of a document; the commit lists them."""
    told = [Entry(path, text.md5, text.length) for path, text in documents.items()]
    left_out: set[str] = set()

    def entries() -> Iterator[Entry]:
        for entry in source(repository.kind).entries(repository.name, number):
            if entry.relpath.partition("/")[0] in documents:
                left_out.add(entry.relpath)
            elif entry.relpath not in left_out:
                yield entry

    while True:
        file.seek(0)
        file.truncate()
        try:
            return write_listing(merge(told, entries()), file), left_out
        except PathClash as clash:
            left_out.add(clash.file)


def git_texts(
    documents: Mapping[str, Text], *, before: Mapping[str, Text]
) -> tuple[dict[str, list[int | str]], Blob | None]:
    """Return the entries of documents in a commit's root, and the stored pack of the objects that the documents
    `before` have not (None if there are none)."""
    with ExitStack() as stack, tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES) as spool:
        file = cast(BinaryIO, spool)
        now, then = ({path: stack.enter_context(content(text)) for path, text in some.items()}
                     for some in (documents, before))  # fmt: skip
        entries = write_texts(now, then, file)
        texts: dict[str, list[int | str]] = {name: [entry.mode, entry.sha] for name, entry in entries.items()}
        empty = file.tell() == 0
        file.seek(0)
        return texts, None if empty else keep(file, media_type=GIT_PACK)


@dataclass(slots=True)
class _Edited:
    """A stored text, edited; `base` is the blob that its patch will name."""

    text: EditedText
    base: Blob

    @classmethod
    def of(cls, text: Text) -> "_Edited":
        patch = store().get(text.patch.ref) if text.patch is not None else None
        return cls(EditedText(text.form, store().get(text.base.ref), patch), text.base)

    def kept(self, form: Form) -> Text:
        """Store the text: as a patch, or whole if it is small or the patch has grown large."""
        digest = self.text.digest()
        if digest.md5 == self.base.md5:
            return Text.whole(self.base, form)
        patch = self.text.patch()
        if digest.length > SMALL_BYTES and PATCH_PART * len(patch) < digest.length:
            return Text(digest.md5, digest.length, self.base, keep_bytes(patch, media_type=PATCH), form)
        data = b"".join(self.text.pieces())
        self.base = keep_bytes(data, media_type=JSON)
        self.text = EditedText(form, data)
        return Text.whole(self.base, form)


class Increments:
    """Writes versions of one repository one after the other, each from the one before and what changed in it: what that
    takes does not depend on how many samples there are, except for reading the last version once."""

    def __init__(self) -> None:
        self._number = 0  # of the version whose texts these are; 0: none
        self._listing: _Edited
        self._lines: dict[str, _Edited] = {}
        self._files: dict[str, LineFiles] = {}

    def write(self, before: Publication, changes: Sequence[Change], *, known: Mapping[str, Text]) -> Written | None:
        """Write the version after `before`, whose documents are `known`. None if it must be written whole: something
        clashes, or is too large."""
        ready = self._number == before.number or self._load(before, known)
        self._number = 0  # unless it is done
        documents = source(before.repository.kind).documents(before.repository.name, before.number + 1)
        if not ready or documents.keys() != known.keys() or self._clash(changes, known):
            return None
        for one in changes:
            self._listing.text.put(one.key, _unit(one.key, one.md5) if one.md5 else None)
            for edited in self._lines.values():
                edited.text.put(one.key, one.line)
        texts = {path: self._kept(path, known, documents[path]) for path in documents}
        grown = sum(text.length - known[path].length for path, text in texts.items())
        for path, text in texts.items():
            self._listing.text.put(path, _unit(path, text.md5))
        entries, pack = self._git(texts, known, changes)
        made = Written(
            self._listing.kept(ENTRIES),
            before.size + grown + sum(one.size - (one.size_before or 0) for one in changes),
            before.nfiles + sum((one.md5 != "") - (one.size_before is not None) for one in changes),
            texts,
            entries,
            pack,
        )
        self._number = before.number + 1
        return made

    def _load(self, before: Publication, known: Mapping[str, Text]) -> bool:
        listing = listing_of(before)
        lines = {path: text for path, text in known.items() if path.endswith(JSON_LINES)}
        if (
            before.meta.get("left_out")
            or not lines
            or max(text.length for text in (listing, *lines.values())) > MOST_BYTES
        ):
            return False
        self._listing = _Edited.of(listing)
        self._lines = {path: _Edited.of(text) for path, text in lines.items()}
        self._files = {path: LineFiles(path, b"".join(one.text.pieces())) for path, one in self._lines.items()}
        return True

    def _clash(self, changes: Sequence[Change], documents: Mapping[str, Text]) -> bool:
        """Whether an added file is also a folder, or in a folder that is also a file."""
        listing = self._listing.text
        folders = listing.folders_put()
        added = {one.key for one in changes if one.md5 and one.size_before is None}
        for key in added:
            parts = key.split("/")
            above = ["/".join(parts[:count]) for count in range(1, len(parts))]
            if parts[0] in documents or key in folders or listing.keeps_below(f"{key}/"):
                return True
            if any(folder in added or listing.get(folder) is not None for folder in above):
                return True
        return False

    def _kept(self, path: str, known: Mapping[str, Text], chunks: Iterable[bytes]) -> Text:
        if path in self._lines:
            return self._lines[path].kept(LINES)
        data = b"".join(chunks)
        blob = keep_bytes(data, media_type=JSON)
        return known[path] if known[path].md5 == blob.md5 else Text.whole(blob)

    def _git(
        self, texts: Mapping[str, Text], known: Mapping[str, Text], changes: Sequence[Change]
    ) -> tuple[dict[str, list[int | str]], Blob | None]:
        """Return as `git_texts`."""
        entries: dict[str, list[int | str]] = {}
        objects: list[ShaFile] = []
        lines = {one.key: one.line for one in changes}
        for path, text in texts.items():
            if path not in self._lines:
                blob = GitBlob.from_string(text.read())
                entries[path] = [FILE, blob.id.decode()]
                objects += [blob] if text.md5 != known[path].md5 else []
                continue
            made = self._files[path].change(lines)
            if made is None:
                self._files[path] = LineFiles(path, b"".join(self._lines[path].text.pieces()))
                made = self._files[path].objects() if text.md5 != known[path].md5 else []
            objects += made
            entries |= {name: [entry.mode, entry.sha] for name, entry in self._files[path].entries.items()}
        if not objects:
            return entries, None
        with tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES) as spool:
            file = cast(BinaryIO, spool)
            write_pack(objects, file)
            file.seek(0)
            return entries, keep(file, media_type=GIT_PACK)


def _unit(path: str, md5: str) -> bytes:
    return b", " + entry_bytes(Entry(path, md5))
