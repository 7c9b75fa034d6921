"""Distributions and their quantiles, from SciPy: whoever computes waits for it, and no start of a
command, worker or server, 0.25 s of which it would be."""

from typing import Any

from numpy.typing import ArrayLike


def ndtr(value: ArrayLike) -> Any:
    """The share of the normal distribution below it."""
    from scipy import special  # noqa: PLC0415 - see above, and so below

    return special.ndtr(value)


def ndtri(share: ArrayLike) -> Any:
    """What so much of the normal distribution is below."""
    from scipy import special  # noqa: PLC0415

    return special.ndtri(share)


def stdtr(freedom: ArrayLike, value: ArrayLike) -> Any:
    """The share of Student's distribution of so many degrees of freedom below it."""
    from scipy import special  # noqa: PLC0415

    return special.stdtr(freedom, value)


def stdtrit(freedom: ArrayLike, share: ArrayLike) -> Any:
    """What so much of Student's distribution is below."""
    from scipy import special  # noqa: PLC0415

    return special.stdtrit(freedom, share)
