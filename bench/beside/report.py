"""One table for each scenario."""

from bench.beside.people import KINDS, Crowd


def show(title: str, crowd: Crowd) -> None:
    """Print how long each kind of request took and how it ended, which jobs ran, and how long no sweep did."""
    print(f"\n{title}")
    print(f"  {'ms':<28}{'count':>7}{'p50':>9}{'p99':>9}{'worst':>9}   outcomes")
    for kind in KINDS:
        times = sorted(crowd.asked.seconds[kind])
        outcomes = ", ".join(f"{count} {name}" for name, count in crowd.asked.outcomes[kind].most_common())
        figures = "".join(f"{1000 * value:>9.0f}" for value in (_at(times, 0.5), _at(times, 0.99), _at(times, 1.0)))
        print(f"  {kind:<28}{len(times):>7,}{figures}   {outcomes}")
    running = ", ".join(f"{kind} {max(counts)}" for kind, counts in sorted(crowd.seen.running.items()))
    print(f"  most jobs that ran at once: {running or 'none'}; longest time without a sweep: ", end="")
    print(f"{max(crowd.seen.sweep_ages, default=float('nan')):.1f} s", flush=True)


def _at(times: list[float], share: float) -> float:
    return times[min(len(times) - 1, round(share * (len(times) - 1)))] if times else 0.0
