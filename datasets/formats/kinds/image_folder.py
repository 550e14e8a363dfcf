"""ImageFolder: `[split/]class/image.png`, the class is the folder's name."""

from collections.abc import Sequence
from pathlib import PurePosixPath

from formats.registry import Annotated, FormatError, register

SPLITS = {"train": "train", "training": "train", "val": "val", "valid": "val", "validation": "val", "test": "test",
          "testing": "test"}  # fmt: skip


@register("image_folder")
class ImageFolder:
    """A label per folder, a split per outer folder when it is named like one."""

    def recognises(self, names: Sequence[str], document: bytes | None, *, classes: Sequence[str]) -> str | None:
        folders = {PurePosixPath(name).parent.name for name in names}
        if document is None and folders and "" not in folders and folders & set(classes):
            return "every image lies in a folder, and folders are named like classes"
        return None

    def read(self, names: Sequence[str], document: bytes | None) -> dict[str, Annotated]:
        if document is not None:
            raise FormatError("annotations: image_folder takes none, the folders are the annotations")
        return {name: self._annotated(name) for name in names}

    @staticmethod
    def _annotated(name: str) -> Annotated:
        *folders, _ = PurePosixPath(name).parts
        if not folders:
            raise FormatError(f"{name!r} lies in no folder: image_folder needs class/image")
        return Annotated(label={"class": folders[-1]}, split=SPLITS.get(folders[0].lower()) if folders[1:] else None)
