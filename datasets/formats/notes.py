"""Notes on what reading or writing could not keep, counted by kind."""

from formats.incomplete import Incomplete
from worker_programs.wording import printable

SHOWN = 200
MAX_NAME = 60
MAX_FIELDS = 40  # noted by name, as a file may have any number


class Notes:
    """Counts each kind of note and remembers where it came first; `incomplete` holds the images whose label would be
    wrong."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[int, str]] = {}
        self._fields: set[tuple[str, str]] = set()
        self.incomplete = Incomplete()

    def add(self, what: str, where: str = "") -> None:
        """Add a note of the kind `what`. `where` names the file or sample."""
        count, first = self._seen.get(what, (0, where))
        self._seen[what] = (count + 1, first)

    def add_field(self, name: str, of: str, where: str) -> None:
        """Note a field, of `an image` for example, that a file has and a sample can't keep."""
        told = (of, name) in self._fields or len(self._fields) < MAX_FIELDS
        if told:
            self._fields.add((of, name))
        named = f"the field {printable(name)[:MAX_NAME]!r}" if told else "a further field"
        self.add(f"{named} of {of} is not kept", where)

    def lines(self) -> list[str]:
        """Return one sentence for each kind: what, how often, and where it came first."""
        return [_line(what, *seen) for what, seen in self._seen.items()]


def _line(what: str, count: int, first: str) -> str:
    where = f"; the first: {printable(first)[:SHOWN]}" if first else ""
    return f"{what} ({count}{where})" if count > 1 or where else what
