"""Splits as the names of folders and files give them: conventions for whole names, never a word inside a name.

A name is a split's word (`train`, `validation`, `test`), alone or with a year (`val2017`) and with nouns that only say
what is in it (`test_set`, `train_images`, `instances_val2017.json`). Two names beside each other that differ in the
word alone, one of them for training, are a convention of their own: `signs_train.json` and `signs_val.json`,
`seg_train/` and `seg_test/`. The pool is the whole name of a folder (`pool`, `unlabeled`) and no word of a file.

(`split-names.ts` is the same rule for browsers; `split-names.json` holds names that the tests of both read.)
"""

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

TRAIN, POOL = "train", "pool"
WORDS = {
    "train": TRAIN, "training": TRAIN,
    "val": "val", "valid": "val", "validation": "val", "dev": "val",
    "test": "test", "testing": "test",
}  # fmt: skip
POOLS = frozenset({"pool", "unlabeled", "unlabelled"})
SPELLED = {
    "imagestr": TRAIN, "imagests": "test", "labelstr": TRAIN, "labelsts": "test",  # nnU-Net
    "obj_train_data": TRAIN, "obj_valid_data": "val", "obj_validation_data": "val", "obj_test_data": "test",  # darknet
}  # fmt: skip
"""Folders that tools spell in their own way."""
_WORD = "|".join(sorted(WORDS, key=len, reverse=True))
_YEAR = r"(?:[-_ ]?(?:19|20)\d\d)?"
_HELD = "set|images?|imgs?|data|dataset|samples?|split|photos?|pictures?|pics|frames?|jpe?g|png"
FOLDER = re.compile(rf"(?:(?:{_HELD})[-_ ]?)?({_WORD}){_YEAR}(?:[-_ ]?(?:{_HELD}))*")
NOUNS = frozenset(
    word
    for words in (
        "instances instance person keypoints captions panoptic stuff info boxable labels label annotations",
        "annotation annots annot anns ann anno annos classes class boxes box bbox bboxes bounding detection",
        "detections gt ground truth segmentation coco lvis voc yolo cvat via openimages oidv4 oidv6 oidv7 files",
        "file list lists df final full all v1 v2 v3 human machine imagelabels rotation with ids set image images",
        "img imgs data dataset sample samples split",
    )
    for word in words.split()
)
"""What names of annotation files say beside the split."""
_PARTS = re.compile(r"[^A-Za-z0-9]+")
_DATED = re.compile(rf"({_WORD})(?:(?:19|20)\d\d)?")
LAYOUT = re.compile(r"images?|imgs?|jpegimages|image_[0-3]|obj_(train|valid|test)_data", re.IGNORECASE)
"""Folders that formats keep their images in: COCO's, YOLO's, VOC's, KITTI's and darknet's."""

FOLDER_NAME, FILE_NAME, ANNOTATIONS = "folder", "file", "annotations"
"""What names a split: a folder of the image, the annotation file's name, or the annotations themselves."""


@dataclass(frozen=True, slots=True)
class SplitSource:
    """What named the split of an image: `reason` is FOLDER_NAME, FILE_NAME or ANNOTATIONS (a caller may have reasons of
    its own), `name` the folder or file."""

    reason: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class NamedSplit:
    """A split and what named it."""

    split: str
    source: SplitSource


def split_named(name: str) -> str | None:
    """Return the split that a folder's whole name, or a word that stands for a split, names: `train`, `Test_Set`."""
    name = name.lower()
    if name in POOLS:
        return POOL
    if name in SPELLED:
        return SPELLED[name]
    found = FOLDER.fullmatch(name)
    return WORDS[found[1]] if found else None


def split_of_file_name(name: str) -> str | None:
    """Return the split that an annotation file's name gives by itself: one word for a split, the rest NOUNS."""
    words = [word for word in _PARTS.split(_stem(name).lower()) if word]
    splits = [found[1] for word in words if (found := _DATED.fullmatch(word))]
    others = [word for word in words if not _DATED.fullmatch(word)]
    if len(splits) != 1 or not all(word in NOUNS or re.fullmatch(r"(?:19|20)\d\d|\d", word) for word in others):
        return None
    return WORDS[splits[0]]


