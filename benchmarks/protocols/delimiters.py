"""Keeping an answer inside the lines that mark it as data."""


def without_delimiter(text: str, delimiter: str) -> str:
    """The text without the delimiter, also where taking one out puts another together."""
    while delimiter in text:
        text = text.replace(delimiter, "")
    return text
