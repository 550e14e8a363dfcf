"""`/people`: the platform's users, their roles and their tokens."""

from typing import Any

from django.contrib.auth import update_session_auth_hash
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts import people
from accounts.caller import caller
from accounts.people_serializers import (
    AddedPersonSerializer,
    IssuedTokenSerializer,
    NewPersonSerializer,
    NewTokenSerializer,
    PersonChangeSerializer,
    PersonListSerializer,
    PersonSerializer,
    TokenListSerializer,
    person_document,
    token_document,
)
from accounts.permissions import check_manages_tokens, needs
from accounts.projects import find_project, known_people
from accounts.rights import Right
from core.forms import validated
from core.pagination import NAMED, PAGE, each, named, paged

SHOWN_ONCE = {"Cache-Control": "no-store"}  # not stored for a repeat with the same Idempotency-Key either


class People(APIView):
    rights = needs(GET=Right.REVIEW, POST=Right.ADMINISTER)

    @extend_schema(
        operation_id="people_list",
        parameters=[NAMED, *PAGE],
        responses=PersonListSerializer,
    )
    def get(self, request: Request) -> Response:
        """List the people of your projects, or everybody for owners of the platform, newest first. For reviewers and
        up."""
        rows = known_people(Right.REVIEW).prefetch_related("tokens", "memberships__project")
        return Response(paged(request, named(request, rows, "username"), each(person_document)))

    @extend_schema(operation_id="people_add", request=NewPersonSerializer, responses={201: AddedPersonSerializer})
    def post(self, request: Request) -> Response:
        """Add a person, or a `service` account for a program; the answer has their first token. Owners of the platform
        only."""
        person, secret = people.add_person(**_told(validated(NewPersonSerializer, request)))
        return Response(person_document(person) | {"token": secret}, status=201, headers=SHOWN_ONCE)


class Person(APIView):
    rights = needs(GET=Right.SEE, PATCH=Right.ADMINISTER)

    @extend_schema(operation_id="people_get", responses=PersonSerializer)
    def get(self, request: Request, reference: str) -> Response:
        """Get one person, by id, name or `me`. For owners, reviewers and the person themselves."""
        return Response(person_document(people.find_person(reference, by=caller(request), alone=False)))

    @extend_schema(operation_id="people_change", request=PersonChangeSerializer, responses=PersonSerializer)
    def patch(self, request: Request, reference: str) -> Response:
        """Change a person's role or email, or take them off the platform (`active`: false), which ends their sessions
        and tokens at once. Owners of the platform only; the last owner can't be removed."""
        told, by = _told(validated(PersonChangeSerializer, request)), caller(request)
        return Response(person_document(people.change_person(people.find_person(reference, by=by), **told)))


class Tokens(APIView):
    rights = needs(GET=Right.SEE, POST=Right.SEE)

    @extend_schema(operation_id="tokens_list", parameters=PAGE, responses=TokenListSerializer)
    def get(self, request: Request, reference: str) -> Response:
        """List a person's tokens, newest first, without their secrets: your own (`me`), or anybody's if you own the
        platform."""
        rows = people.find_person(reference, by=caller(request)).tokens.select_related("project")
        return Response(paged(request, rows, each(token_document)))

    @extend_schema(operation_id="tokens_issue", request=NewTokenSerializer, responses={201: IssuedTokenSerializer})
    def post(self, request: Request, reference: str) -> Response:
        """Create a token. It can expire after a number of days, be limited to reading, and be limited to one project.
        Its secret is in this answer only. Tokens of service accounts are made by owners of the platform, and always
        expire."""
        by = caller(request)
        check_manages_tokens(by, request.auth)
        person = people.find_person(reference, by=by)
        token, secret = people.issue_token(person, **_told(validated(NewTokenSerializer, request)))
        return Response(token_document(token) | {"secret": secret}, status=201, headers=SHOWN_ONCE)


class Token(APIView):
    rights = needs(DELETE=Right.SEE)

    @extend_schema(operation_id="tokens_revoke", request=None, responses={204: None})
    def delete(self, request: Request, reference: str, pk: int) -> Response:
        """Revoke a token. It stops working at once, and the person's other browsers are signed out."""
        by = caller(request)
        check_manages_tokens(by, request.auth)
        person = people.revoke_token(people.find_person(reference, by=by), pk)
        if person == by and request.auth is None:
            update_session_auth_hash(request._request, person)  # noqa: SLF001 - whoever does it stays signed in
        return Response(status=204)


def _told(body: dict[str, Any]) -> dict[str, Any]:
    """Replace the body's project reference, if it has one, with the project."""
    return body | ({"project": find_project(body["project"])} if "project" in body else {})
