"""The embedded S3 server: private, on this machine only, and the same after a restart."""

import contextlib
import os
import shutil
import socket
import subprocess
import tomllib
from dataclasses import replace
from itertools import product
from pathlib import Path

import psutil
import pytest
import urllib3
from tests.s3_server import running

from blobs.store import BlobStore, StoreConfig
from embedded.ports import HOST, free_ports
from embedded.seaweed import SeaweedConfig, SeaweedError, binary, command, wait_ready


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
            assert status(f"http://{HOST}:{config.filer_port}/buckets/kept-bytes/{ref.key}", method) == 404
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


MASTERS = ("/dir/assign", "/dir/status", "/col/delete?collection=kept-bytes", "/vol/grow?count=1", "/vol/vacuum")
SHELL = "fs.ls /buckets/kept-bytes\nfs.rm -r /buckets/kept-bytes\ncollection.delete -collection kept-bytes -apply\n"


def test_nobody_else_on_the_machine_gets_past_the_credentials(tmp_path: Path) -> None:
    """Neither by HTTP to any of its ports, nor by a stock `weed shell`."""
    config = config_for(tmp_path)
    store = BlobStore(StoreConfig(f"{HOST}:{config.s3_port}", "owner", "not-a-real-one", "kept-bytes", secure=False))
    with running(config, log=tmp_path / "log"):
        store.ensure_bucket()
        ref = store.put_bytes(b"not for others")
        for address, method in product(MASTERS, ("GET", "POST")):
            assert status(f"http://{HOST}:{config.master_port}{address}", method) == 404
        for method in ("PUT", "POST", "DELETE"):
            assert status(f"http://{HOST}:{config.filer_port}/buckets/kept-bytes/mine", method) == 404
            assert status(f"http://{HOST}:{config.volume_port}/1,01637037d6", method) == 401
        stranger = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        program = tmp_path / "weed"
        shutil.copy(binary(), program)
        for folder in (tmp_path, *tmp_path.parents[:2]):
            folder.chmod(0o755)
        argv = [*stranger, str(program), "shell", f"-master={HOST}:{config.master_port}"]
        argv += [f"-filer={HOST}:{config.filer_port}"]
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(argv, input=SHELL.encode(), env={"HOME": "/nonexistent"}, cwd="/", timeout=8, check=False)
        assert store.get(ref) == b"not for others"


def test_the_server_of_compose_is_locked_like_this_one(tmp_path: Path) -> None:
    """By the flags and files that its entry makes; its ports are fixed, so it is not started here."""
    fixed = replace(config_for(tmp_path), name="object-store", bind="0.0.0.0")  # noqa: S104 - only written
    argv, _, cwd = command(fixed)
    assert {"-ip=object-store", "-ip.bind=0.0.0.0", "-disableHttp=true"} <= set(argv)
    told = tomllib.loads((cwd / "security.toml").read_text())
    assert all(told["jwt"][name]["key"] for name in ("signing", "filer_signing"))
    assert all(told["grpc"][part]["cert"] == told["grpc"]["ca"] for part in ("master", "volume", "filer", "s3"))
