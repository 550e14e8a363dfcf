"""A batch of images and annotations as formats see it, and what they read from it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any

from formats.documents import parse_json, parse_text, parse_xml, parse_yaml
from formats.errors import FormatError
from formats.matching import ImageIndex
from formats.notes import Notes
from formats.samples import ONE_CLASS, Annotated, Size
from formats.splits import ANNOTATIONS, FOLDER_NAME, POOL, NamedSplit, SplitNames, SplitSource
from worker_programs.filekinds import ANNOTATION_SUFFIXES
from worker_programs.wording import plural


@dataclass(eq=False)
class Batch:
    """Images by key with their size (None: not known), annotation files by path, and the dataset's classes and the form
    of its labels.

    `earlier` returns the images that were sent before; it is called only if the batch has annotations but no images.
    `keep_partial` keeps the remaining objects of an image when some can't be kept; otherwise the image stays
    unlabelled.
    """

    images: Mapping[str, Size | None]
    documents: Mapping[str, bytes] = field(default_factory=dict)
    classes: Sequence[str] = ()
    form: str = ONE_CLASS
    earlier: Callable[[], Mapping[str, Size | None]] | None = None
    keep_partial: bool = False
    _parsed: dict[str, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def known(self) -> Mapping[str, Size | None]:
        """The images that annotations may refer to."""
        return self.images if self.images or self.earlier is None else self.earlier()

    @cached_property
    def index(self) -> ImageIndex:
        """An index of the known images by the names that annotations use."""
        return ImageIndex(self.known, self.names)

    @cached_property
    def names(self) -> SplitNames:
        """The splits that the names of the known images and of the documents give."""
        return SplitNames(self.known, self.documents)

    def split_of(self, document: str) -> str | None:
        """Return the split that an annotation file is for, as its name or its folder gives it."""
        named = self.names.of_document(document)
        return named.split if named else None

    def paths(self, *suffixes: str, untyped: bool = False) -> Iterator[str]:
        """Yield the documents with one of the suffixes, in order; `untyped` adds those without a known annotation
        suffix."""
        for path in sorted(self.documents):
            suffix = PurePosixPath(path).suffix.lower()
            if suffix in suffixes or (untyped and suffix not in ANNOTATION_SUFFIXES):
                yield path

    def json(self, path: str) -> Any:
        """Return a document's JSON, parsed once. Raises FormatError."""
        if path not in self._parsed:
            self._parsed[path] = parse_json(path, self.documents[path])
        return self._parsed[path]

    def jsons(self) -> Iterator[tuple[str, Any]]:
        """Yield the documents that are JSON, with their values; leaves out those that can't be parsed."""
        for path in self.paths(".json", untyped=True):
            if self.documents[path].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in {b"{", b"["}:
                try:
                    yield path, self.json(path)
                except FormatError:
                    continue

    def text(self, path: str) -> str:
        """Return a document's text. Raises FormatError."""
        return parse_text(path, self.documents[path])


def fault_of(batch: Batch, path: str) -> str | None:
    """Return why a document is not what its suffix says, in words; None if it can be parsed."""
    suffix = PurePosixPath(path).suffix.lower()
    data = batch.documents[path]
    try:
        if suffix == ".json":
            batch.json(path)
        elif suffix == ".xml":
            parse_xml(path, data)
        elif suffix in {".yaml", ".yml"}:
            parse_yaml(path, data)
        else:
            batch.text(path)
    except FormatError as error:
        return str(error)
    return None


@dataclass(frozen=True, slots=True)
class Fault:
    """A document, or one entry of it, that could not be read."""

    path: str
    error: FormatError


