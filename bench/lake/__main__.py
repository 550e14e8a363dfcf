"""`python -m bench.lake`: print the table, measured now and here."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.labeling.servers import database
from bench.lake.frames import DRIVE
from bench.mining.bucket import bucket, mnist
from blobs.settings import StoreConfig

SERVER = os.environ.get("MOTHERLODE_TEST_DATABASE_URL", "postgres://postgres@127.0.0.1:5432")
MILLION = 10**6
SHOWN = (
    ("register", "registered", "s"),
    ("manifest_bytes", "manifests in the store", "MB"),
    ("database_bytes", "database", "MB"),
    ("count", "counted, p50", "ms"),
    ("first_page", "first page of 100, p50", "ms"),
    ("any_page", "any page of 100, p50", "ms"),
    ("by_key", "one by its key, p50", "ms"),
    ("slice", "margin over a drive of 100,000, 1,000 brought in", "s"),
    ("slice_again", "the same by entropy: nothing is scored again", "s"),
    ("random_of_all", "1,000 at random out of all", "s"),
    ("labels", "1,000 labels committed", "s"),
    ("peak_mb", "memory, web and worker as one process", "MB."),
)


def main(argv: list[str] | None = None) -> int:
    """Measure each side at each size, one after another."""
    options = _options(argv)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start; PostgreSQL; {DRIVE:,} different images")
    with tempfile.TemporaryDirectory(prefix="motherlode-bench-", dir=options.folder) as name:
        folder = Path(name)
        with bucket(folder) as store:
            pool = mnist(store, folder, DRIVE)
            refs = [(one.md5, one.sha256, one.size, one.object, one.offset) for one in pool.samples]
            (folder / "refs.json").write_text(json.dumps(refs))
            for side, sizes in (("rows", options.rows), ("lake", options.lake)):
                for count in sizes:
                    _show(side, count, _measured(folder, store, side, count, pool.model, options.postgres))
    return 0


def _measured(folder: Path, store: StoreConfig, side: str, count: int, model: Path, server: str) -> dict[str, Any]:
    own = folder / f"{side}-{count}"
    own.mkdir()
    with database(server, "lake") as url:
        told = {"side": side, "count": count, "folder": str(own), "database": url, "model": str(model),
                "refs": str(folder / "refs.json")}  # fmt: skip
        (own / "config.json").write_text(json.dumps(told))
        env = {**os.environ, **store.to_env(), "MOTHERLODE_CACHE_DIR": str(own / "cache")}
        argv = [sys.executable, "-m", "bench.lake.side", str(own / "config.json")]
        done = subprocess.run(argv, env=env, stdout=subprocess.PIPE, text=True, check=True)
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def _show(side: str, count: int, figures: dict[str, Any]) -> None:
    print(f"\n{side}, {count:,} frames\n")
    for name, words, unit in SHOWN:
        if (value := figures.get(name)) is not None:
            print(f"  {words:<52}{_words(value, unit):>14}", flush=True)
    for program, held in figures["program_mb"].items():
        print(f"  {'memory of the program ' + program:<52}{held:>11,} MB", flush=True)


def _words(value: float, unit: str) -> str:
    if unit == "ms":
        return f"{1000 * value:.1f} ms"
    if unit == "MB":
        return f"{value / MILLION:,.1f} MB"
    return f"{value:,.0f} MB" if unit == "MB." else f"{value:,.2f} s"


def _options(argv: list[str] | None) -> argparse.Namespace:
    def numbers(text: str) -> list[int]:
        return [int(part) for part in text.split(",") if part]

    parser = argparse.ArgumentParser(prog="make bench-lake")
    parser.add_argument("--lake", type=numbers, default=[10**5, 10**6, 10**8], help="frames of a lake, with commas")
    parser.add_argument("--rows", type=numbers, default=[10**5, 10**6], help="samples with rows, with commas")
    parser.add_argument("--postgres", metavar="URL", default=SERVER, help="the server to make the databases on")
    parser.add_argument("--folder", type=Path, help="where there is room: 10^8 frames take 20 GB")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
