"""What descriptions, references and labels have in common: one person proposes a text, and another
makes it the one that is judged by, or sends it back with a comment."""


class ProposalError(Exception):
    """Nothing was changed; the message is a sentence for whoever tried."""
