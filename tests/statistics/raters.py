"""People who say wrong things now and then, for simulations."""

import numpy as np


def simulated(rng, items, errors, chances, in_group=1):
    """What raters say who are wrong with these chances, (items, raters), of items whose true value,
    from 0, has those chances; and the group of each. Items of one group are hard or easy
    together."""
    values, groups = len(chances), np.arange(items) // in_group
    truth = rng.choice(values, items, p=chances)
    hardness = rng.choice([0.3, 1.7], items)[groups] if in_group > 1 else np.ones(items)
    votes = np.repeat(truth[:, np.newaxis], len(errors), axis=1)
    for column, error in enumerate(errors):
        wrong = rng.random(items) < error * hardness
        votes[wrong, column] = (truth[wrong] + rng.integers(1, values, wrong.sum())) % values
    return votes.astype(float), groups
