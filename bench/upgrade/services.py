"""The services that a platform of any version needs: database, queues, object store, proxy and names."""

import os
import secrets
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, cast

from kombu import Connection

from bench.crowd.deployed import Places, proxy_command
from bench.labeling.servers import database
from bench.upgrade.names import NameServer
from bench.upgrade.tally import FORMAT
from embedded import seaweed
from embedded.ports import HOST, free_ports, port_is_free
from embedded.setup.browser import find_proxy

NAME = "web.test"
START_SECONDS = 30.0
QUEUES = ("compute", "gpu", "default")


@dataclass(frozen=True, slots=True)
class Services:
    """`variables` tell processes where these are; `port` is the one that web servers listen at, each on an address that
    `names` gives the proxy; `address` is the proxy's."""

    variables: Mapping[str, str]
    port: int
    names: NameServer
    address: str
    access_log: Path

    @classmethod
    @contextmanager
    def started(cls, folder: Path, *, server: str, broker: str) -> Iterator[Self]:
        """Start them in the folder; all are gone at the end. Raises SystemExit where there is no nginx."""
        web, port, plain, store_tls = free_ports(4)
        s3 = seaweed.SeaweedConfig.on_free_ports(folder / "s3", access_key="upgrade", secret_key=secrets.token_hex(16))
        prefix = f"upgrade-{os.getpid()}-{secrets.token_hex(2)}-"
        with ExitStack() as stack:
            url = stack.enter_context(database(server, f"upgrade_{secrets.token_hex(3)}"))
            stack.callback(_remove_queues, broker, prefix)
            argv, environment, cwd = seaweed.command(s3)
            _run(stack, argv, folder / "object-store.log", environment=environment, cwd=cwd)
            seaweed.wait_ready(s3)
            names = NameServer([])
            stack.callback(names.close)
            places = Places(plain, port, store_tls, web, s3.endpoint.partition("://")[2], NAME, names.place)
            _run(stack, _proxy(folder, places), folder / "proxy.log", environment=dict(os.environ), cwd=folder)
            _wait_for(port)
            yield cls(
                variables={
                    "MOTHERLODE_SECRET_KEY": secrets.token_hex(32),
                    "MOTHERLODE_DATABASE_URL": url,
                    "MOTHERLODE_BROKER_URL": broker,
                    "MOTHERLODE_QUEUE_PREFIX": prefix,
                    "MOTHERLODE_S3_ENDPOINT": s3.endpoint,
                    "MOTHERLODE_S3_ACCESS_KEY": s3.access_key,
                    "MOTHERLODE_S3_SECRET_KEY": s3.secret_key,
                    "MOTHERLODE_S3_BUCKET": "upgrade",
                    "MOTHERLODE_ALLOWED_HOSTS": "*",
                    "OMP_NUM_THREADS": "1",
                },
                port=web,
                names=names,
                address=f"http://{HOST}:{port}",
                access_log=folder / "access.log",
            )


def _proxy(folder: Path, places: Places) -> list[str]:
    """The command of nginx with deploy/nginx.conf, without TLS towards us, and with a log of each answer."""
    nginx = find_proxy()
    if nginx is None:
        raise SystemExit("There is no nginx on PATH, and what it answers meanwhile is what counts.")
    argv = proxy_command(nginx, folder, places)
    config = (folder / "nginx.conf").read_text()
    config = config.replace(f"listen {places.tls} ssl;", f"listen {HOST}:{places.tls};")
    log = f"log_format seen '{FORMAT}';\n  access_log {folder}/access.log seen;"
    (folder / "nginx.conf").write_text(config.replace("access_log off;", log))
    return argv


def _run(stack: ExitStack, argv: list[str], log: Path, *, environment: Mapping[str, str], cwd: Path) -> None:
    with log.open("wb") as output:
        process = subprocess.Popen(
            argv, cwd=cwd, env=dict(environment), stdout=output, stderr=output, start_new_session=True
        )

    def stop() -> None:
        process.terminate()
        process.wait()

    stack.callback(stop)


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while port_is_free(port):
        if time.monotonic() > deadline:
            raise SystemExit(f"nginx did not listen within {START_SECONDS:.0f} s")
        time.sleep(0.1)


def _remove_queues(broker: str, prefix: str) -> None:
    with Connection(broker) as connection:
        channel = cast(Any, connection.channel())
        for queue in QUEUES:
            channel.queue_delete(prefix + queue)
            channel.exchange_delete(prefix + queue)
