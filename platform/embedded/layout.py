"""The `var/` folder: where everything that the embedded profile keeps lies, and the secrets made once for it."""

import json
import secrets
from dataclasses import asdict, dataclass, field
from pathlib import Path

from embedded.private import write_private
from embedded.seaweed import GRPC_OFFSET, free_ports, port_is_free


def project_root() -> Path:
    """The checkout: the folder that holds manage.py and the shelves."""
    return Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Secrets:
    """Made once per `var/`; none of them is shown in a repr, an argv or a log."""

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

    def prepare(self) -> None:
        """Creates the folders, readable by their owner only."""
        for folder in (self.var, self.logs, self.var / "redis", self.var / "cache"):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

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
        """The inner ports of the last start where they are still free, so that clients of yesterday find them again."""
        path = self.var / "ports.json"
        known: dict[str, int] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        broker = _free_port(known.get("broker"), avoid=(web,))
        chosen = Ports(web=web, broker=broker, s3=_free_port(known.get("s3"), avoid=(web, broker)))
        write_private(path, json.dumps(asdict(chosen), indent=1))
        return chosen


def _free_port(wanted: int | None, *, avoid: tuple[int, ...]) -> int:
    if wanted is not None and wanted not in avoid and port_is_free(wanted) and port_is_free(wanted + GRPC_OFFSET):
        return wanted
    return free_ports(1, avoid=avoid)[0]
