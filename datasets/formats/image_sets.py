"""`ImageSets/`: lists of image names, one file for each split, as the tools of Pascal VOC and KITTI use them."""

from pathlib import PurePosixPath

from formats.batch import Batch, Reading
from formats.splits import split_named

FOLDER = "imagesets"


def read_image_sets(batch: Batch, reading: Reading) -> dict[str, str]:
    """Return the split of each image that a list names, by key. Lists of one class (`cat_train.txt`) are skipped."""
    splits: dict[str, str] = {}
    for path in batch.paths(".txt"):
        file = PurePosixPath(path)
        if FOLDER not in (part.lower() for part in file.parts[:-1]):
            continue
        reading.used.add(path)
        if (split := split_named(file.stem)) is None:
            reading.notes.leave_out("file_left_out", "lists of images that are no split were passed over", path)
            continue
        with reading.part(path):
            for line in filter(str.strip, batch.text(path).splitlines()):
                names = dict.fromkeys((line, line.strip()))  # a name may begin or end with a space
                found = (batch.index.of_label_file(f"{name}.txt", split=split) for name in names)
                if (key := next(filter(None, found), None)) is not None:
                    splits[key] = split
    return splits
