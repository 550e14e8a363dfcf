"""`python -m bench.mining`: print the tables, measured now and here."""

import argparse
import importlib
import importlib.util
import os
import sys

from bench.versioning.table import Line

PARTS = ("selection", "scoring", "pool", "labels")


def main(argv: list[str] | None = None) -> int:
    """Returns 1 when a promise was not kept."""
    parser = argparse.ArgumentParser(prog="make bench-mining")
    parser.add_argument("--parts", default=",".join(PARTS), help="which of them, with commas (default: all)")
    parser.add_argument("--quick", action="store_true", help="everything small: minutes, and no figures to quote")
    options = parser.parse_args(argv)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start")
    lines: list[Line] = []
    for part in options.parts.split(","):
        module = f"bench.mining.{part}"
        if importlib.util.find_spec(module) is None:
            print(f"\n{part} was left out: there is no {module} here")
            continue
        lines += importlib.import_module(module).run(quick=options.quick)
    broken = [line.what for line in lines if line.verdict == "NO"]
    print(f"\n{len(broken)} of {sum(line.target is not None for line in lines)} promises were not kept.")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
