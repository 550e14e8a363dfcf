"""A row written by hand-made statements is the row that Django would have written."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from accounts.models import Preferences, Token, User
from core.models import IdempotencyRecord
from core.rows import insert_row, save_fields

pytestmark = [pytest.mark.django_db, pytest.mark.both]
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | TEXT, lambda one: st.dictionaries(TEXT, one), max_leaves=4
)
quiet = settings(max_examples=examples(30))


def values(row: Any) -> dict[str, Any]:
    return {field.name: getattr(row, field.attname) for field in row._meta.concrete_fields}


@quiet
@given(name=TEXT, used=st.none() | st.datetimes(timezones=st.just(UTC)))
def test_an_inserted_row_comes_back_as_it_was(alice: User, name: str, used: datetime | None) -> None:
    row = Token(user=alice, name=name, digest=f"{Token.objects.count():064d}", last_used=used)
    insert_row(row)
    assert not row._state.adding
    assert row.created is not None
    assert values(Token.objects.get(pk=row.pk)) == values(row)


@quiet
@given(document=st.dictionaries(TEXT, JSON))
def test_saved_fields_come_back_and_the_others_stay(alice: User, document: dict[str, Any]) -> None:
    row, _ = Preferences.objects.update_or_create(user=alice, defaults={"document": {}})
    row.document = document
    assert save_fields(row, "document")
    assert Preferences.objects.get(pk=row.pk).document == document
    alice.first_name, alice.last_name = "not", "written"
    assert save_fields(alice, "first_name", "is_owner")
    kept = User.objects.get(pk=alice.pk)
    assert (kept.first_name, kept.last_name, kept.is_owner) == ("not", "", True)


@quiet
@given(body=st.binary(max_size=40), status=st.integers(0, 599))
def test_bytes_are_bytes(body: bytes, status: int) -> None:
    row = IdempotencyRecord(
        caller="c", key=f"k{IdempotencyRecord.objects.count()}", fingerprint="", created=datetime.now(UTC)
    )
    insert_row(row)
    row.body, row.status = body, status
    assert save_fields(row, "body", "status")
    kept = IdempotencyRecord.objects.get(pk=row.pk)
    assert (bytes(kept.body), kept.status) == (body, status)


def test_each_is_one_statement(alice: User) -> None:
    with CaptureQueriesContext(connection) as queries:
        insert_row(Token(user=alice, name="x", digest="d"))
        save_fields(alice, "first_name", "last_name", "email")
    assert len(queries) == 2


def test_a_row_that_has_gone_is_told(alice: User) -> None:
    row = Token(user=alice, name="x", digest="d")
    insert_row(row)
    Token.objects.filter(pk=row.pk).delete()
    assert not save_fields(row, "name")


def test_what_a_constraint_forbids_raises(alice: User) -> None:
    insert_row(Token(user=alice, name="x", digest="d"))
    with pytest.raises(IntegrityError), transaction.atomic():
        insert_row(Token(user=alice, name="y", digest="d"))


def test_what_a_constraint_forbids_can_be_skipped(alice: User) -> None:
    assert insert_row(Token(user=alice, name="x", digest="d"), skip_conflicts=True)
    row = Token(user=alice, name="y", digest="d")
    assert not insert_row(row, skip_conflicts=True)
    assert row._state.adding
    assert Token.objects.get(digest="d").name == "x"
