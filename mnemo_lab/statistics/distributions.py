"""The few distribution functions we need; the only file here that touches scipy (special, the light half)."""

from __future__ import annotations


def t_quantile(probability: float, df: float) -> float:
    """The t value below which ``probability`` lies; ``df`` may be fractional."""
    from scipy.special import stdtrit  # type: ignore[import-untyped, unused-ignore]

    return float(stdtrit(df, probability))


def noncentrality(df: float, below: float, t: float) -> float:
    """The noncentrality at which a noncentral t variable falls below ``t`` with probability ``below``."""
    from scipy.special import nctdtrinc

    return float(nctdtrinc(df, below, t))


def fair_coin_p(heads: int, tails: int) -> float:
    """Exact two-sided binomial p value for a fair coin; 1 without tosses."""
    from scipy.special import bdtr

    tosses = heads + tails
    return min(1.0, 2.0 * float(bdtr(min(heads, tails), tosses, 0.5))) if tosses else 1.0
