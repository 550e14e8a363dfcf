"""What `iscrowd` means in a COCO file.

COCO marks a region of many objects by it, to be ignored. CVAT, and what it exports by, mark every mask by it: there, it
says how the shape is written.
"""

from collections.abc import Mapping
from typing import Any

CVAT = "their file is as CVAT writes it"
EVERY = "every annotation of their file is marked so. List the boxes of true crowds in `ignore` of their image"


def is_of_cvat(value: Mapping[str, Any]) -> bool:
    """Whether CVAT wrote the file: its only licence has no name, and every annotation says whether it is occluded."""
    licences, rows = value.get("licenses"), value.get("annotations")
    if not (isinstance(licences, list) and len(licences) == 1 and isinstance(rows, list)):
        return False
    blank = isinstance(licences[0], Mapping) and not any(licences[0].get(name) for name in ("id", "name", "url"))
    return blank and all(isinstance(row, Mapping) and "occluded" in _attributes(row) for row in rows)


def why_objects(value: Mapping[str, Any]) -> str | None:
    """Return why the masks of the file that are marked as crowds are objects; None if they are regions to ignore."""
    if is_of_cvat(value):
        return CVAT
    rows = value.get("annotations")
    every = isinstance(rows, list) and all(isinstance(row, Mapping) and row.get("iscrowd") == 1 for row in rows)
    return EVERY if every else None


def _attributes(row: Mapping[str, Any]) -> Mapping[str, Any]:
    found = row.get("attributes")
    return found if isinstance(found, Mapping) else {}
