"""From verdicts to the figures of an entry: with `protocols` and `statistics` the scoring library,
which needs NumPy and SciPy alone."""
