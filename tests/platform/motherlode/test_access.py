"""Where the client looks for the address and the token."""

from pathlib import Path

import pytest

from embedded.state import SupervisorState
from motherlode import MotherlodeError
from motherlode.access import find_token, find_url, token_origin


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("MOTHERLODE_URL", "MOTHERLODE_TOKEN", "PORT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MOTHERLODE_VAR", str(tmp_path))


def test_the_address_is_the_argument_then_the_environment_then_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_url() == "http://127.0.0.1:8000"
    monkeypatch.setenv("PORT", "9000")
    assert find_url() == "http://127.0.0.1:9000"
    monkeypatch.setenv("MOTHERLODE_URL", "https://lode.example")
    assert find_url() == "https://lode.example"
    assert find_url("http://other") == "http://other"


def test_a_checkout_finds_the_platform_that_it_started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`PORT=8130 make up` in one shell, `lode` in another."""
    state = SupervisorState(1, "http://127.0.0.1:8130", "ready")
    state.write(tmp_path / "supervisor.json")
    assert find_url() == "http://127.0.0.1:8130"
    monkeypatch.setenv("PORT", "9000")
    assert find_url() == "http://127.0.0.1:9000"
    monkeypatch.setenv("MOTHERLODE_URL", "https://lode.example")
    assert find_url() == "https://lode.example"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"address": 5}', '{"address": "8130"}', "\x00"])
def test_a_state_that_says_no_address_is_passed_over(tmp_path: Path, text: str) -> None:
    (tmp_path / "supervisor.json").write_text(text)
    assert find_url() == "http://127.0.0.1:8000"


def test_it_is_said_where_a_token_came_from(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert token_origin() == str(tmp_path / "token")
    monkeypatch.setenv("MOTHERLODE_TOKEN", "x")
    assert (token_origin(), token_origin("given")) == ("MOTHERLODE_TOKEN", "the call's `token`")


def test_the_token_is_the_argument_then_the_environment_then_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "token").write_text("from-file\n")
    assert find_token() == "from-file"
    monkeypatch.setenv("MOTHERLODE_TOKEN", "from-environment")
    assert find_token() == "from-environment"
    assert find_token("given") == "given"


def test_without_a_token_the_error_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(MotherlodeError, match="make up") as caught:
        find_token()
    assert caught.value.code == "token_missing"
    assert str(tmp_path / "token") in caught.value.detail


@pytest.mark.parametrize("token", ["schlüssel", "two\nlines", "\ufffd"])
def test_a_token_that_no_header_can_carry_is_told(token: str) -> None:
    with pytest.raises(MotherlodeError) as caught:
        find_token(token)
    assert caught.value.code == "token_malformed"


def test_a_file_of_bytes_is_no_token(tmp_path: Path) -> None:
    (tmp_path / "token").write_bytes(b"\xff\xfe")
    with pytest.raises(MotherlodeError, match="token_malformed"):
        find_token()


@pytest.mark.parametrize("empty", ["", " ", "\n"])
def test_an_empty_token_is_refused_and_not_the_owners(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, empty: str
) -> None:
    (tmp_path / "token").write_text("owner")
    monkeypatch.setenv("MOTHERLODE_TOKEN", empty)
    with pytest.raises(MotherlodeError, match="MOTHERLODE_TOKEN is empty: set it to a token, or unset it") as caught:
        find_token()
    assert (caught.value.code, token_origin()) == ("token_missing", "MOTHERLODE_TOKEN")
    monkeypatch.setenv("MOTHERLODE_TOKEN", "x")
    with pytest.raises(MotherlodeError, match=r"the call's `token` is empty: set it to a token$"):
        find_token(empty)