class SplitNames:
    """The splits that the names of a batch give: of its images and of its annotation files."""

    def __init__(self, images: Iterable[str] = (), documents: Iterable[str] = ()) -> None:
        documents = list(documents)
        self._splits: dict[str, str | None] = {}
        self._holding = {_parent(path) for path in images}
        self._children: defaultdict[str, set[str]] = defaultdict(set)
        for folder in self._holding | {_parent(path) for path in documents}:
            while folder:
                above = _parent(folder)
                if folder in self._children[above]:
                    break
                self._children[above].add(folder)
                folder = above
        self._alike = _alike(folder for folders in self._children.values() for folder in folders)
        self._alike |= _alike(documents)

    def folder(self, path: str) -> str | None:
        """Return the split that a folder, given by its whole path, names; None for one that is a class."""
        if path not in self._splits:
            split = self._word(path)
            self._splits[path] = None if split is not None and self.is_class(path) else split
        return self._splits[path]

    def has_folders(self, path: str, names: Container[str]) -> bool:
        """Whether there are folders with one of these names in a folder."""
        return any(_name(one) in names for one in self._children.get(path, ()))

    def is_class(self, path: str) -> bool:
        """Whether a folder with the name of a split is a class, a train beside cars: it is in the folder of a split,
        beside other folders of images, and is the only one there that is named like a split."""
        inside = any(self._word(folder) for folder in _with_parents(_parent(path)))
        return inside and self.beside_others(path) and all(self._word(one) is None for one in self._beside(path))

    def may_be_class(self, path: str) -> bool:
        """Whether a folder called train is a class where nothing else is named like a split: beside folders of images
        there, there is no reason to put some images into train."""
        beside = self._beside(path)
        alone = self.beside_others(path) and all(self._word(one) is None for one in beside)
        return alone and _name(path).lower() == TRAIN

    def beside_others(self, path: str) -> bool:
        """Whether a folder of images is beside folders of images that are named neither like splits nor like what
        formats keep images in."""
        beside = self._beside(path)
        return any(self._word(one) is None and not LAYOUT.fullmatch(_name(one)) for one in beside)

    def _beside(self, path: str) -> list[str]:
        if path not in self._holding:
            return []
        return [one for one in self._children[_parent(path)] if one != path and one in self._holding]

    def of_image(self, key: str, *, labels: str | None = None) -> NamedSplit | None:
        """Return the split that the outermost such folder of an image names. `labels` is a folder (its path) that is
        the image's class, and so names no split."""
        return next(self._folders(key, labels), None)

    def disagree(self, key: str) -> bool:
        """Whether folders of an image name different splits."""
        return len({named.split for named in self._folders(key, None)}) > 1

    def of_document(self, path: str) -> NamedSplit | None:
        """Return the split that an annotation file is for: by its name, else by its outermost such folder."""
        split = split_of_file_name(_name(path)) or self._alike.get(path)
        if split is not None:
            return NamedSplit(split, SplitSource(FILE_NAME, _name(path)))
        return next(self._folders(path, None), None)

    def _folders(self, path: str, labels: str | None) -> Iterator[NamedSplit]:
        for folder in reversed([*_with_parents(_parent(path))]):
            if folder != labels and (split := self.folder(folder)) is not None:
                yield NamedSplit(split, SplitSource(FOLDER_NAME, _name(folder)))

    def _word(self, path: str) -> str | None:
        return split_named(_name(path)) or self._alike.get(path)


def _alike(paths: Iterable[str]) -> dict[str, str]:
    """Return the splits of paths that differ in a split's word alone, at the start or the end of their names, from
    others in the same folder; one of them is for training."""
    frames: defaultdict[tuple[str, ...], dict[str, str]] = defaultdict(dict)
    for path in paths:
        name, above = _name(path).lower(), _parent(path)
        for first, found in enumerate((_LAST.fullmatch(name), _FIRST.fullmatch(name))):
            if found:
                frames[above, str(first), *found.group("rest", "suffix")][path] = WORDS[found["word"]]
    named: dict[str, str] = {}
    for splits in frames.values():
        if TRAIN in splits.values() and len(set(splits.values())) > 1:
            named |= splits
    return named


_LAST = re.compile(rf"(?P<rest>.+[-_ .])(?P<word>{_WORD})(?P<suffix>(?:\.[a-z]+)?)")
_FIRST = re.compile(rf"(?P<word>{_WORD})(?P<rest>[-_ ].+?)(?P<suffix>(?:\.[a-z]+)?)")


def _with_parents(path: str) -> Iterator[str]:
    while path:
        yield path
        path = _parent(path)


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _stem(name: str) -> str:
    return PurePosixPath(name).stem
