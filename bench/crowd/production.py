"""The production profile on this machine: a database, queues and an object store of its own, web, workers and beat as
deploy/compose.yaml has them, and nginx with deploy/nginx.conf in front."""

import os
import secrets
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import psycopg
from kombu import Connection

from bench.crowd.deployed import (
    NAME,
    Places,
    certificate,
    program,
    proxy_command,
    required,
    services,
    web_command,
)
from bench.labeling.servers import database
from embedded import seaweed
from embedded.environment import SHELVES
from embedded.layout import project_root
from embedded.ports import free_ports, port_is_free
from embedded.setup.browser import find_proxy

QUEUES = ("clock", "compute", "gpu", "default")
START_SECONDS, STOP_SECONDS = 120.0, 20.0
SHOWN_BYTES = 3000


@dataclass(slots=True)
class Production:
    """A running platform. `port` is the proxy's for TLS; `compute` ends worker-compute and starts it anew with so many
    slots."""

    folder: Path
    database: str
    port: int
    processes: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)
    compute: Callable[[int], None] = field(init=False)

    @property
    def origin(self) -> str:
        return f"https://{NAME}:{self.port}"

    @property
    def certificate(self) -> Path:
        return certificate(self.folder)

    @property
    def token(self) -> str:
        """The owner's."""
        return (self.folder / "token").read_text().strip()

    def check(self, _: object = None) -> None:
        """Raise SystemExit when one of its processes has ended."""
        for name, process in self.processes.items():
            if process.poll() is not None:
                said = (self.folder / f"{name}.log").read_text(errors="replace")[-SHOWN_BYTES:]
                raise SystemExit(f"{name} ended with {process.returncode}:\n{said}")


@contextmanager
def running(folder: Path, *, server: str, broker: str, more: Mapping[str, str] | None = None) -> Iterator[Production]:
    """A fresh platform with its files below `folder` and `more` variables in the environment of its processes; all of
    it is gone at the end. Raises SystemExit saying which server is missing."""
    nginx = _needed(server, broker)
    prefix = f"crowd-{os.getpid()}-"
    web, tls, plain, store_tls = free_ports(4)
    s3 = seaweed.SeaweedConfig.on_free_ports(
        folder / "s3",
        access_key="crowd",
        secret_key=secrets.token_hex(16),
        allowed_origins=f"https://{NAME}:{tls}",
    )
    given = dict.fromkeys(required(), secrets.token_hex(32)) | {
        "MOTHERLODE_HOST": NAME,
        "MOTHERLODE_ORIGIN": f"https://{NAME}:{tls}",
        "MOTHERLODE_S3_PUBLIC_ENDPOINT": f"https://{NAME}:{store_tls}",
        "MOTHERLODE_S3_ENDPOINT": s3.endpoint,
        "S3_ACCESS_KEY": s3.access_key,
        "S3_SECRET_KEY": s3.secret_key,
    }
    places = Places(plain, tls, store_tls, web, s3.endpoint.partition("://")[2])
    with ExitStack() as stack:
        url = stack.enter_context(database(server, "crowd"))
        stack.callback(_queues_removed, broker, prefix)
        own = {"MOTHERLODE_DATABASE_URL": url, "MOTHERLODE_BROKER_URL": broker, "MOTHERLODE_QUEUE_PREFIX": prefix}
        made = _Starting(stack, Production(folder, url, tls), services(given), {**own, **(more or {})})
        made.site.compute = made.compute
        command, environment, cwd = seaweed.command(s3)
        made.start("object-store", command, environment=environment, cwd=cwd)
        seaweed.wait_ready(s3)
        made.prepare()
        made.start("web", web_command(web), service="web", port=web)
        for name in ("worker-compute", "worker-light", "worker-clock", "beat"):
            made.start(name, made.celery(name), service=name)
        made.start("proxy", proxy_command(nginx, folder, places), environment=dict(os.environ), port=tls)
        yield made.site


