"""`manage.py bootstrap`: the bucket, the owner and the token file, made once and mended when lost."""

from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import override_settings
from rest_framework.test import APIClient

from accounts.models import Token, User

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("object_store")]


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    return tmp_path / "var" / "token"


def bootstrap(token_file: Path) -> str:
    with override_settings(VAR_DIR=token_file.parent):
        call_command("bootstrap", verbosity=0)
    return token_file.read_text().strip()


def test_the_owners_token_lies_in_a_file_that_only_they_can_read(token_file: Path) -> None:
    secret = bootstrap(token_file)
    assert token_file.stat().st_mode & 0o777 == 0o600
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    assert client.get("/session").json()["user"]["role"] == "owner"


def test_a_second_time_changes_nothing(token_file: Path) -> None:
    assert bootstrap(token_file) == bootstrap(token_file)
    assert (User.objects.count(), Token.objects.count()) == (1, 1)


def test_a_lost_or_foreign_token_file_is_written_anew(token_file: Path) -> None:
    first = bootstrap(token_file)
    token_file.unlink()
    second = bootstrap(token_file)
    token_file.write_text("from another database\n")
    token_file.chmod(0o644)
    third = bootstrap(token_file)
    assert len({first, second, third}) == 3
    assert token_file.stat().st_mode & 0o777 == 0o600
    assert User.objects.count() == 1
