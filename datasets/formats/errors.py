"""What can be wrong with annotations."""

from worker_programs.wording import printable

MAX_MESSAGE = 1000


class FormatError(ValueError):
    """The annotations can't be read, or the format can't hold the labels. The message says where, and how to fix it.

    Codes: `annotations_unreadable`, `annotations_ambiguous` (they fit two images, or two formats), `format_unsuited`
    (not for this kind of label).
    """

    code = "annotations_unreadable"

    def __init__(self, message: str, *, path: str = "", line: int | None = None, code: str | None = None) -> None:
        place = f"{path}, line {line}" if line is not None else path
        super().__init__(printable(f"{place}: {message}" if place else message)[:MAX_MESSAGE])
        self.code = code or self.code
