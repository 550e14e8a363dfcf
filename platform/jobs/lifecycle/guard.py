"""Refuse writing requests to every address below an archived thing, whichever app the address belongs to."""

from typing import TYPE_CHECKING, TypeVar

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from jobs.lifecycle.finding import refuse_archived
from jobs.lifecycle.kinds import Kind, kinds
from jobs.lifecycle.models import Named

if TYPE_CHECKING:  # rest_framework.views loads this class while it is being imported
    from rest_framework.views import APIView

N = TypeVar("N", bound=Named)


class WritesNothingArchived(BasePermission):
    """Refuses with Conflict (`archived`), unless the view names the method in `when_archived`."""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        if request.method in SAFE_METHODS or request.method in getattr(view, "when_archived", ()):
            return True
        match = request.resolver_match
        kind = _kind_at(match.route) if match is not None else None
        if kind is not None and match is not None:
            row = kind.find(next(iter(match.kwargs.values())))
            refuse_archived(row, *kind.holds(row))
            vars(view)["addressed"] = row
        return True


def addressed(view: "APIView", model: type[N]) -> N:
    """Return the thing that the address of a writing request begins with, as the guard found it for this view's
    request."""
    row = vars(view)["addressed"]
    if not isinstance(row, model):
        raise TypeError(f"the address names a {type(row).__name__}")
    return row


def _kind_at(route: str) -> Kind | None:
    """The kind of thing whose address the route begins with."""
    return next((kind for kind in kinds().values() if route.startswith(f"{kind.route}/<")), None)
