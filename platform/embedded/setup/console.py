"""One plain-words line per step, with the seconds it took; the tools' own output goes to a log file."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
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
        print(text, file=self._stream, flush=True)  # the program's own output

    def run(
        self,
        title: str,
        *commands: Sequence[str | Path],
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        measure: Callable[[str], float] | None = None,
    ) -> None:
        """Runs the commands to their ends, all at once, the output of each in a log of its own.

        `measure` turns their output so far into a fraction 0..1 for the bar. Raises SetupError, after showing the
        log's tail, when a command cannot be started or its exit code is not 0.
        """
        started = time.monotonic()
        more = (self.log_path.with_stem(f"{self.log_path.stem}-{at}") for at in range(2, len(commands) + 1))
        paths = [self.log_path, *more]
        with ExitStack() as stack:
            logs = [stack.enter_context(path.open("a", encoding="utf-8")) for path in paths]
            for log, argv in zip(logs, commands, strict=True):
                log.write(f"\n$ {' '.join(map(str, argv))}\n")
                log.flush()
            said = [(path, log.tell()) for path, log in zip(paths, logs, strict=True)]
            children = stack.enter_context(_children())
            children += (_start(title, argv, log, env, cwd) for argv, log in zip(commands, logs, strict=True))
            self._wait(children, title, started=started, said=said, measure=measure)
        faults = [(child.returncode, path) for child, path in zip(children, paths, strict=True) if child.returncode]
        self._close(title, *(faults[0] if faults else (0, self.log_path)), started)

    @contextmanager
    def beside(
        self, title: str, argv: Sequence[str | Path], *, env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> Iterator[None]:
        """Runs `argv` while the body runs other steps, with its output in a log of its own, and waits for its end.

        Raises SetupError as `run` does, once the body is done; when the body fails, the command ends with it. The
        seconds of its closing line are those spent waiting for it alone.
        """
        with self.beside_path.open("w", encoding="utf-8") as log, _children() as children:
            children.append(_start(title, argv, log, env, cwd))
            yield
            waited = time.monotonic()
            self._wait(children, title, started=waited)
        self._close(title, children[0].returncode, self.beside_path, waited)

    def _close(self, title: str, code: int, log: Path, started: float) -> None:
        if code != 0:
            self._clear()
            raise SetupError(f"{title} failed (exit code {code}). The end of {log}:\n\n{_tail(log)}")
        self.say(f"  {title} {'.' * max(3, 58 - len(title))} {time.monotonic() - started:6.1f} s")

    def _wait(
        self,
        children: Sequence["subprocess.Popen[bytes]"],
        title: str,
        *,
        started: float,
        said: Sequence[tuple[Path, int]] = (),
        measure: Callable[[str], float] | None = None,
    ) -> None:
        for child in children:
            while child.returncode is None:
                with suppress(subprocess.TimeoutExpired):
                    child.wait(timeout=REDRAW_SECONDS)
                if self._live and child.returncode is None:
                    fraction = measure("".join(_since(*one) for one in said)) if measure else None
                    self._draw(title, time.monotonic() - started, fraction=fraction)

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


@contextmanager
def _children() -> Iterator[list["subprocess.Popen[bytes]"]]:
    """Context of child processes, which are ended when the body fails or is interrupted: Ctrl-C leaves no unfinished
    pip behind."""
    children: list[subprocess.Popen[bytes]] = []
    try:
        yield children
    except BaseException:
        for child in children:
            child.terminate()
            child.wait()
        raise


def _start(
    title: str, argv: Sequence[str | Path], log: TextIO, env: Mapping[str, str] | None, cwd: Path | None
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # the commands are ours, none is made from input
            argv, env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
        )
    except OSError as error:
        raise SetupError(f"{title}: cannot run {argv[0]}: {error}") from error


def _since(log: Path, offset: int) -> str:
    with log.open("rb") as file:
        file.seek(offset)
        return file.read().decode(errors="replace")


def _tail(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return os.linesep.join(lines[-LOG_TAIL_LINES:])
