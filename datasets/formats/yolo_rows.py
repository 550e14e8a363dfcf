"""What the values of a row of YOLO's texts are: `class x y w h`, a polygon, keypoints after the box, and after each of
them, as predictions and trackers write, a score and a track's id.

Only pose sets say it (`kpt_shape` of `data.yaml`). Else it follows from the values: a score and coordinates are from 0
to 1, an id is whole. A row that fits two forms is read as the one that other rows of the set can only be; where none
decides, it is refused with both.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from formats.errors import FormatError

BOX, POLYGON, POSE = SHAPES = ("box", "polygon", "pose")
SCORE, TRACK = "conf", "id"
TAILS = ((), (SCORE,), (TRACK,), (SCORE, TRACK))
TASKS = {"detect": {BOX}, "segment": {POLYGON}, "obb": {POLYGON}, "pose": {POSE}}
CENTRED = 4  # x, y, width, height
LEAST_POLYGON = 6
RANGE = (-0.5, 1.5)  # of relative coordinates; beyond the image they are cut, far beyond they are something else
MARGIN = 0.1  # by which a box may be beyond its image
REACH = 0.6  # of a box's width or height: how far from its centre its keypoints are
LEAST_SPREAD = 0.25  # of keypoints along a side of their box; the corners of a small polygon are closer together
MOST_OUTSIDE = 0.2  # share of a row's keypoints that may be outside
LEAST_FITTING = 0.9  # share of the rows that have to look like keypoints
VISIBILITIES = {0.0, 1.0, 2.0}
_SEPARATORS = re.compile(r"[\s,]+")


@dataclass(frozen=True, slots=True)
class RowForm:
    """One form of a row: its shape, then `conf` or `id` or both."""

    shape: str
    tail: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join([self.shape, *self.tail])


@dataclass(slots=True)
class Described:
    """What `data.yaml` says of the rows: the task, the keypoints' number and values each, the form itself."""

    shapes: set[str] = field(default_factory=lambda: set(SHAPES))
    keypoints: tuple[int, int] | None = None
    form: RowForm | None = None

    def read(self, value: Mapping[str, Any], path: str) -> None:
        """Take over `task`, `kpt_shape` and `rows`. Raises FormatError."""
        if (task := value.get("task")) is not None:
            if task not in TASKS:
                raise FormatError(f"`task` must be one of {', '.join(TASKS)}", path=path)
            self.shapes = TASKS[task]
        if (shape := value.get("kpt_shape")) is not None:
            if not (
                isinstance(shape, list) and len(shape) == 2 and all(map(_is_count, shape)) and int(shape[1]) in {2, 3}
            ):
                raise FormatError("`kpt_shape` must be like [17, 3]: how many keypoints, 2 or 3 values each", path=path)
            self.keypoints = int(shape[0]), int(shape[1])
            self.shapes = TASKS["pose"] if task is None else self.shapes
        if (rows := value.get("rows")) is not None:
            words = rows if isinstance(rows, list) else _SEPARATORS.split(str(rows).strip())
            self.form = RowForm(str(words[0]), tuple(words[1:])) if words else None
            if self.form is None or self.form.shape not in SHAPES or self.form.tail not in TAILS:
                raise FormatError(
                    "`rows` must be box, polygon or pose, then conf or id or both: box conf id", path=path
                )


def _is_count(text: Any) -> bool:
    return isinstance(text, str) and text.isascii() and text.isdigit() and int(text[:5]) > 0


