"""Confidence intervals of shares, from the numbers they were counted from."""

from math import sqrt

Z95 = 1.959963984540054


def wilson(hits: int, of: int, *, z: float = Z95) -> tuple[float, float]:
    """Return the score interval of a proportion, (0, 1) if nothing was counted.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927).
    """
    if not of:
        return 0.0, 1.0
    share, spread = hits / of, z * z / of
    middle = (share + spread / 2) / (1 + spread)
    half = z / (1 + spread) * sqrt(share * (1 - share) / of + spread / (4 * of))
    # At shares of 0 and 1 one end is the share itself; rounding may put it slightly off.
    return min(share, max(0.0, middle - half)), max(share, min(1.0, middle + half))


def difference(hits: int, of: int, other_hits: int, other_of: int) -> tuple[float, float]:
    """Return the interval of the difference of two independent proportions, the first minus the second.

    R. G. Newcombe, "Interval estimation for the difference between independent proportions: comparison of eleven
    methods", Statistics in Medicine 17 (1998), method 10: from the two Wilson intervals.
    """
    if not of or not other_of:
        return -1.0, 1.0
    one, other = hits / of, other_hits / other_of
    (low, high), (other_low, other_high) = wilson(hits, of), wilson(other_hits, other_of)
    apart = one - other
    return (
        apart - sqrt((one - low) ** 2 + (other_high - other) ** 2),
        apart + sqrt((high - one) ** 2 + (other - other_low) ** 2),
    )
