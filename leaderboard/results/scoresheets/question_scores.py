"""What each answer counts when questions are compared, a byte per answer, kept with the scoresheet:
9 million verdicts of ten thousand entries are never looked at again for it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.protocols.base import ScoredRow

STEPS = 200
"""Of a byte, so that halves, tenths and hundredths are exact; the three shares that three runs make
are off by a thousandth."""
NO_SCORE = 255


def packed_scores(rows: Sequence[ScoredRow]) -> bytes:
    """In the order of the answers, which is that of the release."""
    credits = (row.credit for row in rows)
    return bytes(NO_SCORE if c is None else round(min(max(c, 0.0), 1.0) * STEPS) for c in credits)


def unpacked_scores(packed: Sequence[bytes], questions: int) -> NDArray[np.float32]:
    """(entries, questions) in [0, 1], nan where an answer has none. Raises ValueError for a sheet
    of another number of answers than the release has questions."""
    codes = np.frombuffer(b"".join(packed), dtype=np.uint8).reshape(len(packed), questions)
    return np.where(codes == NO_SCORE, np.float32(np.nan), codes / np.float32(STEPS))
