"""How pages print counts."""

from django import template

register = template.Library()


@register.filter
def thousands(count: object) -> object:
    """10000 as "10,000", as every board says it. What is no number of things is left as it is."""
    return f"{count:,}" if isinstance(count, int) and not isinstance(count, bool) else count
