"""The audit log: who changed what, when, from where, in rows that are only ever added.

Labels, jobs and commits have rows of their own; the log records changes of rights and rules: people, tokens, projects,
names, aliases, gates, pipelines, deletions, keys.
"""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from accounts.models import AuditEvent, Token, User
from core.logs import current

_asked: ContextVar[HttpRequest | None] = ContextVar("asked", default=None)


class RememberRequest:
    """Remember the current request, so that audit events written while it is answered name its user."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        token = _asked.set(request)
        try:
            return self.get_response(request)
        finally:
            _asked.reset(token)


def note(
    action: str,
    kind: str,
    name: str,
    *,
    project: int | None = None,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    by: User | None = None,
) -> None:
    """Record that the caller, or `by`, did this to the `kind` of thing called `name`; call it inside the transaction
    that does it. Only fields that differ between `before` and `after` are stored, and without a difference there is no
    event. Pass None where the thing did not exist before, or no longer does."""
    request = _asked.get()
    user = getattr(request, "user", None) if by is None else by
    token = getattr(request, "auth", None)
    if before is not None and after is not None:
        names = [field for field in {**before, **after} if before.get(field) != after.get(field)]
        if not names:
            return
        before, after = ({field: one.get(field) for field in names} for one in (before, after))
    AuditEvent.objects.create(
        who=user.username if isinstance(user, User) else "",
        token=token.name if isinstance(token, Token) else "",
        address=address_of(request) if request is not None else "",
        request_id=str(current("request_id") or ""),
        action=action,
        kind=kind,
        name=name[:200],
        project_id=project,
        before=before and dict(before),
        after=after and dict(after),
    )


def address_of(request: HttpRequest) -> str:
    """Return the address that a request came from. Behind a proxy, which MOTHERLODE_HTTPS implies, it is the last
    address in the proxy's header: anybody can forge those before it."""
    told = request.headers.get("X-Forwarded-For", "") if settings.HTTPS else ""
    return (told.rpartition(",")[2].strip() or request.META.get("REMOTE_ADDR") or "")[:60]
