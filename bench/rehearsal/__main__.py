"""`make rehearse`: 10^9 frames scored by 1,000 simulated workers with faults, on a PostgreSQL and a RabbitMQ.

Rows, claims, leases, wake-ups and the sweep are the platform's own; frames and GPUs are not there. Each shard must be
counted exactly once, by the job's rows and by a table that each count writes to beside them.
"""

import argparse
import os
import signal
import sys

from bench.rehearsal import real
from bench.rehearsal.records import Planned
from bench.rehearsal.simulated import MACHINE, Faults
from bench.rehearsal.stage import Crew, Run, stage
from bench.versioning.table import percentiles, seconds

SERVER = os.environ.get("MOTHERLODE_TEST_DATABASE_URL", "postgres://postgres@127.0.0.1:5432")
BROKER = os.environ.get("MOTHERLODE_TEST_BROKER_URL", "amqp://guest:guest@127.0.0.1:5672//")
SPREAD = 0.3
MOST_MEMORY = 8 << 30
LONGEST = 2 * 3600.0


def main(argv: list[str] | None = None) -> int:
    options = _options(argv)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what was started is ended, and databases dropped
    if options.real is not None:
        return real.compare(options.real or real.NAMES, server=options.postgres, broker=options.broker)
    shards = max(1, round(options.frames / options.shard))
    each = options.shard / options.pace
    bound = shards * each / options.workers / options.clock
    print(
        f"{options.frames:,.0f} frames in {shards:,} shards of {options.shard:,}, {each:.0f} s each; "
        f"{options.workers:,} workers on {-(-options.workers // MACHINE):,} machines, GPUs {options.clock:g} times as "
        f"fast: {seconds(bound)} if nothing else took time",
        flush=True,
    )
    crew = Crew(
        options.workers,
        clock=options.clock,
        spread=SPREAD,
        processes=options.processes,
        seed=options.seed,
        faults=None if options.no_faults else Faults(),
    )
    with stage(options.postgres, options.broker) as empty:
        done = empty.rehearse([Planned(options.shard, each)] * shards, crew, limit=options.limit)
    return _shown(done, options, bound)


def _shown(run: Run, options: argparse.Namespace, bound: float) -> int:
    many = run.counts
    whole = run.state == "succeeded" and run.counted == run.shards and not run.doubled
    half, most = percentiles(run.claims) if len(run.claims) > 1 else (0.0, 0.0)
    rows = {
        "the job": run.state,
        "shards counted once, of all": f"{run.counted:,} of {run.shards:,}",
        "counted twice": f"{run.doubled:,}",
        "time": f"{seconds(run.seconds)}; {run.seconds / bound:.2f} of what the GPUs alone need",
        "GPUs busy": f"{run.busy / (options.workers * run.seconds):.1%}",
        "claims": f"{many['claims']:,}, {many['claims'] / run.seconds:.1f}/s; half within {seconds(half)}, 95 % within "
        f"{seconds(most)}",
        "renewals of leases": f"{many['renewals']:,}, {many['renewals'] / run.seconds:.0f}/s",
        "workers killed": f"{many['killed']:,}",
        "frozen beyond their lease": f"{many['frozen']:,}; {many['late_results_refused']:,} late results refused, "
        f"{many['leases_lost']:,} leases lost by others",
        "slow": f"{many['slow']:,}",
        "messages": f"{many['messages']:,}; {many['messages_lost']:,} lost, {many['messages_doubled']:,} doubled, "
        f"{many['messages_for_nothing']:,} found nothing to do",
        "clocks": "right" if options.no_faults else f"each wrong by up to {Faults().skew_seconds / 3600:g} h",
        "the simulation's own lag": seconds(run.late),
        "CPU of the workers' processes": f"{run.cpu:.0f} s, {1000 * run.cpu / max(1, many['claims']):.1f} ms a claim",
        "database": f"{run.database / 1e6:.0f} MB",
        "memory at most": f"{run.memory / 1e6:,.0f} MB",
    }
    print()
    for name, words in rows.items():
        print(f"  {name:<32}{words}")
    kept = whole and run.seconds <= LONGEST and run.memory <= MOST_MEMORY
    promise = "each shard counted exactly once, within two hours and 8 GB"
    print(f"\n{'Kept' if kept else 'NOT kept'}: {promise}.")
    return 0 if kept else 1


def _options(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make rehearse", description=__doc__)
    parser.add_argument("--frames", type=float, default=1e9, help="in the lake")
    parser.add_argument("--shard", type=int, default=65_536, help="frames of a shard")
    parser.add_argument("--workers", type=int, default=1000)
    parser.add_argument("--pace", type=float, default=1000.0, help="frames that a GPU scores in a second")
    parser.add_argument("--clock", type=float, default=2.0, help="how many times faster GPUs are waited for")
    parser.add_argument("--processes", type=int, default=2, help="that the simulated workers are spread over")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-faults", action="store_true", help="nothing is killed, frozen, lost or doubled")
    parser.add_argument(
        "--real", nargs="*", choices=real.NAMES, metavar="JOB",
        help=f"foretell mining jobs of a real platform, then run them: {', '.join(real.NAMES)} (default: all)",
    )  # fmt: skip
    parser.add_argument("--postgres", metavar="URL", default=SERVER)
    parser.add_argument("--broker", metavar="URL", default=BROKER)
    parser.add_argument("--limit", type=float, default=LONGEST, help="seconds after which it is given up")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
