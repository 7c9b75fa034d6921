"""Which questions a study is about: a share of every ability as large as in the release, and the
same ones again for the same seed, on any machine and by any version of Python."""

import hashlib
from collections.abc import Mapping, Sequence
from fractions import Fraction


def drawn(strata: Mapping[str, Sequence[str]], size: int, seed: int) -> dict[str, list[str]]:
    """Of the ids of each stratum, those drawn, in the order of the draw; all where `size` is not
    smaller than their number."""
    shares = largest_remainders({name: len(ids) for name, ids in strata.items()}, size)
    return {
        name: sorted(strata[name], key=lambda one: draw_key(seed, one))[:share]
        for name, share in shares.items()
    }


def largest_remainders(counts: Mapping[str, int], size: int) -> dict[str, int]:
    """`size` split in proportion to `counts`, at most all of them: everybody gets the whole part
    of their share, and what is left goes to the largest remainders, the first name where two are
    equal (the method of Hamilton).

    >>> largest_remainders({"a": 6, "b": 3, "c": 1}, 5)
    {'a': 3, 'b': 2, 'c': 0}
    """
    total = sum(counts.values())
    if size >= total:
        return dict(counts)
    exact = {name: Fraction(size * count, total) for name, count in counts.items()}
    shares = {name: int(share) for name, share in exact.items()}
    left = size - sum(shares.values())
    order = sorted(exact, key=lambda name: (shares[name] - exact[name], name))
    for name in order[:left]:
        shares[name] += 1
    return shares


def draw_key(seed: int, name: str) -> bytes:
    """A place in a random order that everybody can compute: SHA-256 of "seed:name"."""
    return hashlib.sha256(f"{seed}:{name}".encode()).digest()
