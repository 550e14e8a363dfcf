"""Starts Python programs as forks of one process that has loaded the libraries they import: torch alone takes seconds.

Only what others publish is loaded before a fork, and of that what starts no thread: ONNX Runtime starts one. Our own
modules are imported by each program, in the environment and with the path it was given. `tests.forked` asks it.
"""

import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

LIBRARIES = (
    "numpy", "orjson", "scipy.special", "scipy.optimize", "PIL.Image", "cv2", "simplejpeg", "urllib3", "minio", "onnx",
    "torch", "safetensors.torch", "torch.onnx", "torch._dynamo", "onnxscript", "sklearn.manifold",
    "httpx", "rich", "pydantic", "pydantic_settings", "jsonschema", "dulwich.repo", "dulwich.web", "environ",
    "authlib.integrations.django_client", "authlib.oidc.core", "opentelemetry.sdk.trace", "cron_descriptor",
    "celery.bin.celery", "celery.bin.worker", "celery.apps.worker", "celery.concurrency.prefork",
    "kombu.transport.redis", "kombu.transport.pyamqp", "celery.backends.redis",
    "django.core.management.commands.migrate", "django.core.handlers.wsgi",
    "django.db.backends.sqlite3.base", "django.db.backends.postgresql.base",
    "django.contrib.sessions.backends.db", "django.contrib.admin.utils", "django.contrib.postgres.fields",
    "django.core.cache.backends.redis", "prometheus_client.exposition", "rest_framework.serializers",
    "drf_spectacular.utils", "s3fs", "aiobotocore.session", "dvc_s3", "dvc_data.index", "dvc.cli.parser",
    "dvc.repo.index", "dvc.commands.data_sync", "dvc.stage.loader", "dvc.dependency", "dvc.cachemgr",
    "dvc.data_cloud", "flufl.lock", "psutil", "typer", "httpcore", "networkx", "ruamel.yaml", "scmrepo.git",
    "dvc_render", "flatten_dict", "jinja2", "pyarrow.parquet", "sympy",
)  # fmt: skip
FORKS = runpy.run_path(str(Path(__file__).parents[1] / "platform" / "worker_programs" / "forks.py"))
"""The platform's own forks become programs in the same way."""
MOST = 1 << 20
DESCRIPTORS = 32


class Request(NamedTuple):
    """What to start, and the descriptors it shall have, each with its number there."""

    arguments: list[str]
    environment: dict[str, str]
    folder: str
    group: bool
    session: bool
    umask: int
    descriptors: dict[int, int]


def main(place: str) -> None:
    """Serve; this returns in each program alone, when it has run."""
    base = list(sys.path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(place)
    listener.listen(64)
    for name in LIBRARIES:
        with suppress(ImportError):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the minders
    if (request := _serve(listener)) is not None:
        _become(request, base)


def _serve(listener: socket.socket) -> Request | None:
    """In a program: its request. None when the tests have ended."""
    parent = os.getppid()
    while True:
        if not select.select([listener], [], [], 1.0)[0]:
            if os.getppid() != parent:
                return None
            continue
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            return _mind(connection)
        connection.close()


def _mind(connection: socket.socket) -> Request | None:
    """Start one program, say its id, and how it ended. Who started it may leave, which ends this process too."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    message, numbers, _, _ = socket.recv_fds(connection, MOST, DESCRIPTORS)
    if not message:
        os._exit(0)
    told: dict[str, Any] = json.loads(message)
    request = Request(**told | {"descriptors": dict(zip(told["descriptors"], numbers, strict=True))})
    child = os.fork()
    if child == 0:
        connection.close()
        return request
    for number in numbers:
        os.close(number)
    connection.send(str(child).encode())
    ended = os.pidfd_open(child)
    if connection.fileno() not in select.select([connection.fileno(), ended], [], [])[0]:
        found = os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)  # its id stays taken until that is known
        status = found.si_status if found is not None else 0
        killed = found is not None and found.si_code != os.CLD_EXITED
        with suppress(OSError):
            connection.send(str(-status if killed else status).encode())
            connection.recv(1)
        os.waitpid(child, 0)
    os._exit(0)


def _become(request: Request, base: list[str]) -> None:
    """Run `python -m` or `python FILE` in this process."""
    if request.session:
        os.setsid()
    elif request.group:
        os.setpgid(0, 0)
    FORKS["take"](request.descriptors)
    os.chdir(request.folder)
    os.umask(request.umask)
    os.environ.clear()
    os.environ.update(request.environment)
    shelves = filter(None, request.environment.get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:] = [str(Path.cwd()), *shelves, *base]
    importlib.invalidate_caches()
    sys.dont_write_bytecode = "PYTHONDONTWRITEBYTECODE" in request.environment
    if "PYTHONUNBUFFERED" in request.environment:
        sys.stdout.reconfigure(write_through=True)  # type: ignore[union-attr]  # a text stream
    os._exit(FORKS["exit_code"](lambda: _run(request.arguments)))


def _run(arguments: list[str]) -> None:
    if arguments[0] == "-m":
        _, module, *sys.argv[1:] = arguments
        runpy._run_module_as_main(module)  # type: ignore[attr-defined]  # what the interpreter calls for -m
    else:
        sys.argv[:] = arguments
        sys.path[0] = str(Path(arguments[0]).parent)
        runpy.run_path(arguments[0], run_name="__main__")
