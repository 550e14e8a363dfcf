"""A long list in a query is the list."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from accounts.models import User
from accounts.services import first_project
from catalog.models import Dataset, Sample
from core.list_parameters import listed

pytestmark = [pytest.mark.django_db, pytest.mark.both]
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=9)


@given(kept=st.sets(TEXT, max_size=6), asked=st.lists(TEXT, max_size=9))
@settings(max_examples=examples(30))
def test_what_is_listed_is_found(alice: User, kept: set[str], asked: list[str]) -> None:
    name = f"d{Dataset.objects.count()}"
    dataset = Dataset.objects.create(
        name=name, task="classification", classes=[], created_by=alice, project=first_project()
    )
    rows = Sample.objects.bulk_create([Sample(dataset=dataset, key=key) for key in sorted(kept)])
    asked = [*asked, *sorted(kept)[:2]]
    found = dataset.samples.filter(key__in=listed(asked))
    assert sorted(row.key for row in found) == sorted(kept & set(asked))
    ids = [row.pk for row in rows[::2]]
    assert sorted(dataset.samples.filter(pk__in=listed(ids)).values_list("pk", flat=True)) == ids
