"""Random datasets in memory: written as an archive, read back as a batch."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

import formats
from formats import MANY_CLASSES, OBJECTS, ONE_CLASS, Batch, FormatError, Item, Notes, Reading
from formats.polygons import is_flat, opened

SPLITS = ("pool", "train", "val", "test")
TOLERANCE = 1e-6  # pixels

VISIBLE = st.characters(codec="utf-8", exclude_categories=["C", "Z"], exclude_characters="/\\")
CLASS_NAMES = st.one_of(
    st.sampled_from(
        ["cat", "traffic light", "train", "Ampel", "猫", "a/b", "..", "con", "yes", "1", "DontCare2", "né"]
    ),
    st.text(VISIBLE, min_size=1, max_size=12),
)
PARTS = st.one_of(
    st.sampled_from(["images", "train", "000001", "labels", "x y", "Ünï", "a.b", "CON", "tasks.json", "A", "a"]),
    st.text(VISIBLE, min_size=1, max_size=8).filter(lambda part: part not in {".", ".."}),
)
KEYS = st.builds(
    lambda folders, name, suffix: "/".join([*folders, name + suffix]),
    st.lists(PARTS, max_size=3),
    PARTS,
    st.sampled_from([".png", ".jpg", ".JPG", ".webp", ""]),
)
SIZES = st.tuples(st.integers(1, 9000), st.integers(1, 9000))
PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5),
)
META = st.dictionaries(st.sampled_from(["night", "camera", "ground"]), PLAIN, max_size=2)
NUMBERS = st.floats(0, 100, allow_nan=False)
ATTRIBUTES = st.fixed_dictionaries(
    {},
    optional={
        "truncated": NUMBERS, "occluded": st.integers(0, 3), "alpha": NUMBERS, "difficult": st.just(1),
        "dimensions": st.lists(NUMBERS, min_size=3, max_size=3), "location": st.lists(NUMBERS, min_size=3, max_size=3),
        "rotation_y": NUMBERS, "pose": st.sampled_from(["Left", "Rear <x> & y"]), "colour": st.just("red"),
        "score": NUMBERS, "parked": st.booleans(), "text": st.text(VISIBLE, max_size=4),
    },
).filter(bool)  # fmt: skip
IDS = st.one_of(st.integers(0, 12).map(str), st.sampled_from(["7a", "007", "x y", "none", "Dx_aB91ISN"]))


CARRIED: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {}, optional={"attributes": ATTRIBUTES, "id": IDS, "track": IDS}
)
"""What an object may carry, anything of it or nothing."""
SHARES = st.floats(0, 1)
SPANS = st.tuples(SHARES, st.one_of(st.none(), SHARES))
POINTS = st.lists(st.tuples(SHARES, SHARES), max_size=4)
FEW, PAIR, FIFTH = st.integers(0, 3), st.integers(0, 2), st.integers(0, 4)


@st.composite
def boxes(draw: st.DrawFn, size: tuple[int, int]) -> list[float]:
    """Corners of a box with an area, anywhere in the image, edges included."""
    corners = []
    for side in size:
        start, length = draw(SPANS)
        low = start * side * 0.9
        # Within the first pixel of an image that is larger, a box would be one in shares of the image.
        least = low + (side * 0.01 if side < 8 else max(side * 0.01, 1.01))
        corners.append((low, float(side) if length is None else min(least + length * (side - least), float(side))))
    (x1, x2), (y1, y2) = corners
    return [x1, y1, x2, y2]


@st.composite
def polygons(draw: st.DrawFn, size: tuple[int, int]) -> list[list[float]]:
    """Points of a polygon with an area, anywhere in the image, rectangles among them."""
    x1, y1, x2, y2 = draw(boxes(size))
    if draw(FIFTH) == 0:
        return [[x1, y1], [x2, y1], [x2, y2], [x1, y2]]
    # With half of a box among them, they enclose something.
    more = [[across * size[0], down * size[1]] for across, down in draw(POINTS)]
    ring = opened([[x1, y1], [x2, y1], [x2, y2], *more])
    return ring if not is_flat(ring) else [[x1, y1], [x2, y1], [x2, y2]]


@st.composite
def outlines(draw: st.DrawFn, size: tuple[int, int]) -> dict[str, Any]:
    """The outline of an object, of one part or of up to three."""
    rings = [draw(polygons(size)) for _ in range(1 + draw(PAIR))]
    return {"points": rings[0]} if len(rings) == 1 else {"parts": rings}


@st.composite
def detections(draw: st.DrawFn, classes: Sequence[str], size: tuple[int, int]) -> dict[str, Any]:
    """A detection label, regions to ignore included."""
    named = st.sampled_from(classes)
    box, outline = boxes(size), outlines(size)
    drawn = [{"class": draw(named), "box": draw(box)} | draw(CARRIED) for _ in range(draw(FEW))]
    polygonal = [{"class": draw(named)} | draw(outline) | draw(CARRIED) for _ in range(draw(PAIR))]
    ids = set[str]()
    for one in (*drawn, *polygonal):
        if one.get("id") in ids:
            del one["id"]
        ids |= {one["id"]} if "id" in one else set()
    more = st.fixed_dictionaries(
        {}, optional={"class": st.sampled_from([*classes, "DontCare"]), "attributes": ATTRIBUTES}
    )
    regions = [{"box": draw(box)} | draw(more) for _ in range(draw(PAIR))]
    label: dict[str, Any] = {"boxes": drawn}
    return label | ({"polygons": polygonal} if polygonal else {}) | ({"ignore": regions} if regions else {})


@st.composite
def labels(draw: st.DrawFn, form: str, classes: Sequence[str], size: tuple[int, int]) -> dict[str, Any]:
    """A label of the form, as it is kept."""
    if form == ONE_CLASS:
        return {"class": draw(st.sampled_from(classes))}
    if form == MANY_CLASSES:
        chosen = draw(st.sets(st.sampled_from(classes)))
        return {"classes": [name for name in classes if name in chosen]}
    assert form == OBJECTS
    return draw(detections(classes, size))


@st.composite
def items(draw: st.DrawFn, form: str, classes: Sequence[str]) -> Item:
    """One sample of the form."""
    size = draw(SIZES)
    meta = dict(draw(META))
    label = draw(labels(form, classes, size)) if draw(st.booleans()) else None
    return Item(draw(KEYS), size, draw(st.sampled_from(SPLITS)), label, meta, "image/png")


@st.composite
def datasets(draw: st.DrawFn, form: str) -> tuple[list[str], list[Item]]:
    """(classes, samples with different keys)."""
    classes = draw(st.lists(CLASS_NAMES, min_size=1, max_size=4, unique=True))
    return classes, draw(st.lists(items(form, classes), min_size=1, max_size=6, unique_by=lambda item: item.key))


@dataclass
class Archive:
    """What was written: the images' paths by key, the other files, what was said to be lost, empty folders."""

    paths: dict[str, str]
    documents: dict[str, bytes]
    losses: list[str]
    folders: list[str]


