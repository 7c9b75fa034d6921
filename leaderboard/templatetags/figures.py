"""How templates print figures: the functions by which exports print them too. Of a metric:
`{{ metric|print_value:figure.value }}`, `{{ metric|print_interval:figure }}`."""

from django import template

from benchmarks.protocols.base import Metric
from judging.coordination.money import print_money
from leaderboard.results.formatting import (
    MISSING,
    no_interval,
    print_age,
    print_interval,
    print_number,
    print_share,
    print_size,
    print_value,
    scale,
)

register = template.Library()
register.filter(no_interval)
register.filter(print_age)
register.filter(print_interval)
register.filter(print_money)
register.filter(print_share)
register.filter(print_size)
register.filter(print_value)


@register.filter
def print_width(metric: Metric, width: float) -> str:
    """A difference of values, without a sign."""
    return print_number(width * scale(metric), metric.digits)


@register.filter
def print_change(value: float | None) -> str:
    return MISSING if value is None else print_number(value, 2, signed=True)
