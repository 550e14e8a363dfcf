"""Exceptions that a call can raise: the platform's problem documents, an unreachable platform, failed jobs."""

from collections.abc import Mapping, Sequence
from typing import Any


class MotherlodeError(Exception):
    """The platform refused the call. `code` is stable, `detail` says what is wrong, `errors` says it field by field,
    and `extra` holds the problem document's other fields (such as `head` of a `stale_parent`)."""

    def __init__(
        self,
        *,
        status: int,
        code: str,
        detail: str,
        errors: Mapping[str, Sequence[str]] | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(f"{code} ({status}): {detail}")
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = {field: list(messages) for field, messages in (errors or {}).items()}
        self.extra = dict(extra or {})


class UnreachableError(MotherlodeError):
    """Nothing answered at the address within the client's patience. `status` is 0."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(status=0, code="unreachable", detail=f"{url} does not answer: {reason}")


class JobFailedError(MotherlodeError):
    """A job that the caller waited for failed or was cancelled. `status` is 0: the call itself succeeded."""

    def __init__(self, job_id: int, *, title: str, code: str, detail: str) -> None:
        super().__init__(status=0, code=code, detail=f"job {job_id} ({title}): {detail}")
        self.job_id = job_id
