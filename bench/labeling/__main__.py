"""`python -m bench.labeling`: print the table, measured now and here."""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.labeling import ours, peer
from bench.labeling.driving import Line as Connection
from bench.labeling.driving import Side, Work, work
from bench.versioning.table import Line, against, percentiles, seconds, show

CLIENTS = 4
WARM = 20  # cycles before the clock starts
TIMES, PROMISED_P95 = 10.0, 0.050
SERVER = os.environ.get("MOTHERLODE_TEST_DATABASE_URL", "postgres://postgres@127.0.0.1:5432")


@dataclass(frozen=True, slots=True)
class Measured:
    """One side: seconds and seconds of CPU of the loads and exports, and the annotators' work between."""

    name: str
    load: tuple[float, float]
    work: Work
    export: tuple[float, float]
    export_all: tuple[float, float]


def measure(side: Side, lines: list[Connection], *, tasks: int, answers: int) -> Measured:
    """Load, annotate from all lines at once, export. Says so when a task was answered twice."""
    loaded = _timed(side, lambda: side.load(tasks))
    work(side, lines, WARM)
    done = work(side, lines, answers)
    if any(times > 1 for times in done.answered.values()):
        print(f"{side.name}: {sum(times > 1 for times in done.answered.values())} tasks were answered twice")
    export = _timed(side, lambda: _expect(side.export(everything=False), answers + WARM))
    export_all = _timed(side, lambda: _expect(side.export(everything=True), tasks))
    return Measured(side.name, loaded, done, export, export_all)


def _timed(side: Side, run: Callable[[], object]) -> tuple[float, float]:
    cpu, started = side.busy(), time.perf_counter()
    run()
    return time.perf_counter() - started, side.busy() - cpu


def _expect(found: int, wanted: int) -> None:
    if found != wanted:
        raise SystemExit(f"{found} tasks were exported instead of {wanted}")


def compared(theirs: Measured, mine: Measured) -> list[Line]:
    """What was promised, and what stands behind it."""
    a, b = theirs.work, mine.work
    rates = Line("answers per second", f"{a.rate:.1f}/s", f"{b.rate:.0f}/s", b.rate / a.rate, TIMES)
    return [
        rates,
        against("CPU per lease + answer", a.cpu_each, b.cpu_each),
        against("lease + answer, p50", percentiles(a.cycles)[0], percentiles(b.cycles)[0]),
        against("lease + answer, p95", percentiles(a.cycles)[1], percentiles(b.cycles)[1]),
        against("lease, p95", percentiles(a.taking)[1], percentiles(b.taking)[1]),
        against("answer, p95", percentiles(a.submitting)[1], percentiles(b.submitting)[1]),
        against("import until all can be had", theirs.load[0], mine.load[0], target=TIMES),
        against("  CPU of it", theirs.load[1], max(mine.load[1], 0.01)),
        against("export of what is answered", theirs.export[0], mine.export[0]),
        against("export of all tasks", theirs.export_all[0], mine.export_all[0], target=TIMES),
        against("  CPU of it", theirs.export_all[1], max(mine.export_all[1], 0.01)),
    ]


def promised(mine: Measured) -> list[Line]:
    """The promise that needs no peer."""
    p50, p95 = percentiles(mine.work.cycles)
    told = f"{mine.work.rate:.0f}/s, CPU {seconds(mine.work.cpu_each)}"
    return [
        Line(f"lease + answer, p95, {CLIENTS} clients", f"at most {seconds(PROMISED_P95)}", seconds(p95),
             PROMISED_P95 / p95, 1.0),
        Line("lease + answer, p50", told, seconds(p50)),
    ]  # fmt: skip


def pages(side: ours.Motherlode, count: int) -> Line:
    """A grid's way: 200 tasks and 200 answers in two calls."""
    cpu, started, done = side.busy(), time.perf_counter(), 0
    for _ in range(count):
        done += side.submit_page(side.lines[0])
    took, each = time.perf_counter() - started, (side.busy() - cpu) / done
    return Line(f"pages of {ours.PAGE}, one client", f"{done / took:.0f}/s", f"CPU {seconds(each)}")


def main(argv: list[str] | None = None) -> int:
    """Returns 1 when a promise was not kept."""
    options = _options(argv)
    lines: list[Line] = []
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start; {CLIENTS} clients")
    with tempfile.TemporaryDirectory(prefix="motherlode-bench-") as name:
        folder = Path(name)
        spread = {"samples": options.tasks, "people": CLIENTS}
        with ours.running(folder, options.postgres, **spread) as side:
            mine = measure(side, side.lines, tasks=options.tasks, answers=options.answers)
            lines += (found := [*promised(mine), pages(side, options.pages)])
        show(mine.name, found)
        with ours.running(folder, None, **spread) as side:
            embedded = measure(side, side.lines, tasks=options.tasks, answers=options.answers)
            lines += (found := [*promised(embedded), pages(side, options.pages)])
        show(embedded.name, found)
        if not options.alone and peer.installed():
            with peer.running(folder, options.postgres, people=CLIENTS) as other:
                theirs = measure(other, other.lines, tasks=options.tasks, answers=options.peer_answers)
            lines += (found := compared(theirs, mine))
            show(f"Before: {theirs.name}; {mine.name}; {options.tasks:,} tasks", found)
    broken = [line.what for line in lines if line.verdict == "NO"]
    print(f"\n{len(broken)} of {sum(line.target is not None for line in lines)} promises were not kept.")
    return 1 if broken else 0


def _options(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench-labeling")
    parser.add_argument("--tasks", type=int, help="in the queue (default: 10000)")
    parser.add_argument("--answers", type=int, help="ours (default: 2000)")
    parser.add_argument("--peer-answers", type=int, help="the peer's (default: 300)")
    parser.add_argument("--pages", type=int, help="of 200 answers (default: 10)")
    parser.add_argument("--postgres", metavar="URL", default=SERVER, help="the server that both sides use")
    parser.add_argument("--alone", action="store_true", help="without Label Studio")
    parser.add_argument("--quick", action="store_true", help="everything small: minutes, and no figures to quote")
    options = parser.parse_args(argv)
    usual = {"tasks": 10_000, "answers": 2000, "peer_answers": 300, "pages": 10}
    quick = {"tasks": 2000, "answers": 300, "peer_answers": 60, "pages": 2}
    for name, value in (quick if options.quick else usual).items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    return options


if __name__ == "__main__":
    sys.exit(main())