def write(name: str, samples: Iterable[Item], *, classes: Sequence[str], form: str) -> Archive:
    losses = Notes()
    paths, documents, folders = {}, {}, list[str]()
    for entry in formats.write(name, samples, classes=classes, form=form, losses=losses):
        assert entry.path not in documents
        if entry.path.endswith("/"):
            folders.append(entry.path)
        elif entry.image is None:
            documents[entry.path] = b"".join(entry.chunks)
        else:
            paths[entry.image.key] = entry.path
    return Archive(paths, documents, losses.lines(), folders)


def batch_of(archive: Archive, samples: Iterable[Item], *, classes: Sequence[str], form: str) -> Batch:
    """The archive as it is sent back."""
    sizes = {archive.paths[item.key]: item.size for item in samples}
    return Batch(sizes, archive.documents, classes, form)


def read_back(name: str, archive: Archive, samples: Iterable[Item], *, classes: Sequence[str], form: str) -> Reading:
    return formats.read(name, batch_of(archive, samples, classes=classes, form=form))


def fault_in(name: str, batch: Batch) -> FormatError:
    """What is wrong with the batch: with all of it, or the first of its documents that can't be read."""
    try:
        reading = formats.read(name, batch)
    except FormatError as error:
        return error
    assert reading.faults, reading.samples
    return reading.faults[0].error


def same(one: object, other: object) -> bool:
    """Equal, and numbers to a millionth of a pixel."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, abs_tol=TOLERANCE, rel_tol=1e-12)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other
