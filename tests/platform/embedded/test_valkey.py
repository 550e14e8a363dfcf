"""The broker of the embedded profile: who may use it, and what it keeps."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import redis

from embedded.layout import Layout, project_root
from embedded.profile import Profile

SECONDS = 10.0


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    layout = Layout(tmp_path / "var")
    layout.prepare()
    ports, secrets = layout.ports(web=8000), layout.secrets()
    return Profile(root=project_root(), layout=layout, ports=ports, secrets=secrets, inherited={}, cores=2)


@contextmanager
def running(profile: Profile) -> Iterator[redis.Redis]:
    spec = profile.broker()
    url, ends = profile.environment["MOTHERLODE_BROKER_URL"], time.monotonic() + SECONDS
    with (
        subprocess.Popen(spec.argv, env=spec.env, cwd=spec.cwd, stdout=subprocess.DEVNULL) as server,
        redis.Redis.from_url(url, decode_responses=True) as client,
    ):
        while time.monotonic() < ends:
            with suppress(redis.ConnectionError):
                client.ping()
                break
            time.sleep(0.01)
        yield client
        server.terminate()


def test_it_asks_for_its_password_and_keeps_messages_over_a_restart(profile: Profile) -> None:
    with running(profile) as broker:
        broker.lpush("default", "one", "two")
        with redis.Redis(port=profile.ports.broker) as stranger, pytest.raises(redis.AuthenticationError):
            stranger.ping()
    with running(profile) as broker:
        assert broker.lrange("default", 0, -1) == ["two", "one"]


def test_it_takes_over_what_the_redis_of_a_release_before_left(profile: Profile) -> None:
    commands = [["SELECT", "0"], ["LPUSH", "default", "one"], ["HSET", "unacked", "tag", "two"]]
    words = (f"*{len(one)}\r\n" + "".join(f"${len(word)}\r\n{word}\r\n" for word in one) for one in commands)
    (profile.layout.var / "redis" / "appendonly.aof").write_text("".join(words), newline="")
    with running(profile) as broker:
        assert broker.lrange("default", 0, -1) == ["one"]
        assert broker.hgetall("unacked") == {"tag": "two"}
