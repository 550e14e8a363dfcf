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
            reading.notes.add("lists of images that are no split were passed over", path)
            continue
        with reading.part(path):
            listed = (line.strip() for line in batch.text(path).splitlines() if line.strip())
            found = [batch.index.of_label_file(f"{name}.txt", split=split) for name in listed]
            splits |= {key: split for key in found if key is not None}
    return splits
