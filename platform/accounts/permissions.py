"""Who may call what. Each view declares its rights by method in `rights`; by default, reading methods require the right
READ and others BUILD: a new operation is closed to annotators until you open it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from accounts.models import Scope, Token, User
from accounts.rights import Right, stand
from core.errors import NotAllowed

if TYPE_CHECKING:  # it asks for this class while it is loaded
    from rest_framework.views import APIView


def needs(**methods: Right) -> Mapping[str, Right]:
    """Return the rights required by these methods, for a view's `rights`."""
    return methods


def needed(view: object, method: str) -> Right:
    """Return the right that a method of a view requires."""
    method = "GET" if method in {"HEAD", "OPTIONS"} else method
    found: Right = getattr(view, "rights", {}).get(method, Right.READ if method in SAFE_METHODS else Right.BUILD)
    return found


class HasRole(BasePermission):
    """Allow a signed-in user who has the view's right in some project, with a token of sufficient scope; from then on
    the request acts as that user. Raises NotAllowed (`owners_only`, .., `token_only_reads`)."""

    asked_on_replay = True

    def has_permission(self, request: Request, view: "APIView") -> bool:
        if not isinstance(request.user, User):
            return False
        token = request.auth if isinstance(request.auth, Token) else None
        right = needed(view, str(request.method))
        reads = right is Right.READ  # also by POST: many blobs at once, an export, a question to a model
        if token is not None and not reads:
            check_scope(token, str(request.method))
        stand(request.user, right, project=None if token is None else token.project_id)
        return True


def check_scope(token: Token, method: str) -> None:
    """Raise NotAllowed (`token_only_reads`) for a method outside the token's scope."""
    if token.scope == Scope.READ and method not in SAFE_METHODS:
        words = f"The token {token.name!r} only reads: use one with the scope `all`."
        raise NotAllowed(words, code="token_only_reads")


def check_opens_session(token: Token) -> None:
    """Raise NotAllowed for a token with limits that a browser session would not keep."""
    check_scope(token, "POST")
    _check_all_projects(token)
    if token.user.is_service:
        words = f"{token.user.username!r} is a service account, which signs in nowhere: send its token with each call."
        raise NotAllowed(words, code="service_account")


def check_manages_tokens(user: User, token: object) -> None:
    """Raise NotAllowed if a new token could give the caller more than the token they call with."""
    if isinstance(token, Token):
        _check_all_projects(token)
    if user.is_service:
        words = "An owner of the platform makes and deletes the tokens of service accounts: ask one for it."
        raise NotAllowed(words, code="service_account")


def _check_all_projects(token: Token) -> None:
    if token.project_id is not None:
        words = f"The token {token.name!r} is good in one project alone: use one that is good in all of yours."
        raise NotAllowed(words, code="token_of_one_project")
