"""Roles by the groups that an identity provider tells of somebody."""

import json
import re
from typing import Any

import pytest
from rest_framework.test import APIClient
from tests.platform.accounts.scripted_provider import Provider
from tests.platform.accounts.test_oidc import ANA, ana, leave, provider, refused, sign_in, started

from accounts.group_roles import ROLES, GroupRole, read_group_roles
from accounts.models import AuditEvent, Membership, Project, Role, User

__all__ = ["ana", "provider", "started"]  # fixtures
pytestmark = pytest.mark.django_db
TEXT = json.dumps(
    {"leads": "engineer", "/roads/crew": ["roads:annotator", "rail:viewer"], "roads-qa": "roads:reviewer"}
)


@pytest.fixture
def groups(provider: Provider, settings: Any) -> Provider:
    """A provider whose groups give roles, in two projects beside the first."""
    for name in ("roads", "rail", "elsewhere"):
        Project.objects.create(name=name)
    settings.OIDC_GROUPS = read_group_roles(TEXT)
    return provider


def roles(person: User) -> dict[str, str]:
    return dict(Membership.objects.filter(user=person).values_list("project__name", "role"))


def test_the_roles_are_those_of_the_models() -> None:
    assert tuple(Role.values) == ROLES


def test_a_stranger_gets_the_strongest_role_of_their_groups_in_each_project(groups: Provider) -> None:
    groups.claims = {"groups": ["/roads/crew", "roads-qa", "of something else"]}
    assert sign_in(groups) == "/app/"
    person = User.objects.get(username=ANA)
    assert (roles(person), person.is_owner) == ({"roads": "reviewer", "rail": "viewer"}, False)


def test_roles_follow_the_groups_at_each_sign_in_where_groups_have_a_say(
    ana: User, groups: Provider, api: APIClient
) -> None:
    assert api.put("/projects/elsewhere/members/ana", {"role": "owner"}, format="json").status_code in {200, 201}
    groups.claims = {"groups": ["leads", "/roads/crew"]}
    browser = APIClient()
    assert sign_in(groups, browser) == "/app/"
    told = {"default": "engineer", "roads": "annotator", "rail": "viewer", "elsewhere": "owner"}
    assert roles(ana) == told
    groups.claims = {"groups": ["roads-qa"]}
    assert sign_in(groups) == "/app/"
    assert roles(ana) == {"roads": "reviewer", "elsewhere": "owner"}
    events = AuditEvent.objects.filter(name="ana", action__in=["role given", "removed"]).exclude(who="alice")
    assert {event.who for event in events} == {"ana"}
    groups.claims = {"groups": []}
    assert sign_in(groups) == "/app/"
    assert roles(ana) == {"elsewhere": "owner"}


def test_who_is_in_no_group_or_of_whom_no_groups_are_told_loses_nothing_unseen(ana: User, groups: Provider) -> None:
    groups.claims = {"groups": ["of something else"], "sub": "eve", "email": "eve@example.org"}
    assert refused(sign_in(groups)) == "no_group"
    before, groups.userinfo = roles(ana), {"sub": "ana-at-work"}
    for claims in ({}, {"groups": "leads"}, {"groups": None}):
        groups.claims = claims
        assert refused(sign_in(groups)) == "groups_missing"
    assert roles(ana) == before


def test_groups_may_stand_at_the_userinfo_under_another_name_and_are_asked_for_where_they_can_be(
    ana: User, groups: Provider, settings: Any
) -> None:
    settings.OIDC_GROUPS_CLAIM = "https://example.org/teams"
    groups.about = {"scopes_supported": ["openid", "email", "profile", "groups"]}
    groups.userinfo = {"sub": "ana-at-work", "https://example.org/teams": ["leads"]}
    assert leave(APIClient(), groups)["scope"].split() == ["openid", "email", "profile", "groups"]
    assert sign_in(groups) == "/app/"
    assert roles(ana) == {"default": "engineer"}


def test_an_owner_of_the_platform_stays_one_and_a_project_that_is_not_there_gives_nothing(
    ana: User, groups: Provider, settings: Any
) -> None:
    settings.OIDC_GROUPS = {"leads": [GroupRole("gone", "engineer"), GroupRole("roads", "viewer")]}
    groups.claims = {"groups": ["leads"]}
    assert sign_in(groups) == "/app/"
    assert roles(ana) == {"default": "reviewer", "roads": "viewer"}
    User.objects.filter(pk=ana.pk).update(is_owner=True)
    groups.claims = {"groups": []}
    assert sign_in(groups) == "/app/"
    assert roles(ana) == {"default": "reviewer", "roads": "viewer"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("leads=engineer", "Expecting value"),
        ("[]", "JSON object"),
        ('{"leads": "boss"}', "'boss' is not a role"),
        ('{"leads": ["roads:viewer", 3]}', "'leads': 3 is not a role"),
        ('{"leads": "owner"}', "nobody owns the platform by a group"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused_with_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        read_group_roles(text)
    assert read_group_roles("") == {}
    assert read_group_roles('{"a": "roads:owner"}') == {"a": [GroupRole("roads", "owner")]}
