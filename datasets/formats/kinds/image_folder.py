"""ImageFolder: `[split/]class/image.png`, the class is the folder's name. torchvision and Ultralytics train on it."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from formats.batch import Batch, Reading
from formats.errors import FormatError
from formats.notes import Notes
from formats.paths import RENAMED, Paths, safe_part, with_suffix
from formats.registry import register
from formats.samples import ONE_CLASS, Annotated, Entry, Item


@register("image_folder")
class ImageFolder:
    """A label per folder, a split per outer folder when it is named like one."""

    title = "Folders by split and class"
    forms = frozenset({ONE_CLASS})
    from_folders = True

    def recognise(self, batch: Batch) -> str | None:
        """Recognise folders by the names of the dataset's classes: other folders have no meaning."""
        folders = {PurePosixPath(name).parent.name for name in batch.images}
        if batch.form == ONE_CLASS and folders and "" not in folders and folders & set(batch.classes):
            return "every image lies in a folder, and folders are named like classes"
        return None

    def read(self, batch: Batch) -> Reading:
        """Read each image's class from its innermost folder; an image that is only in a split's folder has no label."""
        reading = Reading()
        for name in batch.images:
            folder = name.rpartition("/")[0]
            if not folder:
                raise FormatError(f"{name!r} lies in no folder: image_folder needs class/image")
            class_name = folder.rpartition("/")[2]
            if not _is_split(folder, class_name, batch):
                reading.samples[name] = Annotated(label={"class": class_name})
                reading.class_folders[name] = folder
        return reading

    def write(self, items: Iterable[Item], *, classes: Sequence[str], form: str, losses: Notes) -> Iterator[Entry]:
        """Write `split/class/name`, or `split/name` without a label; classes without images get an empty folder."""
        del form  # it holds just one form
        paths, splits = Paths(), set[str]()
        for one, other in _alike(classes):
            losses.add(f"the difference of {one!r} and {other!r}, where folders are told apart without their case")
        for item in items:
            if item.meta:
                losses.add("metadata", item.key)
            folders = _folders(item, classes, losses)
            parts = with_suffix(item).split("/")
            # Keys that were read from such folders go back into them.
            rest = parts[len(folders) :] if parts[: len(folders)] == folders and len(parts) > len(folders) else parts
            splits |= {item.split} if item.label else set()
            wanted = "_".join(rest)
            path = paths.give(wanted, *folders)
            if path != "/".join([*folders, wanted]):
                losses.add(RENAMED, item.key)
            yield Entry(path, image=item)
        # Readers number the classes by the folders they find: without an empty one, those after it would shift.
        for split in sorted(splits):
            for name in classes:
                if is_folder(name) and paths.has_room(f"{split}/{name}"):
                    yield Entry(f"{split}/{name}/")


def is_folder(name: str) -> bool:
    """Whether the images of a class come back from a folder of its name: hidden folders are passed over, and names are
    read in Unicode's composed form."""
    composed = unicodedata.normalize("NFC", name) == name
    return "/" not in name and not name.startswith(".") and composed and safe_part(name) == name


def _is_split(folder: str, name: str, batch: Batch) -> bool:
    """Whether a folder of images is that of a split: it is named like one, and no class is, or has folders of classes
    in it."""
    if batch.names.folder(folder) is None:
        return False
    return name not in batch.classes or batch.names.has_folders(folder, batch.classes)


def _alike(classes: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of classes whose folders are one on systems that don't tell case."""
    firsts: dict[str, str] = {}
    for name in filter(is_folder, classes):
        if (first := firsts.setdefault(name.casefold(), name)) != name:
            yield first, name


def _folders(item: Item, classes: Sequence[str], losses: Notes) -> list[str]:
    name = item.label["class"] if item.label else None
    if name is not None and not is_folder(name):
        losses.add(f"the class {name!r}, which is no name of a folder: its images are written without it", item.key)
        name = None
    if name is None and item.split in classes:
        losses.add(f"images without a class in {item.split}, since a class has that name too", item.key)
        return [item.split, "unlabelled"]
    return [item.split] if name is None else [item.split, name]
