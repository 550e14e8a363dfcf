"""Who changed what, when, from where: rows that are only ever added.

What labels say, and what jobs and commits do, is told by rows of their own; here is what changes rights and rules:
people, tokens, projects, names, aliases, gates, pipelines, deletions, keys.
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
    """What is written down while a request is answered says whose it is."""

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
    """Write down that whoever asks, or `by`, did this to the `kind` of thing called `name`: inside the transaction that
    does it. Of `before` and `after` only what differs is kept, and where nothing does there is no event; None where it
    was not there, or is no more."""
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
    """Where a request came from. Behind a proxy, which MOTHERLODE_HTTPS says there is, the proxy tells it: the last
    address in its header, as all before it are anybody's words."""
    told = request.headers.get("X-Forwarded-For", "") if settings.HTTPS else ""
    return (told.rpartition(",")[2].strip() or request.META.get("REMOTE_ADDR") or "")[:60]
