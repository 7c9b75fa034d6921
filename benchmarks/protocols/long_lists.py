"""What a dataset reader says of a file with very many faults."""

from collections.abc import Iterable, Iterator

from benchmarks.protocols.base import DatasetItem, Problem
from benchmarks.protocols.files.limits import MAX_PROBLEMS


def limited(items: Iterable[DatasetItem]) -> Iterator[DatasetItem]:
    """Everything, but of more than 100 problems only the first 99 and a last one that counts the
    rest. It holds one problem back at the most, so that a file of any length is read as it
    comes."""
    count, last = 0, None
    for item in items:
        if isinstance(item, Problem):
            count += 1
            if count >= MAX_PROBLEMS:
                last = last or item
                continue
        yield item
    if last is not None and count > MAX_PROBLEMS:
        yield Problem(
            "more-problems", f"{count - MAX_PROBLEMS + 1:,} more problems are not listed."
        )
    elif last is not None:
        yield last
