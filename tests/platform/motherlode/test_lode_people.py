"""`lode people`: who may use the platform."""

import json

from tests.platform.motherlode.canned import Answer, CannedServer, problem
from tests.platform.motherlode.test_lode import lode

ANA = {
    "id": 7, "username": "ana", "role": "annotator", "active": True, "service": False,
    "created": "2026-11-21T21:00:00Z",
    "last_seen": None, "tokens": 1, "projects": [{"project": "default", "role": "annotator"}],
}  # fmt: skip
SECRET = "ml_" + "x" * 43


def test_somebody_is_added_and_the_token_printed_on_a_line_of_its_own(server: CannedServer) -> None:
    server.script["POST /people"] = [Answer(201, ANA | {"role": "reviewer", "token": SECRET})]
    done = lode(server, "people", "add", "ana", "--role", "reviewer")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["ana is reviewer; this token is told once:", SECRET]
    assert server.asked[0].document == {"username": "ana", "role": "reviewer"}


def test_everybody_is_listed_with_what_they_may_do(server: CannedServer) -> None:
    away = ANA | {"username": "bo", "active": False, "last_seen": "2026-11-20T08:00:00Z"}
    server.script["GET /people"] = [Answer(200, {"results": [ANA, away], "next": None})]
    lines = lode(server, "people", "list").stdout.splitlines()
    assert lines[0].split() == ["id", "name", "kind", "role", "active", "tokens", "last", "seen"]
    assert lines[1].split() == ["7", "ana", "person", "annotator", "yes", "1", "-"]
    assert lines[2].split()[4:] == ["no", "1", "2026-11-20T08:00:00Z"]


def test_an_email_is_said_and_taken_back(server: CannedServer) -> None:
    server.script["PATCH /people/ana"] = [
        Answer(200, ANA | {"email": "ana@example.org"}),
        Answer(200, ANA | {"email": ""}),
    ]
    assert lode(server, "people", "email", "ana", "ana@example.org").stdout == "ana signs in as ana@example.org\n"
    assert lode(server, "people", "email", "ana").stdout == "ana has no email to sign in with\n"
    assert [one.document for one in server.asked] == [{"email": "ana@example.org"}, {"email": ""}]


def test_a_service_account_is_added_with_the_end_of_its_token(server: CannedServer) -> None:
    server.script["POST /people"] = [Answer(201, ANA | {"token": SECRET, "service": True})]
    done = lode(server, "people", "add", "nightly", "--service", "--role", "engineer", "--days", "30")
    assert done.stdout.splitlines()[-1] == SECRET, done.stderr
    told = {"username": "nightly", "role": "engineer", "service": True, "expires_in_days": 30}
    assert server.asked[0].document == told


def test_a_token_is_made_for_oneself_or_for_somebody_else(server: CannedServer) -> None:
    made = {
        "id": 3, "name": "laptop", "scope": "all", "project": None, "created": "2026-11-21T21:00:00Z", "expires": None,
        "last_used": None, "secret": SECRET,
    }  # fmt: skip
    for person in ("me", "ana"):
        server.script[f"POST /people/{person}/tokens"] = [Answer(201, made)]
        done = lode(server, "people", "token", *([] if person == "me" else [person]), "--name", "laptop")
        assert done.stdout.splitlines()[-1] == SECRET, done.stderr
    assert server.asked[-1].document == {"name": "laptop", "scope": "all"}
    ends = made | {"scope": "read", "expires": "2027-02-23T09:00:00Z"}
    server.script["POST /people/me/tokens"] = [Answer(201, ends)]
    done = lode(server, "people", "token", "--scope", "read", "--days", "90")
    assert done.stdout.splitlines()[0] == "token 3 (laptop, scope read, until 2027-02-23T09:00); it is told once:"
    assert server.asked[-1].document == {"name": "lode", "scope": "read", "expires_in_days": 90}


def test_what_was_added_or_made_is_told_as_json(server: CannedServer) -> None:
    added = ANA | {"token": SECRET}
    server.script["POST /people"] = [Answer(201, added)]
    assert json.loads(lode(server, "people", "add", "ana", "--json").stdout) == added
    made = {
        "id": 3, "name": "ci", "scope": "all", "project": None, "created": "2026-11-21T21:00:00Z", "expires": None,
        "last_used": None, "secret": SECRET,
    }  # fmt: skip
    server.script["POST /people/me/tokens"] = [Answer(201, made)]
    assert json.loads(lode(server, "people", "token", "--name", "ci", "--json").stdout) == made


def test_roles_are_given_and_people_taken_off_and_let_back_in(server: CannedServer) -> None:
    server.script["PATCH /people/ana"] = [
        Answer(200, ANA | {"role": "owner"}), Answer(200, ANA | {"active": False}), Answer(200, ANA),
    ]  # fmt: skip
    assert "ana is owner" in lode(server, "people", "role", "ana", "owner").stdout
    assert "can no longer sign in" in lode(server, "people", "deactivate", "ana").stdout
    assert "next: lode people token ana" in lode(server, "people", "activate", "ana").stdout
    assert [asked.document for asked in server.asked] == [{"role": "owner"}, {"active": False}, {"active": True}]


def test_the_last_owner_and_strangers_are_explained(server: CannedServer) -> None:
    server.script["PATCH /people/alice"] = [problem(409, "last_owner", detail="'alice' is the last owner.")]
    done = lode(server, "people", "deactivate", "alice")
    assert (done.returncode, "'alice' is the last owner." in done.stderr) == (1, True)
    server.script["PATCH /people/eve"] = [problem(404, "person_unknown", detail="There is nobody called 'eve'.")]
    assert "lode people list" in lode(server, "people", "deactivate", "eve").stderr
