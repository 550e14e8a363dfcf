"""Prepared queries answer what the same queries put together anew answer."""

import threading
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.models import F, Q, QuerySet, Value
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from accounts.models import Role, Token, User
from accounts.services import create_user
from core import prepared as module
from core.models import IdempotencyRecord
from core.prepared import Update, prepared, prepared_update

pytestmark = [pytest.mark.django_db, pytest.mark.both]
KINDS = st.sampled_from(["owner", "reviewer", "annotator"])
NAMES = st.sampled_from(["alice", "bob", "ça va", "%s", "'; --", "\0place 0x", "{}"])


@prepared("pk", "name", "kind")
def found(*, count: int = 10, **told: int | str) -> QuerySet[User]:
    names = {"pk": "pk", "name": "username", "kind": "last_name"}
    wanted = Q(**{names[name]: value for name, value in told.items()})
    return User.objects.filter(wanted | Q(first_name="nobody")).order_by("-pk")[:count]


@pytest.fixture
def people() -> list[User]:
    names = ["alice", "bob", "ça va", "%s", "'; --", "{}"]
    kinds = ["owner", "reviewer", "annotator"]
    return [User.objects.create(username=name, last_name=kinds[at % 3]) for at, name in enumerate(names)]


@settings(max_examples=examples(60))
@given(
    told=st.fixed_dictionaries({}, optional={"pk": st.integers(1, 8), "name": NAMES, "kind": KINDS}).filter(bool),
    count=st.integers(1, 7),
)
def test_it_answers_what_the_query_set_answers(people: list[User], told: dict[str, int | str], count: int) -> None:
    if "pk" in told:
        told["pk"] = people[0].pk + int(told["pk"]) - 1
    if "\0" in str(told.get("name")):
        told["name"] = "nobody"
    again = found.__wrapped__(**told, count=count)  # type: ignore[attr-defined]  # what `wraps` leaves
    assert found(**told, count=count) == list(again)


def test_related_rows_and_annotations_come_along_and_one_statement_is_sent(people: list[User]) -> None:
    tokens = [Token.objects.issue(person, person.username)[0] for person in people[:2]]

    @prepared("name")
    def held(name: str) -> QuerySet[Token]:
        return Token.objects.filter(name=name).select_related("user")

    for token in tokens:
        with CaptureQueriesContext(connection) as sent:
            (row,) = held(name=token.name)
            assert (row, row.user.username) == (token, token.name)
        assert len(sent) == 1


def test_a_thread_has_a_connection_and_queries_of_its_own(transactional_db: None) -> None:
    create_user("carol", role=Role.OWNER)
    seen: list[list[str]] = []

    def ask() -> None:
        seen.append([person.username for person in found(name="carol")])
        connection.close()

    ask()
    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert seen == [["carol"], ["carol"]]


def test_rows_are_locked_as_the_query_says(people: list[User]) -> None:
    @prepared("pk")
    def locked(pk: int) -> QuerySet[User]:
        return User.objects.select_for_update().filter(pk=pk)

    with transaction.atomic(), CaptureQueriesContext(connection) as sent:
        for person in people[:2]:
            assert locked(pk=person.pk) == [person]
    assert all(("FOR UPDATE" in one["sql"]) == connection.features.has_select_for_update for one in sent)


def test_what_is_in_no_condition_is_named() -> None:
    @prepared("pk", "other")
    def lost(pk: int, other: int) -> QuerySet[User]:
        return User.objects.filter(pk=pk)

    with pytest.raises(ValueError, match="other"):
        lost(pk=1, other=2)


def test_few_variants_are_kept(people: list[User], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 2)

    @prepared("name")
    def some(name: str, count: int) -> QuerySet[User]:
        return User.objects.filter(username=name)[:count]

    for count in range(1, 6):
        assert some(name="bob", count=count) == [people[1]]
    assert len(vars(module._own)["kept"][some.__wrapped__]) == 2  # type: ignore[attr-defined]  # as above


@prepared_update("pk", "more")
def raised(pk: int, more: int, caller: str) -> Update:
    changes = {"status": F("status") + Value(more), "caller": caller, "created": Now() + timedelta(days=1)}
    return IdempotencyRecord.objects.filter(pk=pk), changes


def record(number: int) -> IdempotencyRecord:
    return IdempotencyRecord.objects.create(caller="a", key=str(number), fingerprint="", status=number)


@pytest.mark.parametrize("flushed", [True, False])
def test_an_update_changes_what_it_names(*, flushed: bool) -> None:
    first, second, third, other = map(record, range(4))
    for more, (row, caller) in enumerate([(first, "b"), (second, "b"), (third, "%s")], 10):
        with CaptureQueriesContext(connection) as sent:
            assert raised(pk=row.pk, more=more, caller=caller, flushed=flushed) == 1
        assert len(sent) == 1
    assert raised(pk=other.pk + 1, more=1, caller="c", flushed=flushed) == 0
    rows = IdempotencyRecord.objects.order_by("key").values_list("status", "caller")
    assert list(rows) == [(10, "b"), (12, "b"), (14, "%s"), (3, "a")]
    first.refresh_from_db()
    assert first.created > timezone.now() + timedelta(hours=23)


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite does not wait for its disk")
def test_only_an_update_that_says_so_commits_lazily(transactional_db: None) -> None:
    for flushed, told in ((True, "on"), (False, "off")):
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL synchronous_commit = on")  # as a server has it
            raised(pk=record(flushed).pk, more=1, caller="c", flushed=flushed)
            cursor.execute("SHOW synchronous_commit")
            assert cursor.fetchone() == (told,)
