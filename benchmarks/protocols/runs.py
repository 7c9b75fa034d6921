"""The verdicts of a submission, run by run: a run is one repeat of the judge."""

from collections import Counter
from collections.abc import Mapping, Sequence

Verdicts = Mapping[str, Sequence[str | None]]
"""What the scorer gets: verdicts by slot key ("correctness.2"), each column in the order of the
questions, None where there is no verdict."""
Column = Sequence[str | None]


def read_runs(
    verdicts: Verdicts, names: Sequence[str], size: int, *, counted: Sequence[str] = ()
) -> list[list[Column]]:
    """For every run, in order, the columns of the slots `names`, each of `size` verdicts.

    The runs are the repeats of the slots `counted`, of all `names` where none is said. A slot that
    was not asked in a run is a column without verdicts, and without verdicts there is one run of
    such columns. Other columns are passed over. Raises ValueError for a column of another length.

    >>> read_runs({"seen.1": ["yes", None]}, ["seen", "same"], 2)
    [[['yes', None], [None, None]]]
    """
    slots = (key.rpartition(".") for key in verdicts)
    repeats = sorted({int(repeat) for name, _, repeat in slots if name in (counted or names)})
    nothing: list[str | None] = [None] * size
    runs = [
        [verdicts.get(f"{name}.{repeat}", nothing) for name in names] for repeat in repeats or [1]
    ]
    if any(len(column) != size for run in runs for column in run):
        raise ValueError(f"there are {size} questions, but not as many verdicts")
    return runs


def runs_of_answer(
    verdicts: Mapping[str, str | None], names: Sequence[str]
) -> list[tuple[str | None, ...]]:
    """For every run, in order, the verdicts of one answer in the slots `names`.

    >>> runs_of_answer({"seen.1": "yes", "seen.2": None}, ["seen"])
    [('yes',), (None,)]
    """
    columns = {key: [verdict] for key, verdict in verdicts.items()}
    return [tuple(verdict for (verdict,) in run) for run in read_runs(columns, names, 1)]


def most_frequent(verdicts: Sequence[str | None]) -> str | None:
    """Of those there are, of equally frequent ones the first; None where there is none.

    >>> most_frequent(["no", None, "yes", "yes"])
    'yes'
    """
    known = Counter(verdict for verdict in verdicts if verdict is not None)
    return known.most_common(1)[0][0] if known else None
