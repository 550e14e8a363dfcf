"""The `var/` folder, which holds all data of the embedded profile, and the secrets made once for it."""

import hashlib
import json
import os
import secrets
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path

from embedded.ports import free_ports, pair_is_free
from embedded.private import write_private

SOCKET_BYTES = 100  # longest path of a socket; systems allow a few more bytes


def project_root() -> Path:
    """Return the checkout: the folder that holds manage.py and the shelves."""
    return Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Secrets:
    """Secrets made once per `var/`; none of them is shown in a repr, an argv or a log."""

    django_key: str = field(repr=False)
    s3_access_key: str = field(repr=False)
    s3_secret_key: str = field(repr=False)
    broker_password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports of 127.0.0.1; only `web` is for people."""

    web: int
    broker: int
    s3: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Names of the files and folders below one `var/`."""

    var: Path

    @property
    def logs(self) -> Path:
        return self.var / "log"

    @property
    def token(self) -> Path:
        return self.var / "token"

    @property
    def lock(self) -> Path:
        return self.var / "supervisor.lock"

    @property
    def state(self) -> Path:
        return self.var / "supervisor.json"

    @property
    def kept_databases(self) -> Path:
        """The folder with copies of the database from before upgrades."""
        return self.var / "before-upgrades"

    @property
    def web_socket(self) -> Path:
        """The socket on which the web server listens to its front. A socket's path must be short: if it would be too
        long below `var/`, the socket is in the system's folder for this user's sockets."""
        path = self.var / "web.sock"
        if len(os.fsencode(path)) < SOCKET_BYTES:
            return path
        run = Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir())
        return run / f"motherlode-{hashlib.sha256(os.fsencode(path)).hexdigest()[:16]}" / "web.sock"

    def prepare(self) -> None:
        """Creates the folders, readable by their owner only."""
        for folder in (self.var, self.logs, self.var / "redis", self.var / "cache", self.web_socket.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self.web_socket.parent.stat().st_uid != os.getuid():
            raise SystemExit(f"{self.web_socket.parent} is somebody else's: set MOTHERLODE_VAR to a shorter path.")

    def secrets(self) -> Secrets:
        """The secrets of this `var/`, made at the first call (file mode 0600)."""
        path = self.var / "secrets.json"
        if path.is_file():
            return Secrets(**json.loads(path.read_text(encoding="utf-8")))
        made = Secrets(
            django_key=secrets.token_urlsafe(50),
            s3_access_key=secrets.token_hex(10),
            s3_secret_key=secrets.token_urlsafe(30),
            broker_password=secrets.token_urlsafe(30),
        )
        write_private(path, json.dumps(asdict(made), indent=1))
        return made

    def ports(self, *, web: int) -> Ports:
        """Choose the ports: the internal ones of the last start if they are still free, so that earlier clients still
        find them."""
        path = self.var / "ports.json"
        known = self.last_ports()
        broker = _free_port(known.get("broker"), avoid=(web,))
        chosen = Ports(web=web, broker=broker, s3=_free_port(known.get("s3"), avoid=(web, broker)))
        write_private(path, json.dumps(asdict(chosen), indent=1))
        return chosen

    def last_ports(self) -> dict[str, int]:
        """Return the ports of the last start by name, which a running platform still uses; empty if it never ran."""
        path = self.var / "ports.json"
        known: dict[str, int] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        return known


def _free_port(wanted: int | None, *, avoid: tuple[int, ...]) -> int:
    if wanted is not None and wanted not in avoid and pair_is_free(wanted):
        return wanted
    return free_ports(1, avoid=avoid)[0]
