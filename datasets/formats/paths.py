"""Paths in archives that every system can unpack: relative, unique, not hidden, reserved or too long."""

import re
from pathlib import PurePosixPath

from formats.notes import Notes
from formats.samples import Item

SUFFIX_OF = {"image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp"}
IMAGE_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp"})
MAX_PART_BYTES = 200
RENAMED = "keys that are no safe file names; those images have new ones"
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_CLUTTER = re.compile(r"__MACOSX|\.DS_Store|\._.*|Thumbs\.db", re.IGNORECASE)
_FORBIDDEN = re.compile(r'[<>:"|?*\\]')


def safe_part(part: str) -> str:
    """Return the name of a folder or file as every system accepts it; unchanged if it is safe already."""
    safe = "".join(char if char.isprintable() else "_" for char in _FORBIDDEN.sub("_", part))
    if safe[-1:] in {".", " "}:
        safe = safe[:-1] + "_"
    if not safe or _RESERVED.fullmatch(safe) or _CLUTTER.fullmatch(safe):
        safe = f"_{safe}"
    return _shortened(safe)


def _shortened(part: str) -> str:
    if len(part.encode()) <= MAX_PART_BYTES:
        return part
    suffix = PurePosixPath(part).suffix[:10]
    head = part.removesuffix(suffix).encode()[: MAX_PART_BYTES - len(suffix.encode()) - 1]
    return head.decode(errors="ignore").rstrip(". ") + "_" + suffix


class Paths:
    """Assigns paths to the files of one archive. `reserved` are paths that only the writer itself uses."""

    def __init__(self, *reserved: str, by_stem: bool = False) -> None:
        self._by_stem = by_stem
        self._files = {self._mark(path) for path in reserved}
        self._folders: set[str] = set()
        self._taken: dict[str, int] = {}
        for path in reserved:
            self._folders.update(_parents(path))

    def give(self, path: str, *folders: str) -> str:
        """Return a safe, unused path, as close to `path` as possible, inside the caller's `folders`, which must be
        safe.

        With `by_stem` no two paths differ only in their suffix.
        """
        inner = "/".join(map(safe_part, path.split("/")))
        wanted = "/".join([*folders, inner])
        if any(parent in self._files for parent in _parents(wanted)):
            wanted = "/".join([*folders, inner.replace("/", "_")])
        free, number = PurePosixPath(wanted), self._taken.get(wanted, 1)
        while self._mark(str(free)) in self._files or str(free).casefold() in self._folders:
            number += 1
            free = PurePosixPath(wanted).with_stem(f"{PurePosixPath(wanted).stem}-{number}")
        self._taken[wanted] = number
        self._files.add(self._mark(str(free)))
        self._folders.update(_parents(str(free)))
        return str(free)

    def place(self, item: Item, *folders: str, losses: Notes | None = None, flat: bool = False) -> str:
        """Return the path of an image inside these folders, which its key may name already; `flat` puts it directly
        inside them. `losses` counts the images that get another name than that, for formats that don't hold the key.
        """
        named = tail(with_suffix(item), *folders)
        wanted = named.replace("/", "_") if flat else named
        path = self.give(wanted, *folders)
        if losses is not None and path != "/".join([*folders, wanted]):
            losses.add(RENAMED, item.key)
        return path

    def has_room(self, folder: str) -> bool:
        """Whether an empty folder can be made there: no file or folder has this path."""
        return self._mark(folder) not in self._files and folder.casefold() not in self._folders

    def _mark(self, path: str) -> str:
        return (str(PurePosixPath(path).with_suffix("")) if self._by_stem else path).casefold()


def _parents(path: str) -> list[str]:
    parts = path.casefold().split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def with_suffix(item: Item) -> str:
    """Return the key with an image suffix, which some formats need to find images."""
    has = PurePosixPath(item.key).suffix.lower() in IMAGE_SUFFIXES
    return item.key if has else item.key + SUFFIX_OF.get(item.media_type, ".png")


def tail(path: str, *folders: str) -> str:
    """Return the path without these leading folders, if it has them: exporting an import again keeps its names."""
    front = "/".join(folders) + "/"
    return path.removeprefix(front) if len(path) > len(front) else path
