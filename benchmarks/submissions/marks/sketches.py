"""Which submissions of a release have nearly the same answers, without comparing each with all
others.

A sketch is a hash per answer. Of it bands are made: hashes over samples of the questions, the same
samples for every submission of a release. Two submissions that agree on a whole sample share that
band, and only those that share one are compared, answer by answer. So a submission costs the same
after ten thousand others as after ten. Which questions are sampled hangs on a secret of the
release: else whoever copies would change just those answers that every band has.

Of pairs with exactly 98 % equal answers fewer than one in 100,000 share no band
(tests/submissions/marks/test_sketches.py). Plain Python and NumPy.
"""

import hashlib
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint32]

NEAR = 0.98
"""Share of equal answers from which on two submissions are nearly equal. Honest models agree on
four of five yes/no questions; two very good ones may agree on more, which is why this is told to
people and decides nothing."""
BANDS, SAMPLED = 32, 48
"""With samples of 48 a pair with 98 % equal answers shares a band with probability 0.38, one with
90 % with 0.006: 32 bands miss hardly any of the former, and bring few of the latter to be
compared."""
MOST_OF_A_RELEASE = 3
"""A sample is at most a third of the questions: a single other answer must leave most bands
alone."""


def sketch_of(answers: Sequence[str]) -> Hashes:
    """A hash of each answer, shape (answers,). They come in the equal form of their protocol,
    without what nearly all have in common."""
    digests = b"".join(
        hashlib.blake2b(answer.encode("utf-8", "surrogatepass"), digest_size=4).digest()
        for answer in answers
    )
    return np.frombuffer(digests, dtype="<u4")


def samples(questions: int, secret: bytes) -> NDArray[np.int64]:
    """Places of the questions that each band looks at, shape (BANDS, sampled), the same for the
    same secret."""
    size = max(1, min(SAMPLED, questions // MOST_OF_A_RELEASE))
    rng = np.random.default_rng(list(hashlib.sha256(secret).digest()))
    return np.array([rng.permutation(questions)[:size] for _ in range(BANDS)])


def band_keys(sketch: Hashes, secret: bytes) -> list[int]:
    """The bands of a sketch as signed 64-bit numbers, equal for another one of the same release
    that agrees there."""
    if not len(sketch):
        return []
    keys = []
    for band, places in enumerate(samples(len(sketch), secret)):
        content = secret + band.to_bytes(1) + sketch[places].tobytes()
        keys.append(int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), signed=True))
    return keys


def equal_answers(one: Hashes, other: Hashes) -> int:
    """How many answers are equal; none where the sketches are of different lengths."""
    return int((one == other).sum()) if len(one) == len(other) else 0


def is_near(equal: int, of: int) -> bool:
    return of > 0 and equal >= math.ceil(NEAR * of)
