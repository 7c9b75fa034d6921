"""What a file gets said of it: problems refuse it, notes and anomalies do not."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One reason why a file is refused. `line` counts from 1; `column` is a field name or a place
    in the line.

    `record` names the record of a JSON document, "SVT, record 1": all of it may stand on one line.
    """

    code: str
    message: str
    line: int | None = None
    column: str = ""
    expected: str = ""
    found: str = ""
    record: str = ""

    def __str__(self) -> str:
        """Where, and what is wrong there."""
        line = f"line {self.line}" if self.line else ""
        where = ", ".join(filter(None, (self.record, line, self.column)))
        return f"{where}: {self.message}" if where else self.message


@dataclass(frozen=True, slots=True)
class Note:
    """Something accepted that the sender should know: a mark removed, an answer that will get the
    floor, labels that a dataset lacks."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Anomaly:
    """A fault of the dataset itself: imported as it is, flagged, never dropped.

    `is_public`: the message tells nothing of references, descriptions and truth. Only such messages
    stand beside questions whose references are hidden.
    """

    question: str
    code: str
    message: str
    is_public: bool = False
