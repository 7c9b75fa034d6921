"""What is said to whoever asked for something that a study cannot do."""


class StudyRefusedError(Exception):
    """The text is a sentence for whoever asked."""
