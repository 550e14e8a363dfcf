"""Which commits wait for PostgreSQL's disk."""

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from core.flushing import LAZY_COMMIT, commit_lazily
from core.idempotency import claim, complete
from core.models import IdempotencyRecord

pytestmark = [pytest.mark.both, pytest.mark.django_db(transaction=True)]
ON_POSTGRES = pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite never waits")


def waits() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW synchronous_commit")
        return str(cursor.fetchone()[0])


def test_a_key_is_claimed_without_waiting_and_its_answer_kept_with_waiting():
    with CaptureQueriesContext(connection) as seen:
        record = claim(caller="c", key="k", fingerprint="f")
        complete(record, status=201, content_type="text/plain", body=b"done")
    claimed, completed = (query["sql"] for query in seen.captured_queries if "core_idempotency" in query["sql"])
    assert ("synchronous_commit" in claimed) == (connection.vendor == "postgresql")
    assert "synchronous_commit" not in completed
    assert bytes(claim(caller="c", key="k", fingerprint="f").body) == b"done"
    assert IdempotencyRecord.objects.count() == 1


def test_in_a_transaction_a_claim_does_not_speak_for_the_rest():
    with transaction.atomic(), CaptureQueriesContext(connection) as seen:
        claim(caller="c", key="k", fingerprint="f")
    assert not any(LAZY_COMMIT in query["sql"] for query in seen.captured_queries)


@ON_POSTGRES
def test_it_holds_for_one_transaction():
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit = on")  # as a server has it
    usual = waits()
    assert usual == "on"
    with transaction.atomic():
        commit_lazily()
        assert waits() == "off"
    assert waits() == usual
    connection.close()
