"""Notes on what reading or writing changed or left out, counted by kind."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from formats.incomplete import Incomplete
from worker_programs.wording import printable

SHOWN = 200
MAX_NAME = 60
MAX_FIELDS = 40  # noted by name, as a file may have any number
PASSED_OVER: Mapping[str, str] = {
    "image_missing": "annotations of images that are not here",
    "annotation_left_out": "annotations that were not read, such as predictions",
    "shape_left_out": "outlines, masks, boxes or keypoints that a label here can't hold",
    "field_left_out": "fields and attributes that no label holds",
    "file_left_out": "annotation files that hold nothing to read here",
}
"""What reading may pass over, by code. What is refused, and objects that a label can't hold, are counted elsewhere: by
the batch's rejections and by `Incomplete`."""


@dataclass(frozen=True, slots=True)
class PassedOver:
    """One kind of annotations that were passed over: a code, the kind in words, how many, and where they came first."""

    code: str
    what: str
    count: int
    first: str

    def document(self) -> dict[str, Any]:
        return asdict(self)


class Notes:
    """Counts each kind of note and remembers where it came first; `incomplete` holds the images whose label would be
    wrong.

    `add` is for what is only written in another way (an ellipse as a polygon), `leave_out` for what is lost.
    """

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], tuple[int, str]] = {}  # by code ("" for a mere change) and words
        self._fields: set[tuple[str, str]] = set()
        self.incomplete = Incomplete()

    def add(self, what: str, where: str = "") -> None:
        """Add a note of the kind `what`, on something that is not lost. `where` names the file or sample."""
        self._count("", what, where, 1)

    def leave_out(self, code: str, what: str, where: str = "", count: int = 1) -> None:
        """Record that `count` things of the kind `what` are lost; `code` is one of PASSED_OVER."""
        if code not in PASSED_OVER:
            raise ValueError(code)
        self._count(code, what, where, count)

    def add_field(self, name: str, of: str, where: str) -> None:
        """Record a field, of `an image` for example, that a file has and a sample can't keep."""
        told = (of, name) in self._fields or len(self._fields) < MAX_FIELDS
        if told:
            self._fields.add((of, name))
        named = f"the field {printable(name)[:MAX_NAME]!r}" if told else "a further field"
        self.leave_out("field_left_out", f"{named} of {of} is not kept", where)

    def lines(self) -> list[str]:
        """Return one sentence for each kind of note: what, how often, and where it came first."""
        return [_line(what, *seen) for (_, what), seen in self._seen.items()]

    def changes(self) -> list[str]:
        """Return the sentences on what is only written in another way."""
        return [_line(what, *seen) for (code, what), seen in self._seen.items() if not code]

    def passed_over(self) -> list[PassedOver]:
        """Return one row for each kind of what is lost."""
        return [
            PassedOver(code, what, count, printable(first)[:SHOWN])
            for (code, what), (count, first) in self._seen.items()
            if code
        ]

    def _count(self, code: str, what: str, where: str, count: int) -> None:
        before, first = self._seen.get((code, what), (0, where))
        self._seen[code, what] = (before + count, first)


def _line(what: str, count: int, first: str) -> str:
    where = f"; the first: {printable(first)[:SHOWN]}" if first else ""
    return f"{what} ({count}{where})" if count > 1 or where else what
