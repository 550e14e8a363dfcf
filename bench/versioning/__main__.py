"""`python -m bench.versioning`: print the tables, measured now and here."""

import argparse
import contextlib
import os
import sys
import tempfile
from pathlib import Path

from bench.versioning import loads, memory, peer, reading, rows
from bench.versioning.site import own_site
from bench.versioning.table import Line, show

PARTS = ("loads", "memory", "reading", "rows")


def main(argv: list[str] | None = None) -> int:
    """Returns 1 when a promise was not kept."""
    options = _options(argv)
    chosen = options.parts.split(",")
    lines: list[Line] = []
    print(f"{peer.name()}, its own defaults; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start")
    with tempfile.TemporaryDirectory(prefix="motherlode-bench-") as name:
        folder = Path(name)
        if set(chosen) & {"loads", "memory", "reading"}:
            lines += _on_a_site(folder, chosen, options)
        if "rows" in chosen:
            lines += _rows(folder, options)
    broken = [line.what for line in lines if line.verdict == "NO"]
    print(f"\n{len(broken)} of {sum(line.target is not None for line in lines)} promises were not kept.")
    return 1 if broken else 0


def _on_a_site(folder: Path, chosen: list[str], options: argparse.Namespace) -> list[Line]:
    lines: list[Line] = []
    with own_site(folder) as site:
        if "loads" in chosen:
            for count in options.sizes:
                lines += (found := loads.first_load(site, folder, count).lines())
                show(f"Small images: stock DVC, and ours ({count:,})", found)
        if "memory" in chosen:
            lines += (found := [memory.upload(site, folder, int(options.archive_gb * 1e9))])
            show("A large archive (before: what it held before; the ratio is room to growth)", found)
        if "reading" in chosen:
            lines += (found := reading.read_side(site.store, folder, int(options.read_gb * 1e9)))
            show("Reading (before: a plain parallel GET of large objects)", found)
    return lines


def _rows(folder: Path, options: argparse.Namespace) -> list[Line]:
    with rows.postgres(options.postgres) if options.postgres else contextlib.nullcontext(None) as url:
        rows.use_database(folder, url)
        found = rows.measure(options.rows)
    kind = "PostgreSQL" if options.postgres else "SQLite"
    show(f"Rows on {kind} (the ratio of a question is the time it may take to its median)", found.lines())
    return found.lines()


def _options(argv: list[str] | None) -> argparse.Namespace:
    def numbers(text: str) -> list[int]:
        return sorted(int(part) for part in text.split(","))

    parser = argparse.ArgumentParser(prog="make bench-versioning")
    parser.add_argument("--parts", default=",".join(PARTS), help="which of them, with commas (default: all)")
    parser.add_argument("--sizes", type=numbers, help="images of a first load (default: 10000,50000)")
    parser.add_argument("--rows", type=numbers, help="samples at which rows are asked (default: 10000,100000,1000000)")
    parser.add_argument("--archive-gb", type=float, help="of the large archive (default: 5)")
    parser.add_argument("--read-gb", type=float, help="that are read (default: 1)")
    parser.add_argument("--postgres", metavar="URL", help="a server to make the rows' database on, instead of SQLite")
    parser.add_argument("--quick", action="store_true", help="everything small: minutes, and no figures to quote")
    options = parser.parse_args(argv)
    usual = {"sizes": [10_000, 50_000], "rows": [10_000, 100_000, 1_000_000], "archive_gb": 5.0, "read_gb": 1.0}
    quick = {"sizes": [1000], "rows": [5000, 20_000], "archive_gb": 0.1, "read_gb": 0.1}
    for name, value in (quick if options.quick else usual).items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    return options


if __name__ == "__main__":
    sys.exit(main())
