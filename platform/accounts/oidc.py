"""Signing in through a company's identity provider: OpenID Connect, the code flow with PKCE, by Authlib.

Authlib makes the requests and checks signatures. This module decides the rest: which algorithms are accepted, that
issuer and audience are ours, and which user of this platform somebody is.
"""

import logging
import secrets
from dataclasses import dataclass, field
from typing import Any

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.django_client import DjangoOAuth2App, OAuth
from django.conf import settings
from django.db import IntegrityError, transaction
from joserfc.errors import JoseError
from requests import RequestException

from accounts.audit import note
from accounts.group_roles import ROLES
from accounts.models import Membership, Project, Role, User
from accounts.people import MAX_USERNAME, NOT_IN_USERNAMES
from accounts.projects import remove_member, set_role
from accounts.services import first_project, new_user

logger = logging.getLogger(__name__)
CALLBACK, SIGN_IN = "/session/oidc/callback", "/app/login"
ALGORITHMS = frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"})
"""Algorithms with public keys only: `none` signs nothing, and anybody can sign with HS256 and a public key as its
secret."""
SECONDS = 10
"""Time limit for the provider's answer, in seconds."""
LEEWAY = 60
"""Tolerated difference between the provider's clock and ours, in seconds."""


class SignInRefusedError(Exception):
    """The sign-in is refused; `reason` is a code that the sign-in page explains."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Identity:
    """An identity, as the provider states it."""

    issuer: str
    subject: str
    email: str
    """Empty unless the provider states that it is verified."""
    groups: frozenset[str] = frozenset()
    """Empty unless the settings give roles by groups."""
    id_token: str = field(default="", repr=False)
    """The token that identifies the session to the provider when it ends."""


def is_on() -> bool:
    return bool(settings.OIDC_ISSUER)


def begin() -> tuple[str, dict[str, str]]:
    """Return the URL to send the browser to, and the values it must bring back. Raises SignInRefusedError
    (`provider_unreachable`)."""
    try:
        sent = _client().create_authorization_url(settings.PUBLIC_URL + CALLBACK)
    except (AuthlibBaseError, RequestException, ValueError) as error:
        raise SignInRefusedError("provider_unreachable") from error
    return sent["url"], {name: sent[name] for name in ("state", "nonce", "code_verifier")}


def finish(brought: dict[str, str], *, state: str, code: str, error: str) -> Identity:
    """Return the identity of the person who came back. Raises SignInRefusedError (`expired`, `denied`, `not_verified`,
    `groups_missing`, `provider_unreachable`)."""
    if not brought or not secrets.compare_digest(brought["state"].encode(), state.encode()):
        raise SignInRefusedError("expired")
    if error or not code:
        raise SignInRefusedError("denied")
    try:
        client = _client()
        given = client.fetch_access_token(
            settings.PUBLIC_URL + CALLBACK, code=code, code_verifier=brought["code_verifier"]
        )
    except AuthlibBaseError as refusal:
        raise SignInRefusedError("not_verified") from refusal
    except (RequestException, ValueError) as fault:
        raise SignInRefusedError("provider_unreachable") from fault
    try:
        return _identity(client, given, brought["nonce"])
    except (AuthlibBaseError, JoseError, ValueError, KeyError, TypeError) as wrong:
        raise SignInRefusedError("not_verified") from wrong
    except RequestException as fault:
        raise SignInRefusedError("provider_unreachable") from fault


def ending(id_token: str) -> str | None:
    """Return the URL that ends a browser's session with the provider (OpenID Connect RP-Initiated Logout 1.0) and leads
    back to our sign-in page. None if the provider has no such page, or can't be reached now."""
    try:
        client = _client()
        if not client.server_metadata.get("end_session_endpoint"):
            return None
        back = {"post_logout_redirect_uri": settings.PUBLIC_URL + SIGN_IN, "client_id": settings.OIDC_CLIENT_ID}
        address: str = client.create_logout_url(id_token_hint=id_token, **back)["url"]
    except (AuthlibBaseError, RequestException, ValueError):
        logger.warning("the identity provider could not be asked where sessions end", exc_info=True)
        return None
    return address


def person_of(identity: Identity) -> User:
    """Return the user who signs in: one who did so before, else one with this email, set by an owner, else a new one if
    the settings allow that; with the roles that their groups give. Raises SignInRefusedError (`inactive`,
    `email_not_verified`, `unknown_person`, ..)."""
    try:
        with transaction.atomic():
            person = _known(identity) or _linked(identity) or _made(identity)
            _give_roles(person, identity)
            note("signed in", "person", person.username, by=person, after={"through": identity.issuer})
            return person
    except SignInRefusedError as refusal:
        name = identity.email or identity.subject
        note("refused to sign in", "person", name, after={"through": identity.issuer, "reason": refusal.reason})
        raise
    except IntegrityError as error:  # the same person in two browsers at once
        raise SignInRefusedError("expired") from error


def _client() -> DjangoOAuth2App:
    """Return a client, made anew for each sign-in with the provider's current metadata. Raises ValueError for another
    issuer."""
    client = OAuth().register(
        "provider",
        client_id=settings.OIDC_CLIENT_ID,
        client_secret=settings.OIDC_CLIENT_SECRET,
        server_metadata_url=settings.OIDC_ISSUER.rstrip("/") + "/.well-known/openid-configuration",
        client_kwargs={
            "scope": "openid email profile",
            "code_challenge_method": "S256",
            "default_timeout": SECONDS,
        },
    )
    about = client.load_server_metadata()
    if about.get("issuer") != settings.OIDC_ISSUER:
        raise ValueError(f"the provider calls itself {about.get('issuer')!r}, not {settings.OIDC_ISSUER!r}")
    if settings.OIDC_GROUPS and "groups" in (about.get("scopes_supported") or ()):
        client.client_kwargs["scope"] += " groups"
    offered = about.get("id_token_signing_alg_values_supported") or ["RS256"]
    about["id_token_signing_alg_values_supported"] = sorted(ALGORITHMS.intersection(offered))
    return client


