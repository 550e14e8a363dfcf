"""`lode` in the tests' own process: most tests ask what it says, and to start Python for that takes half a second each
time. What it is as a process of its own (its start, signals, a terminal), others look at."""

import contextlib
import io
import os
import subprocess
import sys
import traceback
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import typer

from motherlode.cli import build, ending_in_words, terminal


def lode(words: tuple[str, ...], *, env: Mapping[str, str], cwd: Path) -> subprocess.CompletedProcess[str]:
    """What it prints, and its exit code. One at a time: environment and streams are those of the whole process."""
    for console in (terminal.out, terminal.err):
        console.width = int(env["COLUMNS"])  # as a process of its own finds it at its start
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with (
        mock.patch.dict(os.environ, env),
        mock.patch.object(sys, "argv", ["lode", *words]),
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = _ended()
    said = [stream.buffer.getvalue().decode() for stream in (out, err)]
    return subprocess.CompletedProcess(["lode", *words], code, *said)


def _ended() -> int:
    try:
        ending_in_words(_command())
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else int(left.code is not None)
    except Exception:  # noqa: BLE001 - as the interpreter ends
        traceback.print_exc()
        return 1
    finally:
        if terminal.client.cache_info().currsize:
            terminal.client().close()
            terminal.client.cache_clear()
    return 0


@cache
def _command() -> Any:
    """All commands, put together once."""
    return typer.main.get_command(build())
