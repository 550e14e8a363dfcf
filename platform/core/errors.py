"""The error tree. A rule raises one of these; `core.problems` alone decides the HTTP status.

`code` is stable and machine-readable, `errors` maps a field to what is wrong with it and how to fix it.
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
    """The request can't be done as written; the user has to correct it."""

    code = "invalid"

    @classmethod
    def field(cls, name: str, message: str, *, code: str | None = None) -> "Invalid":
        """Return an error about one field: `name` is the field, `message` says what is wrong and how to fix it."""
        return cls(f"{name}: {message}", code=code, errors={name: [message]})


class Unprocessable(Invalid):
    """The request is well-formed but contradicts an earlier one (an idempotency key used for another body)."""

    code = "unprocessable"


class TooLarge(Invalid):
    """The body has more bytes than allowed."""

    code = "too_large"


class LengthRequired(MotherlodeError):
    """The body's length was not announced."""

    code = "length_required"


class TooManyAtOnce(MotherlodeError):
    """The caller has as many requests under way as allowed: wait for one to end."""

    code = "too_many_at_once"


class TooManyAttempts(MotherlodeError):
    """Too many wrong secrets: the caller must wait `wait` seconds before another attempt is checked."""

    code = "too_many_attempts"

    def __init__(self, detail: str, *, wait: int) -> None:
        super().__init__(detail, extra={"wait": wait})
        self.wait = wait


class TooManyRequests(MotherlodeError):
    """The project's requests for this minute are used up: send the next one after `wait` seconds."""

    code = "requests_quota"

    def __init__(self, detail: str, *, wait: int) -> None:
        super().__init__(detail, extra={"wait": wait})
        self.wait = wait


class NotFound(MotherlodeError):
    """The object doesn't exist, or this user may not see it."""

    code = "not_found"


class Conflict(MotherlodeError):
    """Another request was first; the caller loses nothing."""

    code = "conflict"


class PreconditionFailed(MotherlodeError):
    """A precondition of the request does not hold, or can't be checked."""

    code = "precondition_failed"


class RangeNotSatisfiable(MotherlodeError):
    """The requested byte range begins after the end of the content."""

    code = "range_not_satisfiable"

    def __init__(self, size: int) -> None:
        super().__init__(f"Range: there are {size} bytes: ask for some of these, or leave the header out.")
        self.size = size


class NotAllowed(MotherlodeError):
    """The user is known but lacks the right."""

    code = "not_allowed"


class Unavailable(MotherlodeError):
    """A service that the platform depends on does not answer; try again later."""

    code = "unavailable"


class Busy(Unavailable):
    """Another write is in the way: send this again after `wait` seconds. `reason` says who is in the way, in words that
    stay the same while it is, and `detail` how far that write is."""

    code = "busy"

    def __init__(
        self,
        reason: str,
        *,
        wait: int,
        state: str = "",
        code: str | None = None,
        extra: Mapping[str, object] | None = None,
    ) -> None:
        said = [reason, state, f"Nothing of yours was written: send it again in {wait} s."]
        super().__init__(" ".join(filter(None, said)), code=code, extra={**(extra or {}), "wait": wait})
        self.reason = reason
        self.wait = wait


class OutOfSpace(MotherlodeError):
    """Writes are refused until somebody frees space; nothing that was acknowledged is lost."""

    code = "disk_full"
