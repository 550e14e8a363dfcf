"""Label Studio as its documentation has it for many users: gunicorn and PostgreSQL, in an environment of its own."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from bench.labeling.driving import Line, Taken
from bench.labeling.servers import busy, database, serving
from embedded.ports import HOST, free_ports

FOLDER = Path("build/peers/label-studio")
PACKAGES = ("label-studio==1.23.2", "gunicorn==27.0.1")
WORKERS, THREADS = 2, 4
CONFIG = (
    '<View><Image name="image" value="$image"/><Choices name="choice" toName="image">'
    '<Choice value="a"/><Choice value="b"/></Choices></View>'
)
ANSWER = {"from_name": "choice", "to_name": "image", "type": "choices", "value": {"choices": ["a"]}}
# Its own environment runs this: an organisation of one owner and some annotators, and a token for each.
PEOPLE = """
import json, os, sys
import label_studio
sys.path.insert(0, os.path.dirname(label_studio.__file__))
import django
django.setup()
from organizations.models import Organization
from rest_framework.authtoken.models import Token
from users.models import User
owner = User.objects.create_user("owner@example.com", "a-long-password")
organization = Organization.create_organization(created_by=owner, title="bench")
organization.jwt.legacy_api_tokens_enabled = True
organization.jwt.save()
people = [owner] + [User.objects.create_user(f"a{n}@example.com", "a-long-password") for n in range(int(sys.argv[1]))]
for person in people:
    if person is not owner:
        organization.add_user(person)
    person.active_organization = organization
    person.save()
print(json.dumps([Token.objects.get_or_create(user=person)[0].key for person in people]))
"""


def installed() -> bool:
    """Label Studio is in FOLDER, not in the project's environment; False, the reason printed, where it can't be."""
    python = FOLDER / "bin" / "python"
    if not (FOLDER / "bin" / "gunicorn").is_file():
        print(f"installing {PACKAGES[0]} into {FOLDER} (minutes) ..", flush=True)
        for command in (
            [sys.executable, "-m", "venv", str(FOLDER)],
            [str(python), "-m", "pip", "install", "--quiet", *PACKAGES],
        ):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"  Label Studio was left out: {(done.stderr.strip().splitlines() or ['no reason'])[-1]}")
                return False
    return True


class LabelStudio:
    """A running Label Studio with one project."""

    def __init__(self, url: str, tokens: list[str], pid: int, db: str) -> None:
        self.name, self._db, self._pid = f"{PACKAGES[0].replace('==', ' ')}, gunicorn {WORKERS}×{THREADS}", db, pid
        self._owner, *self.lines = [Line(url, f"Token {token}") for token in tokens]
        self._project = 0

    def load(self, count: int) -> None:
        """Import tasks as JSON, and wait until the project counts all of them."""
        body = {"title": "bench", "label_config": CONFIG, "maximum_annotations": 1}
        self._project = self._owner.json("POST", "/api/projects/", body)["id"]
        tasks = [{"data": {"image": f"/data/{number:07d}.jpg"}} for number in range(count)]
        self._owner.ask("POST", f"/api/projects/{self._project}/import", tasks)
        while self._owner.json("GET", f"/api/projects/{self._project}/")["task_number"] < count:
            time.sleep(0.1)

    def take(self, line: Line) -> Taken:
        """Its own way to lock a task for a person."""
        return Taken(line.json("GET", f"/api/projects/{self._project}/next")["id"])

    def submit(self, line: Line, taken: Taken) -> None:
        """One choice."""
        line.ask("POST", f"/api/tasks/{taken.task}/annotations/", {"result": [ANSWER], "lead_time": 1.0})

    def export(self, *, everything: bool) -> int:
        """Its JSON."""
        chosen = f"exportType=JSON&download_all_tasks={str(everything).lower()}"
        return len(self._owner.json("GET", f"/api/projects/{self._project}/export?{chosen}"))

    def busy(self) -> float:
        """As the side's protocol has it."""
        return busy(self._pid, self._db)


@contextmanager
def running(folder: Path, server: str, *, people: int) -> Iterator[LabelStudio]:
    """A fresh Label Studio with so many annotators, on a database of its own."""
    python = str((FOLDER / "bin" / "python").absolute())  # not resolved: the link is what makes it the environment's
    (folder / "label-studio").mkdir(exist_ok=True)
    with database(server, "label_studio") as url:
        env = _environment(folder, url)
        place = Path(_run([python, "-c", "import label_studio; print(label_studio.__path__[0])"], env, folder).strip())
        _run([python, str(place / "manage.py"), "migrate", "--verbosity", "0"], env, folder)
        tokens = json.loads(_run([python, "-c", PEOPLE, str(people)], env, folder).splitlines()[-1])
        port = free_ports(1)[0]
        argv = [python, "-m", "gunicorn", "core.wsgi:application", "--workers", str(WORKERS), "--threads", str(THREADS)]
        argv += ["--bind", f"{HOST}:{port}", "--timeout", "300"]
        address = f"http://{HOST}:{port}"
        with serving(argv, env=env, folder=place, log=folder / "label-studio.log", ready=f"{address}/health") as pid:
            yield LabelStudio(address, tokens, pid, url)


def _environment(folder: Path, url: str) -> dict[str, str]:
    parts = urlsplit(url)
    quiet = {"COLLECT_ANALYTICS": "0", "LATEST_VERSION_CHECK": "0", "SENTRY_DSN": "", "FRONTEND_SENTRY_DSN": ""}
    place = {
        "POSTGRE_NAME": parts.path.strip("/"), "POSTGRE_USER": parts.username or "", "POSTGRE_PORT": str(parts.port),
        "POSTGRE_PASSWORD": parts.password or "", "POSTGRE_HOST": parts.hostname or "", "DJANGO_DB": "default",
    }  # fmt: skip
    return {
        **{
            name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "DJANGO", "MOTHERLODE"))
        },
        **quiet,
        **place,
        "DEBUG": "0",
        "LOG_LEVEL": "ERROR",
        "LABEL_STUDIO_BASE_DATA_DIR": str(folder / "label-studio"),
        "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
        "DJANGO_SETTINGS_MODULE": "core.settings.label_studio",
    }


def _run(argv: list[str], env: dict[str, str], folder: Path) -> str:
    done = subprocess.run(argv, env=env, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(argv[:4])} failed:\n{done.stdout[-1500:]}{done.stderr[-3000:]}")
    return done.stdout
