"""Who may call what. Each view says it once, in `roles`, by method; what it does not name is for reviewers and owners,
so a new operation is closed to annotators until somebody opens it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from accounts.models import Scope, Token, User
from core.errors import NotAllowed

if TYPE_CHECKING:  # it asks for this class while it is loaded
    from rest_framework.views import APIView

ANNOTATOR, REVIEWER, OWNER = User.Role.ANNOTATOR, User.Role.REVIEWER, User.Role.OWNER


def needs(**methods: User.Role) -> Mapping[str, User.Role]:
    """The least role for each of these methods of a view, as its `roles`."""
    return methods


class HasRole(BasePermission):
    """Somebody who is signed in and has the role that the view's `roles` ask for, with a token of sufficient scope.
    Raises NotAllowed (`owners_only`, `reviewers_only`, `token_only_reads`)."""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        if not isinstance(request.user, User):
            return False
        if isinstance(request.auth, Token):
            check_scope(request.auth, str(request.method))
        method = "GET" if request.method == "HEAD" else str(request.method)
        check_role(request.user, getattr(view, "roles", {}).get(method, REVIEWER))
        return True


def check_scope(token: Token, method: str) -> None:
    """Raise NotAllowed (`token_only_reads`) for a method that the token is not good for."""
    if token.scope == Scope.READ and method not in SAFE_METHODS:
        words = f"The token {token.name!r} only reads: use one with the scope `all`."
        raise NotAllowed(words, code="token_only_reads")


def check_role(user: User, least: User.Role) -> None:
    """Raise NotAllowed (`owners_only`, `reviewers_only`) for somebody whose role is less than this."""
    if least == OWNER and not user.is_owner:
        raise NotAllowed("Only an owner may do this: ask one for it.", code="owners_only")
    if least == REVIEWER and not user.reviews:
        raise NotAllowed("Only an owner or a reviewer may do this: ask one for it.", code="reviewers_only")