def _identity(client: DjangoOAuth2App, given: dict[str, Any], nonce: str) -> Identity:
    if "id_token" not in given:
        raise ValueError("the provider sent no ID token")
    must = {
        "iss": {"essential": True, "value": settings.OIDC_ISSUER},
        "aud": {"essential": True, "value": settings.OIDC_CLIENT_ID},
        "sub": {"essential": True},
        "exp": {"essential": True},
    }
    claims = dict(client.parse_id_token(given, nonce=nonce, claims_options=must, leeway=LEEWAY))
    wanted = {"email", settings.OIDC_GROUPS_CLAIM} if settings.OIDC_GROUPS else {"email"}
    if wanted - claims.keys() and client.server_metadata.get("userinfo_endpoint"):
        more = client.userinfo(token=given)
        if more.get("sub") != claims["sub"]:
            raise ValueError("the provider tells of somebody else")
        claims = {**more, **claims}
    subject, email = claims["sub"], claims.get("email")
    if not isinstance(subject, str) or not 0 < len(subject) <= 255:
        raise ValueError("the subject is not text of at most 255 characters")
    verified = isinstance(email, str) and claims.get("email_verified") is True
    return Identity(settings.OIDC_ISSUER, subject, str(email) if verified else "", _groups(claims), given["id_token"])


def _groups(claims: dict[str, Any]) -> frozenset[str]:
    """Return the groups that the provider states. A user in none has an empty list; without a list the sign-in is
    refused, so that nobody loses a role unnoticed."""
    if not settings.OIDC_GROUPS:
        return frozenset()
    told = claims.get(settings.OIDC_GROUPS_CLAIM)
    if not isinstance(told, list):
        raise SignInRefusedError("groups_missing")
    return frozenset(str(one) for one in told)


def _known(identity: Identity) -> User | None:
    who = {"oidc_issuer": identity.issuer, "oidc_subject": identity.subject}
    return _active(User.objects.select_for_update().filter(**who).first())


def _linked(identity: Identity) -> User | None:
    """Return the user with this email, set by an owner, and link them at their first sign-in through the provider."""
    if not identity.email:
        raise SignInRefusedError("email_not_verified")
    person = User.objects.select_for_update().filter(email__iexact=identity.email, is_service=False).first()
    if person is None:
        return None
    if person.oidc_subject:  # the email was given to somebody else since
        raise SignInRefusedError("unknown_person")
    _active(person)
    _remember(person, identity)
    return person


def _made(identity: Identity) -> User:
    given = {project: role for project, role in _roles_by(identity.groups).items() if role is not None}
    if settings.OIDC_NEW_ROLE and not given:
        given = {_project(): settings.OIDC_NEW_ROLE}
    if not given:
        raise SignInRefusedError("no_group" if settings.OIDC_GROUPS else "unknown_person")
    name = NOT_IN_USERNAMES.sub("-", identity.email)[:MAX_USERNAME]
    if User.objects.filter(username__iexact=name).exists():
        raise SignInRefusedError("name_taken")
    project, role = next(iter(given.items()))
    person = new_user(name, role=role, project=project)
    person.email = identity.email
    person.save(update_fields=["email"])
    note("added", "person", name, project=project.pk, by=person, after={"role": role})
    _remember(person, identity)
    return person


def _give_roles(person: User, identity: Identity) -> None:
    """Give the user, in each project that the settings name for groups, the strongest role of their groups, or none:
    any other role there is withdrawn. Other projects, and owners of the platform, stay as they are."""
    if person.is_owner:
        return
    held = {row.project_id: row.role for row in Membership.objects.filter(user=person)}
    for project, role in _roles_by(identity.groups).items():
        if role is not None and held.get(project.pk) != role:
            set_role(project, person, Role(role), by=person)
        elif role is None and project.pk in held:
            remove_member(project, person, by=person)


def _roles_by(groups: frozenset[str]) -> dict[Project, str | None]:
    """Map each project that the settings name for any group to the strongest role that these groups give there, or
    None."""
    found: dict[Project, list[str]] = {}
    for group, given in settings.OIDC_GROUPS.items():
        for name, role in given:
            if (project := _named(name)) is not None:
                found.setdefault(project, []).extend([role] if group in groups else [])
    return {project: min(roles, key=ROLES.index, default=None) for project, roles in found.items()}


def _named(name: str) -> Project | None:
    """Return the project of this name; without one, the project that new people join. If there is none, log it and
    return None."""
    name = name or settings.OIDC_NEW_PROJECT
    project = Project.objects.filter(name=name).first() if name else first_project()
    if project is None:
        logger.warning("there is no project %r, which groups of the identity provider give roles in", name)
    return project


def _project() -> Project:
    """Return the project that new people join. Raises SignInRefusedError if the setting names one that doesn't
    exist."""
    project = _named("")
    if project is None:
        raise SignInRefusedError("unknown_person")
    return project


def _remember(person: User, identity: Identity) -> None:
    person.oidc_issuer, person.oidc_subject = identity.issuer, identity.subject
    person.save(update_fields=["oidc_issuer", "oidc_subject"])
    after = {"issuer": identity.issuer, "subject": identity.subject, "email": identity.email}
    note("linked", "person", person.username, by=person, after=after)


def _active(person: User | None) -> User | None:
    if person is not None and not person.is_active:
        raise SignInRefusedError("inactive")
    return person
