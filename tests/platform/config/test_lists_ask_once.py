"""Every list of the API asks the database as often for fifty rows as for five. The lists are those of the schema, so a
new one fails until `tests.lists` fills it."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient
from tests.lists import LISTS, NOT_ROWS, paged_lists

pytestmark = [pytest.mark.django_db, pytest.mark.both]

FEW, MANY = 5, 50


def asked(api: APIClient, address: str) -> tuple[int, int]:
    """How many rows a page of 100 has, and how many queries it took."""
    with CaptureQueriesContext(connection) as queries:
        answer = api.get(address, {"limit": 100} if "?" not in address else None)
    assert answer.status_code == 200, answer.content
    return len(answer.json()["results"]), len(queries)


def test_each_list_of_the_schema_is_filled_or_no_rows() -> None:
    assert set(paged_lists()) == set(LISTS) | set(NOT_ROWS)


@pytest.mark.parametrize("operation", sorted(LISTS))
def test_fifty_rows_take_as_many_queries_as_five(operation: str, api: APIClient) -> None:
    address, make = LISTS[operation]()
    make(FEW)
    asked(api, address)  # what is looked up once for the process
    few, at_first = asked(api, address)
    make(MANY - FEW)
    many, then = asked(api, address)
    assert (many > few, then) == (True, at_first)
