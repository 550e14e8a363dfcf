"""Clients of the API that have signed in."""

from rest_framework.test import APIClient

from accounts.models import Token, User


def client_of(user: User) -> APIClient:
    """A client that speaks for a user, with a bearer token."""
    made = APIClient()
    token, secret = Token.objects.issue(user, "test")
    Token.objects.used(token, "127.0.0.1")  # so that no test counts the queries that note the first use
    user.seen()
    made.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return made
