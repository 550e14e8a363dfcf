"""What `var/` holds: secrets made once, ports remembered, both for their owner's eyes only."""

import socket
from pathlib import Path

import pytest

from embedded.environment import settings_environment, worker_environment
from embedded.layout import Layout, Ports, Secrets
from embedded.ports import HOST
from embedded.state import AlreadyRunningError, is_locked, take_lock


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    made = Layout(tmp_path / "var")
    made.prepare()
    return made


def test_secrets_are_made_once_and_only_their_owner_can_read_them(layout: Layout) -> None:
    first = layout.secrets()
    assert layout.secrets() == first
    assert (layout.var / "secrets.json").stat().st_mode & 0o777 == 0o600
    assert layout.var.stat().st_mode & 0o777 == 0o700


def test_two_installations_share_no_secret(tmp_path: Path) -> None:
    layouts = [Layout(tmp_path / name) for name in ("one", "two")]
    for one in layouts:
        one.prepare()
    first, second = (each.secrets() for each in layouts)
    assert first.django_key != second.django_key
    assert first.broker_password != second.broker_password
    assert first.s3_secret_key != second.s3_secret_key


def test_a_printed_secret_shows_nothing(layout: Layout) -> None:
    made = layout.secrets()
    assert made.broker_password not in repr(made)


def test_inner_ports_stay_the_same_between_starts(layout: Layout) -> None:
    first = layout.ports(web=8000)
    assert layout.ports(web=8000) == first
    assert len({first.web, first.broker, first.s3}) == 3


def test_an_inner_port_that_was_taken_meanwhile_is_replaced(layout: Layout) -> None:
    first = layout.ports(web=8000)
    with socket.socket() as thief:
        thief.bind((HOST, first.broker))
        thief.listen()
        second = layout.ports(web=8000)
    assert second.broker != first.broker
    assert second.s3 == first.s3


def test_one_lock_has_one_holder(layout: Layout) -> None:
    with take_lock(layout.lock):
        assert is_locked(layout.lock)
        with pytest.raises(AlreadyRunningError):
            take_lock(layout.lock)
    assert not is_locked(layout.lock)


def test_the_environment_names_all_that_the_settings_read() -> None:
    secrets = Secrets(django_key="k", s3_access_key="a", s3_secret_key="s", broker_password="p")
    made = settings_environment(
        root=Path("/srv/m"), var=Path("/srv/m/var"), ports=Ports(web=1, broker=2, s3=3), secrets=secrets
    )
    assert made["MOTHERLODE_DATABASE_URL"] == "sqlite:////srv/m/var/db.sqlite3"
    assert made["MOTHERLODE_BROKER_URL"] == "redis://:p@127.0.0.1:2/0"
    assert made["MOTHERLODE_S3_ENDPOINT"] == "http://127.0.0.1:3"
    assert made["PYTHONPATH"].split(":") == ["/srv/m/platform", "/srv/m/datasets", "/srv/m/models", "/srv/m/mining"]


@pytest.mark.parametrize(("cores", "slots", "threads"), [(2, 2, "1"), (16, 2, "8"), (1, 2, "1")])
def test_a_worker_gets_its_share_of_the_cores(cores: int, slots: int, threads: str) -> None:
    assert worker_environment({}, cores=cores, slots=slots)["OMP_NUM_THREADS"] == threads
