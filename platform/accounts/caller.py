"""Who makes a request."""

from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from accounts.models import User
from core.errors import NotAllowed


def caller(request: Request) -> User:
    """The signed-in user. Raises NotAuthenticated, which a view behind IsAuthenticated never meets."""
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return request.user


def owner(request: Request, *, doing: str) -> User:
    """The signed-in user, who must own the platform to go on `doing` this. Raises NotAllowed (`owners_only`)."""
    user = caller(request)
    if not user.is_owner:
        raise NotAllowed(f"Only an owner may {doing}: ask one for it.", code="owners_only")
    return user
