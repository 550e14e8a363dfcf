"""Who may call what: an owner everything, a reviewer what decides labels, everybody signed in all else."""

from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.models import User


class IsOwner(BasePermission):
    """Owners alone."""

    message = "Only an owner may do this: ask one for it."

    def has_permission(self, request: Request, view: APIView) -> bool:  # noqa: ARG002 - DRF's hook
        return isinstance(request.user, User) and request.user.is_owner


class IsReviewer(BasePermission):
    """Reviewers and owners."""

    message = "Only a reviewer or an owner may do this: ask an owner for the role."

    def has_permission(self, request: Request, view: APIView) -> bool:  # noqa: ARG002 - DRF's hook
        return isinstance(request.user, User) and request.user.reviews
