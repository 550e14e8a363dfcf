"""The embedded S3 server: private, on this machine only, and the same after a restart."""

import socket
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
import urllib3
from tests.s3_server import running

from blobs.store import BlobStore, StoreConfig
from embedded.seaweed import HOST, SeaweedConfig, SeaweedError, command, free_ports, wait_ready


def config_for(folder: Path, *, s3_port: int | None = None) -> SeaweedConfig:
    return SeaweedConfig.on_free_ports(
        folder / "data", access_key="owner", secret_key="not-a-real-one", s3_port=s3_port
    )


def status(url: str, method: str = "GET") -> int:
    with urllib3.PoolManager(retries=False) as http:
        return http.request(method, url).status


def test_a_restart_finds_the_same_bytes_on_the_same_ports_and_strangers_nothing(tmp_path: Path) -> None:
    config = config_for(tmp_path)
    store = BlobStore(StoreConfig(f"{HOST}:{config.s3_port}", "owner", "not-a-real-one", "kept-bytes", secure=False))
    with running(config, log=tmp_path / "log") as process:
        store.ensure_bucket()
        ref = store.put_bytes(b"kept over a restart")
        listening = [place for place in psutil.Process(process.pid).net_connections("inet") if place.status == "LISTEN"]
        assert {place.laddr.ip for place in listening} == {HOST}
        assert {place.laddr.port for place in listening} >= {config.s3_port, config.filer_port}
        assert status(f"{config.endpoint}/kept-bytes/{ref.key}") == 403
        for method in ("GET", "DELETE"):
            assert status(f"http://{HOST}:{config.filer_port}/buckets/kept-bytes/{ref.key}", method) == 401
    again = config_for(tmp_path)
    assert again.ports == config.ports
    with running(again, log=tmp_path / "log"):
        assert BlobStore(store.config).get(ref) == b"kept over a restart"


def test_its_secrets_are_files_of_the_owner_only(tmp_path: Path) -> None:
    config = config_for(tmp_path)
    argv, env, cwd = command(config)
    assert cwd == config.data_dir
    assert {path.stat().st_mode & 0o777 for path in cwd.iterdir()} == {0o600}
    assert config.secret_key not in " ".join(argv) + " ".join(env.values()) + repr(config)
    assert "-master.telemetry=false" in argv
    assert not list(tmp_path.glob("data/.s3.json*"))


def test_a_port_that_is_taken_is_replaced_but_a_given_one_is_kept(tmp_path: Path) -> None:
    config = config_for(tmp_path)
    command(config)
    with socket.socket() as taken:
        taken.bind((HOST, config.master_port))
        taken.listen()
        again = config_for(tmp_path)
        assert again.master_port != config.master_port
        assert again.volume_port == config.volume_port
    (given,) = free_ports(1)
    assert config_for(tmp_path, s3_port=given).s3_port == given


def test_ports_that_cannot_work_are_named(tmp_path: Path) -> None:
    config = config_for(tmp_path)
    with pytest.raises(SeaweedError, match="60000"):
        replace(config, filer_port=60_000)
    with pytest.raises(SeaweedError, match="differ"):
        replace(config, filer_port=config.s3_port)


def test_a_server_that_does_not_come_up_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SeaweedError, match="not ready after"):
        wait_ready(config_for(tmp_path), timeout=0.3)