@dataclass(slots=True)
class Reading:
    """The result of reading annotations: samples by image, the documents used, faults, and notes on what was not
    kept."""

    samples: dict[str, Annotated] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    notes: Notes = field(default_factory=Notes)
    faults: list[Fault] = field(default_factory=list)
    class_folders: dict[str, str] = field(default_factory=dict)
    """The folder, by image, that is the image's class."""
    places_earlier: bool = True
    """Whether the names of folders and files move samples that were sent before."""
    _document: str = ""
    _documents: dict[str, set[str]] = field(default_factory=dict)
    _missing: list[str] = field(default_factory=list)
    _disputed: set[str] = field(default_factory=set)

    @contextmanager
    def part(self, path: str) -> Iterator[None]:
        """Read a document, or one entry of it, as a whole or not at all: an error becomes a fault, and reading goes on
        with the others. Add its samples as the last step inside the block."""
        self.used.add(path)
        self._document, before = path, self._document
        try:
            yield
        except FormatError as error:
            self.faults.append(Fault(path, error))
        finally:
            self._document = before

    def add(self, key: str, annotated: Annotated, *, path: str) -> None:
        """Add the annotation of an image from the document `path`. Raises FormatError if another document annotated it
        differently: then neither annotation is kept."""
        self._documents.setdefault(key, set()).add(self._document)
        said = self.samples.setdefault(key, annotated)
        if said != annotated or key in self._disputed:
            self._disputed.add(key)
            self.samples[key] = Annotated(split=said.split)
            raise FormatError(
                f"{key!r} is annotated twice, each time differently; keep one", path=path, code="annotations_ambiguous"
            )

    def missing(self, name: str) -> None:
        """Record that annotations refer to an image that is not in the batch."""
        self._missing.append(name)
        self.notes.leave_out("image_missing", "annotated images that are not here were passed over", name)

    def list_splits(self, splits: Mapping[str, str], batch: Batch) -> None:
        """Put images without annotations into the split whose list names them."""
        for key, split in splits.items():
            if key in batch.images:
                self.samples.setdefault(key, Annotated(split=split))

    def put_in_splits(self, batch: Batch) -> None:
        """Give each image whose annotations name no split the one that its own folder names, else the one that the name
        of its annotation file gives."""
        for key in dict.fromkeys([*batch.images, *(self.samples if self.places_earlier else ())]):
            said = self.samples.get(key, Annotated())
            if said.split is not None:
                source = said.source or SplitSource(ANNOTATIONS)
                self.samples[key] = replace(said, source=source)
            elif (named := self._named(key, batch)) is not None:
                self.samples[key] = replace(said, split=named.split, source=named.source)
                if named.split == POOL and said.label is not None:
                    self.notes.add("labelled images stay in pool, where nothing is trained on them: "
                                   f"they are in a folder {named.source.name}", key)  # fmt: skip

    def _named(self, key: str, batch: Batch) -> NamedSplit | None:
        """Return what names the split of an image; notes where two names disagree."""
        in_folder = batch.names.of_image(key, labels=self.class_folders.get(key))
        # A file beside one image is called like it, which says nothing of a split.
        stem = PurePosixPath(key).stem
        files = [path for path in sorted(self._documents.get(key, ())) if PurePosixPath(path).stem != stem]
        of_files = {path: named for path in files if (named := batch.names.of_document(path)) is not None}
        of_file = next(iter(of_files.values()), None)
        if in_folder is None and len({named.split for named in of_files.values()}) > 1:
            self._in_two_splits(key, of_files)
            return None
        if in_folder is None or of_file is None:
            return in_folder or of_file
        if in_folder.split != of_file.split:
            ours, other = in_folder.source.name, of_file.source.name
            kind = "folder" if of_file.source.reason == FOLDER_NAME else "file"
            self.notes.add(f"the folder {ours} of images decided their split, not the {kind} {other}", key)
        elif batch.names.disagree(key):
            self.notes.add("folders in each other name different splits: the outer one was taken", key)
        return in_folder

    def _in_two_splits(self, key: str, of_files: Mapping[str, NamedSplit]) -> None:
        (one, first), (other, second) = next(
            ((one, first), (other, second)) for (one, first), (other, second) in pairwise(of_files.items())
            if first.split != second.split
        )  # fmt: skip
        words = f"{key!r} is in {first.split} by {one} and in {second.split} by {other}; keep one"
        self.faults.append(Fault(other, FormatError(words, path=other, code="annotations_ambiguous")))
        self.samples[key] = replace(self.samples[key], label=None)

    def leave_unlabelled(self, batch: Batch) -> int:
        """Remove the labels of images with objects that could not be kept; if the batch keeps partial labels, only
        where no object remains. Returns how many of these images are unlabelled."""
        count = 0
        for key in self.notes.incomplete.images & self.samples.keys():
            said = self.samples[key]
            if said.label is not None and not (batch.keep_partial and _names_objects(said.label)):
                self.samples[key] = replace(said, label=None)
            count += self.samples[key].label is None
        return count

    def check_found(self) -> None:
        """Raise FormatError if annotations refer to images and none of them is in the batch."""
        if self._missing and not self.samples and not self.faults:
            count, first = len(self._missing), self._missing[0]
            raise FormatError(
                f"the annotations name {plural(count, 'image')}, none of which is here, the first is {first!r}: "
                "names must end like those of the images"
            )


def _names_objects(label: Mapping[str, Any]) -> bool:
    return any(label.get(name) for name in ("boxes", "polygons", "class", "classes"))


def right_size(declared: Size | None, actual: Size | None, key: str, notes: Notes, *, objects: int = 0) -> bool:
    """Whether annotations made for an image of size `declared` fit the actual image; if not, its objects are recorded
    as lost."""
    if declared is None or actual is None or min(declared) <= 0 or declared == actual:
        return True
    notes.incomplete.add("size_differs", key, objects)
    return False
