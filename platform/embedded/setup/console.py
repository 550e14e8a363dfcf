"""One plain-words line per step, with the seconds it took; what the tools themselves say goes to a log file."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

LOG_TAIL_LINES = 25
BAR_CELLS = 24
REDRAW_SECONDS = 0.25


class SetupError(Exception):
    """A step did not succeed. The message is for the person at the terminal and says what to do."""


class Console:
    """Runs commands quietly: a live bar on a terminal, one closing line per step everywhere."""

    def __init__(self, log_path: Path, *, stream: TextIO = sys.stdout) -> None:
        log_path.parent.mkdir(parents=True, exist_ok=True)
        self.log_path = log_path
        self.beside_path = log_path.with_stem(f"{log_path.stem}-beside")
        self._stream = stream
        self._live = stream.isatty()
        log_path.write_text(f"{time.strftime('%Y-%m-%d %H:%M:%S')} setup\n", encoding="utf-8")

    def say(self, text: str) -> None:
        """Prints one line now, also when stdout is a pipe."""
        self._clear()
        print(text, file=self._stream, flush=True)  # this is the program's voice

    def run(
        self,
        title: str,
        argv: Sequence[str | Path],
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        measure: Callable[[str], float] | None = None,
    ) -> None:
        """Runs `argv` to its end with its output in the log.

        `measure` turns the step's output so far into a fraction 0..1 for the bar. Raises SetupError, after showing the
        log's tail, when the command cannot be started or its exit code is not 0.
        """
        started = time.monotonic()
        with self.log_path.open("a", encoding="utf-8") as log:
            log.write(f"\n$ {' '.join(map(str, argv))}\n")
            log.flush()
            offset = log.tell()
            child = _start(title, argv, log, env, cwd)
            code = self._wait(child, title, started=started, offset=offset, measure=measure)
        self._close(title, code, self.log_path, started)

    @contextmanager
    def beside(
        self, title: str, argv: Sequence[str | Path], *, env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> Iterator[None]:
        """Runs `argv` while the body runs other steps, with its output in a log of its own, and waits for its end.

        Raises SetupError as `run` does, once the body is done; when the body fails, the command ends with it. The
        seconds of its closing line are those that were waited for it alone.
        """
        with self.beside_path.open("w", encoding="utf-8") as log:
            child = _start(title, argv, log, env, cwd)
            try:
                yield
            except BaseException:
                child.terminate()
                child.wait()
                raise
            waited = time.monotonic()
            code = self._wait(child, title, started=waited, offset=0, measure=None)
        self._close(title, code, self.beside_path, waited)

    def _close(self, title: str, code: int, log: Path, started: float) -> None:
        if code != 0:
            self._clear()
            raise SetupError(f"{title} failed (exit code {code}). The end of {log}:\n\n{_tail(log)}")
        self.say(f"  {title} {'.' * max(3, 58 - len(title))} {time.monotonic() - started:6.1f} s")

    def _wait(
        self,
        child: subprocess.Popen[bytes],
        title: str,
        *,
        started: float,
        offset: int,
        measure: Callable[[str], float] | None,
    ) -> int:
        try:
            while True:
                try:
                    return child.wait(timeout=REDRAW_SECONDS)
                except subprocess.TimeoutExpired:
                    if self._live:
                        fraction = measure(self._output_since(offset)) if measure else None
                        self._draw(title, time.monotonic() - started, fraction=fraction)
        except BaseException:  # Ctrl-C: leave no half-done pip behind, then let it travel on
            child.terminate()
            child.wait()
            raise

    def _output_since(self, offset: int) -> str:
        with self.log_path.open("rb") as log:
            log.seek(offset)
            return log.read().decode(errors="replace")

    def _draw(self, title: str, seconds: float, *, fraction: float | None) -> None:
        bar = ""
        if fraction is not None:
            full = round(min(fraction, 1.0) * BAR_CELLS)
            bar = f" [{'█' * full}{' ' * (BAR_CELLS - full)}] {min(fraction, 1.0):4.0%}"
        self._clear()
        self._stream.write(f"  {title}{bar} {seconds:.0f} s")
        self._stream.flush()

    def _clear(self) -> None:
        if self._live:
            self._stream.write("\r\x1b[K")


def _start(
    title: str, argv: Sequence[str | Path], log: TextIO, env: Mapping[str, str] | None, cwd: Path | None
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # the commands are ours, none is made from input
            argv, env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
        )
    except OSError as error:
        raise SetupError(f"{title}: cannot run {argv[0]}: {error}") from error


def _tail(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return os.linesep.join(lines[-LOG_TAIL_LINES:])
