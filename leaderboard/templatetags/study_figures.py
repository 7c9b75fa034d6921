"""How templates print the figures of a report of a study, as it is stored."""

from django import template

from leaderboard.web.pages.studies.cells import (
    coefficient_cell,
    kappa_cell,
    majority_cell,
    percent,
    share_cell,
)

register = template.Library()
register.filter(share_cell)
register.filter(majority_cell)
register.filter(coefficient_cell)
register.filter(kappa_cell)
register.filter(percent)
