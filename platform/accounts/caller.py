"""Who makes a request."""

from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from accounts.models import User


def caller(request: Request) -> User:
    """The signed-in user. Raises NotAuthenticated, which a view behind IsAuthenticated never meets."""
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return request.user
