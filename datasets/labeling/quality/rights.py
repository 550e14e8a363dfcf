"""Who may look over other people's answers."""

from rest_framework.request import Request

from accounts.caller import caller
from accounts.models import User
from core.errors import NotAllowed
from labeling.flags import leads


def reviewer(request: Request, *, doing: str) -> User:
    """The signed-in user, who must be an owner or a reviewer. Raises NotAllowed (`reviewers_only`)."""
    user = caller(request)
    if not leads(user):
        raise NotAllowed(f"Only an owner or a reviewer may {doing}: ask one for it.", code="reviewers_only")
    return user
