"""The groups that the site ships: what somebody is here for. Migrations make them and give them
what they may do; the database keeps their names (immutability.py), by which they are found."""

ANNOTATORS = "annotators"  # write descriptions and propose references
REVIEWERS = "reviewers"  # approve what others wrote, answer reports
RATERS = "raters"  # say in studies what they think of answers; the admin is closed to them
MODERATORS = "moderators"  # look after what was handed in, and after what waits for people

PROJECT_GROUPS = (ANNOTATORS, REVIEWERS, RATERS, MODERATORS)
STAFF_GROUPS = frozenset((ANNOTATORS, REVIEWERS, MODERATORS))
"""Those whose work is done in the admin: a member is staff."""
