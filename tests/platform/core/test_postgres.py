"""PostgreSQL keeps the plans of few statements, and of no others."""

import pytest
from django.db import connection

from accounts.models import User
from core.prepared import prepared
from core.rows import save_fields

pytestmark = [
    pytest.mark.both,
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite keeps its statements itself"),
]


@prepared("pk")
def by_id(pk: int):
    return User.objects.filter(pk=pk)


def kept() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements")
        return [statement for (statement,) in cursor.fetchall()]


def test_prepared_queries_and_rows_are_kept(alice: User) -> None:
    for _ in range(3):
        assert by_id(pk=alice.pk) == [alice]
        save_fields(alice, "first_name")
    mine = [one for one in kept() if "accounts_user" in one]
    assert sorted(one.split()[0] for one in mine) == ["SELECT", "UPDATE"]


def test_other_statements_are_planned_each_time(alice: User) -> None:
    before = kept()
    for _ in range(20):
        assert list(User.objects.filter(username__in=["alice", *map(str, range(300))])) == [alice]
    assert kept() == before
