"""What `manage.py check` says of this site's protocols: a typing error is told before anything is scored."""

from collections.abc import Iterator
from typing import Any

from django.core.checks import CheckMessage, Error

from benchmarks.protocols.base import BenchmarkProtocol
from benchmarks.registry import protocols


def check_boards(app_configs: object, **options: Any) -> list[CheckMessage]:
    return [fault for family in protocols().values() for fault in board_faults(family)]


def board_faults(family: BenchmarkProtocol) -> Iterator[CheckMessage]:
    """METRICS names every metric of a scoresheet; what the scorer itself returns is only known once it has answers."""
    board, known = family.board.BOARD, family.board.METRICS
    orders = {measure.order for measure in board.measures}
    for name in sorted({board.ranking, *orders} - known.keys()):
        yield Error(
            f"The board of {family.slug} is ordered by {name!r}, which is none of its metrics.",
            hint="Name one of board.METRICS in Board.ranking and in Measure.order.",
            id="benchmarks.E001",
        )