@dataclass(slots=True)
class _Starting:
    """The services of compose, with what `own` says instead of their environment, started one by one."""

    stack: ExitStack
    site: Production
    services: Mapping[str, Any]
    own: Mapping[str, str]

    def environment(self, service: str) -> dict[str, str]:
        """That of compose and the image, without what this benchmark was started with."""
        root, folder = project_root(), self.site.folder
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("MOTHERLODE_", "OTEL_"))}
        composed = {name: str(value) for name, value in self.services[service]["environment"].items()}
        image = {
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "PYTHONPATH": os.pathsep.join(str(root / shelf) for shelf in SHELVES),
            "PYTHONUNBUFFERED": "1",
            "MOTHERLODE_VAR": str(folder),
            "MOTHERLODE_CACHE_DIR": str(folder / "cache"),
        }
        return {**kept, **composed, **image, **self.own}

    def prepare(self) -> None:
        """The tables and the owner; nobody here asks for static files."""
        (self.site.folder / "static").mkdir()
        command = [program("python"), "manage.py", "prepare", "--no-static"]
        environment = self.environment("web")
        done = subprocess.run(command, cwd=project_root(), env=environment, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"prepare failed:\n{done.stdout[-SHOWN_BYTES:]}{done.stderr[-SHOWN_BYTES:]}")

    def compute(self, slots: int) -> None:
        """The worker that scores and trains, with so many slots in place of those it had."""
        command, name = self.celery("worker-compute"), "worker-compute"
        command[command.index("-c") + 1] = str(slots)
        _stop(self.site.processes[name])
        self.start(name, command, service=name)

    def celery(self, service: str) -> list[str]:
        """The command of a worker or of beat, on queues of our own."""
        command = [str(word) for word in self.services[service]["command"]]
        command[0] = program(command[0])
        if "-Q" in command:
            at, prefix = command.index("-Q") + 1, self.own["MOTHERLODE_QUEUE_PREFIX"]
            command[at] = ",".join(prefix + queue for queue in command[at].split(","))
        return command

    def start(
        self,
        name: str,
        argv: Sequence[str],
        *,
        service: str = "",
        environment: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        port: int = 0,
    ) -> None:
        """Start a process in a session of its own, so that Ctrl-C ends it in its turn; wait until its port is open."""
        env = self.environment(service) if environment is None else dict(environment)
        with (self.site.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                argv, cwd=cwd or project_root(), env=env, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )
        if name not in self.site.processes:
            self.stack.callback(lambda: _stop(self.site.processes[name]))
        self.site.processes[name] = process
        deadline = time.monotonic() + START_SECONDS
        while port and port_is_free(port):
            self.site.check()
            if time.monotonic() > deadline:
                raise SystemExit(f"{name} did not listen within {START_SECONDS:.0f} s")
            time.sleep(0.1)


def _needed(server: str, broker: str) -> str:
    """The path of nginx. Raises SystemExit where it or a server is not there."""
    try:
        psycopg.connect(f"{server}/postgres", connect_timeout=5).close()
    except psycopg.Error as fault:
        raise SystemExit(f"No PostgreSQL answers (--server names one): {fault}") from fault
    connection = Connection(broker, connect_timeout=5)
    try:
        connection.connect()
    except (*connection.connection_errors, *connection.channel_errors) as fault:  # a wrong password is the latter
        raise SystemExit(f"No RabbitMQ answers (--broker names one): {fault}") from fault
    finally:
        connection.release()
    if (nginx := find_proxy()) is None:
        raise SystemExit("There is no nginx on PATH, and the promise is about the proxy of deploy/.")
    return nginx


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """A worker with a task gives it back at SIGQUIT; nothing of the group is left."""
    with suppress(ProcessLookupError):
        for number, patience in ((signal.SIGTERM, 3.0), (signal.SIGQUIT, STOP_SECONDS)):
            process.send_signal(number)
            with suppress(subprocess.TimeoutExpired):
                process.wait(patience)
                break
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _queues_removed(broker: str, prefix: str) -> None:
    with Connection(broker) as connection:
        for queue in QUEUES:
            for remove in ("queue_delete", "exchange_delete"):
                getattr(cast(Any, connection.channel()), remove)(prefix + queue)
