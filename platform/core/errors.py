"""The error tree. A rule raises one of these; `core.problems` alone decides the HTTP status.

`code` is stable and machine-readable, `errors` maps a field to what is wrong with it and how to mend it.
"""

from collections.abc import Mapping, Sequence


class MotherlodeError(Exception):
    """Base of every error this platform raises on purpose."""

    code = "error"

    def __init__(
        self,
        detail: str,
        *,
        code: str | None = None,
        errors: Mapping[str, Sequence[str]] | None = None,
        extra: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code or self.code
        self.errors = {field: list(messages) for field, messages in (errors or {}).items()}
        self.extra = dict(extra or {})


class Invalid(MotherlodeError):
    """The request can't be done as written; the user mends it."""

    code = "invalid"

    @classmethod
    def field(cls, name: str, message: str, *, code: str | None = None) -> "Invalid":
        """One field is wrong: `name` says which, `message` what is wrong and how to mend it."""
        return cls(f"{name}: {message}", code=code, errors={name: [message]})


class Unprocessable(Invalid):
    """Well-formed, but it contradicts something already said (an idempotency key used for another body)."""

    code = "unprocessable"


class TooLarge(Invalid):
    """More bytes than we take in one body."""

    code = "too_large"


class LengthRequired(MotherlodeError):
    """A body whose length was not announced."""

    code = "length_required"


class TooManyAtOnce(MotherlodeError):
    """What this caller has under way is as much as one caller may have: waiting for its end is right."""

    code = "too_many_at_once"


class TooManyAttempts(MotherlodeError):
    """Too many wrong secrets: whoever sends them waits for so many seconds before another is looked at."""

    code = "too_many_attempts"

    def __init__(self, detail: str, *, wait: int) -> None:
        super().__init__(detail, extra={"wait": wait})
        self.wait = wait


class TooManyRequests(MotherlodeError):
    """A project's requests of this minute are used up: the next may come after so many seconds."""

    code = "requests_quota"

    def __init__(self, detail: str, *, wait: int) -> None:
        super().__init__(detail, extra={"wait": wait})
        self.wait = wait


class NotFound(MotherlodeError):
    """No such thing, or not for this user."""

    code = "not_found"


class Conflict(MotherlodeError):
    """Somebody else was first; nothing of the caller's is lost."""

    code = "conflict"


class PreconditionFailed(MotherlodeError):
    """What the request requires of the present state does not hold, or nobody can say."""

    code = "precondition_failed"


class RangeNotSatisfiable(MotherlodeError):
    """What is asked of some bytes begins behind their end."""

    code = "range_not_satisfiable"

    def __init__(self, size: int) -> None:
        super().__init__(f"Range: there are {size} bytes: ask for some of these, or leave the header out.")
        self.size = size


class NotAllowed(MotherlodeError):
    """Known user, missing right."""

    code = "not_allowed"


class Unavailable(MotherlodeError):
    """A service we stand on does not answer; trying again later is right."""

    code = "unavailable"


class OutOfSpace(MotherlodeError):
    """Nothing may be written until somebody frees space; nothing that was acknowledged is lost."""

    code = "disk_full"
