"""`python -m bench.ui`: what the web application promises, measured in a real Chromium over a real platform."""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from bench.ui import alike, answering, bundle, dragging, finding, maps, tiles
from bench.ui.chromium import signed_in
from bench.versioning.site import own_site
from bench.versioning.table import Line, show
from embedded.layout import project_root

PARTS = ("bundle", "answering", "dragging", "tiles", "finding", "similar", "maps")


def main(argv: list[str] | None = None) -> int:
    """Returns 1 when a promise was not kept."""
    options = _options(argv)
    chosen = options.parts.split(",")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start (before: what was promised)")
    lines: list[Line] = []
    if "bundle" in chosen:
        lines += (found := bundle.measure(project_root() / "frontend" / "dist"))
        show("What is loaded", found)
    if set(chosen) - {"bundle"}:
        lines += _on_a_site(chosen, options)
    broken = [line.what for line in lines if line.verdict == "NO"]
    print(f"\n{len(broken)} of {sum(line.target is not None for line in lines)} promises were not kept.")
    return 1 if broken else 0


def _on_a_site(chosen: list[str], options: argparse.Namespace) -> list[Line]:
    lines: list[Line] = []
    temporary = tempfile.TemporaryDirectory(prefix="motherlode-bench-")
    with temporary as name, own_site(Path(name)) as site, signed_in(site) as meter:
        if "answering" in chosen:
            lines += (found := answering.measure(site, meter, options.answers))
            show("Answering", found)
        if "dragging" in chosen:
            lines += (found := dragging.measure(site, meter, options.boxes))
            show("Drawing", found)
        if {"tiles", "finding"} & set(chosen):
            tiles.load(site, options.tiles)
        if "tiles" in chosen:
            lines += (found := tiles.measure(meter, options.tiles))
            show("Looking", found)
        if "finding" in chosen:
            lines += (found := finding.measure(meter, options.tiles))
            show("Finding", found)
        if "similar" in chosen:
            lines += (found := alike.measure(site, meter, options.similar))
            show("Similar samples", found)
        if "maps" in chosen:
            lines += (found := maps.measure(site, meter, options.points))
            show("Maps, drawn without a GPU", found)
    return lines


def _options(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench-ui")
    parser.add_argument("--parts", default=",".join(PARTS), help="which of them, with commas (default: all)")
    parser.add_argument("--answers", type=int, help="images that are answered by a key (default: 300)")
    parser.add_argument("--boxes", type=int, default=1000, help="on the image in which one is dragged (default: 1000)")
    parser.add_argument("--tiles", type=int, help="of the grid that is scrolled (default: 100000)")
    parser.add_argument("--similar", type=int, help="samples that a search compares (default: 1000000)")
    parser.add_argument("--points", type=int, help="of the largest map (default: 1000000)")
    parser.add_argument("--quick", action="store_true", help="everything small: minutes, and no figures to quote")
    options = parser.parse_args(argv)
    usual = {"answers": 300, "tiles": 100_000, "similar": 1_000_000, "points": 1_000_000}
    quick = {"answers": 40, "tiles": 2000, "similar": 20_000, "points": 100_000}
    for name, value in (quick if options.quick else usual).items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    return options


if __name__ == "__main__":
    sys.exit(main())
