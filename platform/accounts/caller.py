"""The user who makes a request."""

from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from accounts.models import User


def caller(request: Request) -> User:
    """Return the signed-in user. Raises NotAuthenticated, which can't happen in a view behind IsAuthenticated."""
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return request.user
