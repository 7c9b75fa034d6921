"""How figures are printed: digits, intervals and ranks, the same on pages and in exports."""

from benchmarks.protocols.base import Metric
from leaderboard.scoring import Figure

MISSING = "–"


def scale(metric: Metric) -> float:
    return 100.0 if metric.unit == "percent" else 1.0


def print_value(metric: Metric, value: float | None) -> str:
    if value is None:
        return MISSING
    sign = "+" if metric.higher_is_better is None and metric.unit == "ratio" and value > 0 else ""
    return f"{sign}{value * scale(metric):.{metric.digits}f}"


def print_interval(metric: Metric, figure: Figure) -> str:
    """Half the width of the 95 % interval, as "± 4.10"; empty where there is none."""
    if figure.low is None or figure.high is None:
        return ""
    return f"± {(figure.high - figure.low) / 2 * scale(metric):.{metric.digits}f}"


def print_range(metric: Metric, figure: Figure) -> str:
    """The 95 % interval itself, as "27.3 to 35.5"; empty where there is none."""
    if figure.low is None or figure.high is None:
        return ""
    return f"{print_value(metric, figure.low)} to {print_value(metric, figure.high)}"


def print_rank(best: int | None, worst: int | None) -> str:
    if best is None or worst is None:
        return MISSING
    return str(best) if best == worst else f"{best}-{worst}"


def print_share(share: float) -> str:
    """A share as whole percent, never rounded up to 100 %."""
    percent = int(share * 1000) / 10
    return "100 %" if share >= 1 else f"{percent:.1f} %"