class RowForms:
    """The forms that rows of one set have. Rows are given by their values after the class."""

    def __init__(self, described: Described, rows: Iterable[Sequence[float]]) -> None:
        self._described = described
        some = [values for values in rows if len(values) > CENTRED]
        self._keypoints = _keypoints([row for row in some if len(row) >= LEAST_POLYGON], described)
        possible = (list(self._possible(values)) for values in some)
        self._certain = Counter(forms[0] for forms in possible if len(forms) == 1)

    def form_of(self, values: Sequence[float], *, path: str, line: int) -> RowForm:
        """Return the form of a row. Raises FormatError for a row without one, or with several
        (`annotations_ambiguous`)."""
        forms = list(self._possible(values))
        if self._described.form is not None:
            stated = self._described.form
            forms = [form for form in forms if form in {stated, RowForm(BOX)}]
            forms = forms or [form for form in self._possible(values) if _is_part(form, stated)]
        if len(forms) > 1:
            forms = [form for form in forms if form in self._certain] or forms
        if not forms:
            raise FormatError(self._unfit(values), path=path, line=line)
        if len(forms) > 1:
            words = " or ".join(f"`rows: {form}`" for form in forms)
            raise FormatError(
                f"its {len(values)} values after the class could be {' or '.join(map(str, forms))}: "
                f"say which in data.yaml, {words}",
                path=path, line=line, code="annotations_ambiguous",
            )  # fmt: skip
        return forms[0]

    def _unfit(self, values: Sequence[float]) -> str:
        known = self._described
        told = f" of `rows: {known.form}`" if known.form else ""
        points = f", with {known.keypoints[0]} keypoints of {known.keypoints[1]} values" if known.keypoints else ""
        kinds = " or ".join(shape for shape in SHAPES if shape in known.shapes)
        return f"{len(values)} values after the class{told} fit no {kinds}{points}, relative to the image, from 0 to 1"

    def _possible(self, values: Sequence[float]) -> Iterator[RowForm]:
        """Yield the forms that the values fit."""
        for tail in TAILS:
            body, rest = values[: len(values) - len(tail)], values[len(values) - len(tail) :]
            if len(body) >= CENTRED and all(map(_fits_tail, tail, rest)):
                yield from (RowForm(shape, tail) for shape in self._shapes(body, bare=len(values) == CENTRED))

    def _shapes(self, body: Sequence[float], *, bare: bool) -> Iterator[str]:
        shapes = self._described.shapes
        if len(body) == CENTRED and (bare or (BOX in shapes and _is_box(body))):
            yield BOX
        if POLYGON in shapes and len(body) >= LEAST_POLYGON and len(body) % 2 == 0 and _are_coordinates(body):
            yield POLYGON
        points = len(body) - CENTRED
        if points > 0 and POSE in shapes and any(points == count * each for count, each in self._keypoints):
            yield POSE


def _is_part(form: RowForm, stated: RowForm) -> bool:
    """Whether the form is the stated one without its score or its id, as for objects that are not tracked."""
    return form.shape == stated.shape and set(form.tail) < set(stated.tail)


def _fits_tail(name: str, value: float) -> bool:
    return 0 <= value <= 1 if name == SCORE else value.is_integer() and value >= 0


def _are_coordinates(values: Sequence[float]) -> bool:
    return min(values) >= RANGE[0] and max(values) <= RANGE[1]


def _is_box(body: Sequence[float]) -> bool:
    x, y, w, h = body[:CENTRED]
    return w >= 0 and h >= 0 and _are_coordinates((x - w / 2, x + w / 2, y - h / 2, y + h / 2))


def _keypoints(rows: Sequence[Sequence[float]], described: Described) -> set[tuple[int, int]]:
    """Return which numbers of keypoints, and of values each, rows may have: those of `kpt_shape`, else any where
    data.yaml says `pose`, else those that nearly all rows look like."""
    if described.keypoints is not None:
        return {described.keypoints}
    if POSE not in described.shapes:
        return set()
    if POLYGON not in described.shapes or (described.form and described.form.shape == POSE):
        return {shape for length in {len(row) for row in rows} for shape in _keypoint_shapes(length)}
    seen = Counter[tuple[int, int]]()
    for row in rows:
        seen.update({shape for shape in _keypoint_shapes(len(row)) if _looks_posed(row, *shape)})
    return {shape for shape, count in seen.items() if count >= LEAST_FITTING * len(rows)}


def _keypoint_shapes(length: int) -> Iterator[tuple[int, int]]:
    for each in (2, 3):
        for tail in range(3):
            count, rest = divmod(length - CENTRED - tail, each)
            if count > 0 and rest == 0:
                yield count, each


def _looks_posed(row: Sequence[float], count: int, each: int) -> bool:
    """Whether the row is a box inside the image with most of the points after it spread out inside of it; (0, 0) is no
    point."""
    x, y, w, h = row[:CENTRED]
    if not _is_box(row) or min(x - w / 2, y - h / 2) < -MARGIN or max(x + w / 2, y + h / 2) > 1 + MARGIN:
        return False
    points = [row[at : at + each] for at in range(CENTRED, CENTRED + count * each, each)]
    if each == 3 and any(point[2] not in VISIBILITIES and not 0 <= point[2] <= 1 for point in points):
        return False
    seen = [point for point in points if any(point[:2])]
    if sum(abs(px - x) > REACH * w or abs(py - y) > REACH * h for px, py, *_ in seen) > MOST_OUTSIDE * count:
        return False
    return len(seen) < 2 or _spread(seen, 0) >= LEAST_SPREAD * w or _spread(seen, 1) >= LEAST_SPREAD * h


def _spread(points: Sequence[Sequence[float]], axis: int) -> float:
    values = [point[axis] for point in points]
    return max(values) - min(values)
