"""`python -m bench.scale`: print the tables, measured now and here."""

import argparse
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from bench.scale.links import PROCESSES, SIZES, Link, measured
from bench.scale.paces import Network, Pace, pace
from bench.training import corpus
from bench.training.corpus import OnDisk

NETWORKS = (
    Network("small_cnn", {"size": 28, "width": 16}, 64),
    Network("vit_tiny", {"size": 28}, 32),
    Network("resnet18", {"size": 28}, 32),
)
ELSEWHERE = (
    Link("10 Gbit/s Ethernet", 50e-6, 1.1e9),
    Link("100 Gbit/s RDMA", 5e-6, 11e9),
    Link("NVLink, 450 GB/s", 3e-6, 360e9),
)
"""Of machines that are not here, by what their makers say and a tenth to a fifth less for the protocol."""
WORLDS = (2, 8, 64)
BACKWARD = 2 / 3
"""Of a step: the part behind which an exchange can hide (a backward pass costs twice a forward pass)."""


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print."""
    options = _options(argv)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start; one thread for each process")
    found = measured(sizes=SIZES[:: 3 if options.quick else 1], repeats=5 if options.quick else 15)
    link = Link.fitted("gloo on this machine", found, PROCESSES)
    show_link(link, found)
    with tempfile.TemporaryDirectory(prefix="motherlode-bench-") as name:
        digits, folder = corpus.digits(options.cache), Path(name)
        data = corpus.write(digits, folder / "data", train=500 if options.quick else 5_000, test=200)
        paces = show_paces(
            measure(data, folder, steps=8 if options.quick else options.steps, quick=options.quick), link
        )
    show_forecast(paces)


def measure(data: OnDisk, folder: Path, *, steps: int, quick: bool) -> Iterator[Pace]:
    """Of each network, minutes apart."""
    for network in NETWORKS[:1] if quick else NETWORKS:
        yield pace(network, data, folder / network.architecture, steps=steps)


def efficiency(compute: float, exchange: float, *, hidden: float = 0.0) -> float:
    """Of a process that trains with others on as many images as it would alone: the share of its time that is not spent
    on an exchange, of which so many seconds can go on behind a backward pass."""
    return compute / (compute + max(0.0, exchange - hidden))


def show_link(link: Link, found: Sequence[tuple[int, float]]) -> None:
    """The times of all-reduce beside those of the model."""
    fitted = f"{link.latency * 1e6:.0f} us and {link.pace / 1e9:.2f} GB/s"
    print(f"\nAll-reduce between {PROCESSES} processes; fitted: {fitted}")
    print(f"\n  {'bytes':>14}{'measured':>12}{'model':>12}{'ratio':>8}")
    for size, seconds in found:
        told = link.seconds(size, PROCESSES)
        print(f"  {size:>14,}{seconds * 1e3:>9.2f} ms{told * 1e3:>9.2f} ms{told / seconds:>8.2f}")


def show_paces(paces: Iterable[Pace], link: Link) -> list[Pace]:
    """Two processes beside one, and beside what the model says: the time of a step beside another program, and the
    exchange after it."""
    print(f"\n{PROCESSES} processes, each with as many images as one: efficiency = a step alone / a step together\n")
    print(
        f"  {'':<12}{'images':>8}{'MB sent':>9}{'alone':>11}{'beside':>11}{'together':>11}{'exchange':>11}"
        f"{'efficiency':>12}{'foretold':>10}{'ratio':>8}"
    )
    shown = []
    for one in paces:
        exchange = link.seconds(one.sent, PROCESSES)
        real, told = one.alone / one.together, one.alone / (one.beside + exchange)
        times = "".join(f"{1e3 * value:>8.1f} ms" for value in (one.alone, one.beside, one.together, exchange))
        what = f"{one.network.architecture:<12}{one.network.batch:>8}{one.sent / 1e6:>9.2f}"
        print(f"  {what}{times}{real:>12.2f}{told:>10.2f}{told / real:>8.2f}", flush=True)
        shown.append(one)
    return shown


def show_forecast(paces: Sequence[Pace]) -> None:
    """What the model says of machines that are not here, each process with a machine of its own as fast as this one."""
    print(
        "\nForetold for machines of their own, as fast as this one: nothing hidden behind the backward pass - all of it"
    )
    print(f"\n  {'':<12}{'':<22}" + "".join(f"{f'{world} processes':>18}" for world in WORLDS))
    for one in paces:
        for link in ELSEWHERE:
            cells = []
            for world in WORLDS:
                exchange = link.seconds(one.sent, world)
                low, high = (efficiency(one.alone, exchange, hidden=hidden * one.alone) for hidden in (0, BACKWARD))
                cells.append(f"{f'{low:.3f} - {high:.3f}':>18}")
            print(f"  {one.network.architecture:<12}{link.name:<22}" + "".join(cells))


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench-scale")
    parser.add_argument("--steps", type=int, default=32, help="of each training (default: 32)")
    parser.add_argument("--cache", type=Path, help="folder that keeps the downloaded digits")
    parser.add_argument(
        "--quick", action="store_true", help="everything small: a minute or two, and no figures to quote"
    )
    return parser.parse_args(argv)


if __name__ == "__main__":
    main()
