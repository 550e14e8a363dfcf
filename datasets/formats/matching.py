"""Finding the image that an annotation names: files name images by a part of their path. If two fit, it is an error."""

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePosixPath

from formats.errors import FormatError
from formats.splits import SplitNames

# Folders that only separate images from labels: they are not part of the image's name.
ROLES = frozenset({"images", "image", "labels", "label", "image_2", "label_2", "image_02", "label_02", "jpegimages",
                   "annotations", "img", "imgs"})  # fmt: skip


class ImageIndex:
    """The images of a batch, indexed by the names that annotations use."""

    def __init__(self, keys: Iterable[str], names: SplitNames) -> None:
        self._split_names = names
        self._keys: dict[str, str] = {}
        self._names: dict[str, list[str]] = defaultdict(list)
        self._stems: dict[str, list[str]] = defaultdict(list)
        self._written: dict[Callable[[str], str], dict[str, set[str]]] = {}
        for key in keys:
            name = _normal(key)
            self._keys[name] = key
            file = PurePosixPath(name)
            self._names[file.name].append(name)
            self._stems[file.stem].append(name)

    def named(self, name: str, *, near: str = "", split: str | None = None) -> str | None:
        """Return the key of the image that a file calls `name`, or None if there is none.

        It is the exact key, or one beside the file (in folder `near`), or a key that ends with `name` or that `name`
        ends with; `split` decides between several. Raises FormatError if two fit equally.
        """
        if not name or not name.isprintable():
            raise FormatError(f"{name!r} is not a name of an image: it is empty or holds control characters")
        wanted = _normal(name)
        for exact in (wanted, f"{_normal(near)}/{wanted}" if near else wanted):
            if exact in self._keys:
                return self._keys[exact]
        return self._closest(self._names.get(PurePosixPath(wanted).name, ()), wanted, said=name, split=split)

    def written_as(self, name: str, rule: Callable[[str], str], *, said: str) -> str | None:
        """Return the key of the image whose file name a tool's `rule` makes the same as `name`, or None. Raises
        FormatError if two fit: the rule leaves out what tells them apart."""
        if rule not in self._written:
            self._written[rule] = defaultdict(set)
            for file, names in self._names.items():
                # macOS may have sent a name with its accents as characters of their own.
                for form in ("NFC", "NFD"):
                    self._written[rule][_normal(rule(unicodedata.normalize(form, file)))].update(names)
        fitting = sorted(self._written[rule].get(_normal(rule(name)), ()))
        if len(fitting) > 1:
            raise FormatError(
                f"{said!r} fits {fitting[0]!r} and {fitting[1]!r}, whose names are written alike there: name images by "
                "more of their path",
                code="annotations_ambiguous",
            )
        return self._keys[fitting[0]] if fitting else None

    def at(self, path: str) -> str | None:
        """Return the key of the image with exactly this path, or None."""
        return self._keys.get(_normal(path))

    def of_label_file(self, path: str, *, split: str | None = None) -> str | None:
        """Return the key of the image that a label file with the same stem belongs to, or None. Raises FormatError if
        two fit."""
        wanted = _normal(path)
        return self._closest(self._stems.get(PurePosixPath(wanted).stem, ()), wanted, said=path, split=split)

    def has_label_file(self, path: str) -> bool:
        """Whether at least one image fits a label file."""
        try:
            return self.of_label_file(path) is not None
        except FormatError:
            return True

    def _closest(self, names: Sequence[str], wanted: str, *, said: str, split: str | None) -> str | None:
        scored = [(score, name) for name in names if (score := _alike(wanted, name)) is not None]
        if not scored:
            return None
        best = max(score for score, _ in scored)
        found = [name for score, name in scored if score == best]
        if len(found) > 1 and split is not None:
            # A list for `val` names images in `training/`: only `testing/` has its own names.
            folders_of = {name: self._split_of(name) for name in found}
            same = [name for name in found if folders_of[name] == split]
            found = same or [name for name in found if folders_of[name] != "test"] or found
        if len(found) > 1:
            raise FormatError(
                f"{said!r} fits {found[0]!r} and {found[1]!r}: name images by more of their path",
                code="annotations_ambiguous",
            )
        return self._keys[found[0]]

    def _split_of(self, name: str) -> str | None:
        named = self._split_names.of_image(self._keys[name])
        return named.split if named else None


def _alike(one: str, other: str) -> tuple[int, bool, int] | None:
    """Score how well the folders of two paths fit; None unless one path ends with the other. Ranks by the length of the
    common end, then by equality, then by how many folders are equal, counting ROLES."""
    mine, theirs = _folders(one), _folders(other)
    common = min(len(mine), len(theirs))
    if common and mine[-common:] != theirs[-common:]:
        return None
    whole, others = PurePosixPath(one).parts[:-1], PurePosixPath(other).parts[:-1]
    aligned = sum(map(str.__eq__, whole, others)) + 1 if len(whole) == len(others) else 0
    return common, mine == theirs, aligned


def _folders(path: str) -> tuple[str, ...]:
    return tuple(part for part in PurePosixPath(path).parts[:-1] if part.lower() not in ROLES)


def _normal(path: str) -> str:
    """Normalise a path: NFC, forward slashes, without `.` and `..`, which only depend on the location of the file that
    names it."""
    parts = unicodedata.normalize("NFC", path).replace("\\", "/").split("/")
    return "/".join(part for part in parts if part not in {"", ".", ".."})
