"""The processes of the embedded profile, stage by stage: object store and broker, then web, workers and beat."""

import os
import signal
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from embedded import valkey
from embedded.environment import settings_environment, worker_environment
from embedded.front import LIVE_PLACES, MOST_CLIENTS
from embedded.layout import Layout, Ports, Secrets
from embedded.ports import HOST
from embedded.private import write_private
from embedded.process import ProcessSpec, Renewal
from embedded.seaweed import SeaweedConfig, SeaweedError, command, wait_ready
from embedded.setup.stamps import digest_of
from embedded.supervisor import Stage, Task

# A worker gives its shards back when its grace is over (`jobs.draining`), which takes a moment.
WORKER_GRACE = 2.0
WORKER_STOP = ((signal.SIGTERM, WORKER_GRACE + 4.0),)
LIGHT_SLOTS = 2  # one is left for what somebody waits for while the other publishes
WEB_THREADS = 8
OVERLAP_SECONDS = 10  # a replaced process of the web serves on until the new one has started
MOST_STREAMS = WEB_THREADS // 2  # requests that hold a thread while their long bodies come: others must find one free
TASK_SECONDS = 6 * 3600.0  # the migrations of a large database take long


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The inputs from which the process specs are computed."""

    root: Path
    layout: Layout
    ports: Ports
    secrets: Secrets
    inherited: Mapping[str, str]
    cores: int
    compute_slots: int = 2

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.ports.web}"

    @property
    def environment(self) -> dict[str, str]:
        made = settings_environment(root=self.root, var=self.layout.var, ports=self.ports, secrets=self.secrets)
        return {**self.inherited, **made}

    def stages(self) -> list[Stage]:
        return [
            [self.object_store(), self.broker()],
            self.prepare(),
            [self._web(), self._front(), *self._workers(), self._beat()],
        ]

    @property
    def _web_workers(self) -> int:
        return max(2, self.cores // 2)

    def object_store(self) -> ProcessSpec:
        """The S3 server, which a backup needs as well when nothing else runs."""
        config = SeaweedConfig.on_free_ports(
            self.layout.var / "s3",
            access_key=self.secrets.s3_access_key,
            secret_key=self.secrets.s3_secret_key,
            s3_port=self.ports.s3,
            allowed_origins=f"{self.address},http://localhost:{self.ports.web}",
        )
        argv, env, cwd = command(config)

        def ready(_log: str) -> bool:
            try:
                wait_ready(config, timeout=0.2)
            except SeaweedError:
                return False
            return True

        return ProcessSpec(
            name="object-store",
            argv=argv,
            env=env,
            cwd=cwd,
            ready=ready,
            stop_signals=((signal.SIGTERM, 8.0),),  # it writes its indexes out, in 2 to 5 seconds
            place=f"S3 on {HOST}:{self.ports.s3}",
        )

    def broker(self) -> ProcessSpec:
        """The Valkey server of a wheel; the password is in a file, because everyone can read an argv."""
        data = self.layout.var / "redis"
        settings = {
            "bind": HOST,
            "port": self.ports.broker,
            "requirepass": self.secrets.broker_password,
            "dir": f'"{data}"',
            "appendonly": "yes",
            "save": '""',
            "maxmemory-policy": "noeviction",
            "daemonize": "no",
        }
        config = data / "redis.conf"
        write_private(config, "".join(f"{name} {value}\n" for name, value in settings.items()))
        return ProcessSpec(
            name="broker",
            argv=[str(valkey.binary()), str(config)],
            env={"PATH": os.defpath},
            cwd=data,
            ready=lambda log: "Ready to accept connections" in log,
            place=f"Valkey on {HOST}:{self.ports.broker}",
        )

    def prepare(self, *, serving: bool = False) -> Task:
        """The task that makes the tables, the owner, and the static files: collecting these takes seconds, so only when
        the built application or a package with static files changed. `serving`: while the processes run that need
        the static files of before."""
        dist = self.root / "frontend" / "dist"
        names = [
            f"{path.relative_to(dist)} {path.stat().st_size}" for path in sorted(dist.rglob("*")) if path.is_file()
        ]
        key = digest_of(*names, dist / "index.html", self.root / "requirements" / "runtime.lock")
        stamp = self.layout.var / "static.stamp"
        collected = stamp.is_file() and stamp.read_text() == key and (self.layout.var / "static").is_dir()
        argv = [sys.executable, str(self.root / "manage.py"), "prepare", "--keep", str(self.layout.kept_databases)]
        argv += ["--no-static"] if collected else ["--serving"] if serving else []
        spec = ProcessSpec(
            name="prepare", argv=argv, env=self.environment, cwd=self.root, ready_seconds=TASK_SECONDS,
            place="tables, owner, static files",
        )  # fmt: skip
        return Task(spec, done=lambda: stamp.write_text(key))

    def _web(self) -> ProcessSpec:
        socket = self.layout.web_socket
        argv = [_program("granian"), "--interface", "wsgi", "--uds", str(socket), "--uds-permissions", "0o600"]
        argv += ["--http", "1", "--no-ws", "--workers", str(self._web_workers)]
        argv += ["--backpressure", str(MOST_CLIENTS)]
        argv += ["--respawn-failed-workers", "--respawn-interval", str(OVERLAP_SECONDS), "config.wsgi:application"]
        return ProcessSpec(
            name="web",
            argv=argv,
            env={**self.environment, "GRANIAN_BLOCKING_THREADS": str(WEB_THREADS)},
            cwd=self.root,
            prepare=lambda: socket.unlink(missing_ok=True),  # a killed server leaves it behind
            ready=lambda _log: _answers(f"{self.address}/health/live"),
            renewal=Renewal.RELOAD,
            place="behind the front",
        )

    def _front(self) -> ProcessSpec:
        argv = [sys.executable, "-m", "embedded.front", "--port", str(self.ports.web)]
        argv += ["--socket", str(self.layout.web_socket), "--streams", str(MOST_STREAMS)]
        argv += ["--requests", str(self._web_workers * WEB_THREADS - LIVE_PLACES)]
        argv += ["--waiting", str(self.layout.var / "metrics" / "front")]
        return ProcessSpec(
            name="front",
            argv=argv,
            env={"PATH": os.defpath, "PYTHONPATH": str(self.root / "platform")},
            cwd=self.root,
            ready=lambda log: "listening on" in log,
            place=self.address,
        )

    def _workers(self) -> list[ProcessSpec]:
        """The workers: light work and the sweeps have workers of their own, so that they never wait behind a
        training (`jobs.lanes`)."""
        env = worker_environment(self.environment, cores=self.cores, slots=self.compute_slots)
        env["MOTHERLODE_WORKER_GRACE_SECONDS"] = str(WORKER_GRACE)
        return [
            self._worker("compute", queues="compute,gpu", slots=self.compute_slots, env=env),
            self._worker("light", queues="default", slots=LIGHT_SLOTS, env=env),
            self._worker("clock", queues="clock", slots=1, env=env),
        ]

    def _worker(self, name: str, *, queues: str, slots: int, env: Mapping[str, str]) -> ProcessSpec:
        argv = [*_celery("worker"), "--hostname", f"{name}@%h", "--queues", queues, "--concurrency", str(slots)]
        argv += ["--prefetch-multiplier", "1", "-O", "fair", "--without-gossip", "--without-mingle"]
        return ProcessSpec(
            name=f"worker-{name}",
            argv=argv,
            env=env,
            cwd=self.root,
            ready=lambda log: " ready." in log,
            stop_signals=WORKER_STOP,
            renewal=Renewal.RESTART,
            place=f"{slots} at a time from {queues}",
        )

    def _beat(self) -> ProcessSpec:
        argv = [*_celery("beat"), "--pidfile="]
        return ProcessSpec(
            name="beat",
            argv=argv,
            env=self.environment,
            cwd=self.root,
            ready=lambda log: "beat: Starting..." in log,
            renewal=Renewal.RESTART,
            place="wakes what stands still",
        )


def _celery(program: str) -> list[str]:
    return [sys.executable, "-m", "celery", "-A", "config", program, "--loglevel", "INFO"]


def _program(name: str) -> str:
    """Return the path of a console program of this virtual environment."""
    return str(Path(sys.executable).with_name(name))


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2.0) as answer:  # noqa: S310  # an http:// address of our own
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
