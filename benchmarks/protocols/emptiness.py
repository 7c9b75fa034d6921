"""Which answers say nothing, the same for the note at upload and for the floor at judging."""


def is_empty_answer(text: str) -> bool:
    """No letter and no digit of any script: empty, blank, or only symbols."""
    return not any(character.isalnum() for character in text)
