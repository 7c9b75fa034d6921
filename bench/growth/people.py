"""Who hands in, and what their models are called. Plain Python but for the value it fills."""

from benchmarks.submissions.models import EvaluatedModel

ONE_OWNER = 5
"""Submissions of one account, on average."""
FAMILIES = ("Heron", "Plover", "Dunlin", "Avocet", "Curlew", "Godwit", "Sanderling")


def details(number: int) -> EvaluatedModel:
    """Of the submission of this number."""
    name = f"{FAMILIES[number % len(FAMILIES)]} {number}"
    return EvaluatedModel(
        name=name, organisation=public_name(number // ONE_OWNER), is_open_weights=number % 2 == 0
    )


def user_name(number: int) -> str:
    return f"person{number}"


def public_name(number: int) -> str:
    return f"Marsh {number}"
