"""Strict readers of submitted files, shared by every protocol: bytes in, answers or every problem
out.

Nothing is guessed, repaired or converted. Case numbers in comments are those of the bad-input list
that tests/protocols/files/corpus.py holds as a table.
"""

from benchmarks.protocols.files.answers import collect_answers
from benchmarks.protocols.files.documents import Wrapping
from benchmarks.protocols.files.forms import ASKED, PLAIN, Form, in_rows
from benchmarks.protocols.files.json_values import is_nan, read_json, type_name
from benchmarks.protocols.files.kinds import Kind, kind_of
from benchmarks.protocols.files.plain import plain_ids, read_plain
from benchmarks.protocols.files.records import NamedRecords, Record, Records
from benchmarks.protocols.files.submitted import read_records, text_problems
from benchmarks.protocols.files.text import visible

__all__ = [
    "ASKED",
    "PLAIN",
    "Form",
    "Kind",
    "NamedRecords",
    "Record",
    "Records",
    "Wrapping",
    "collect_answers",
    "in_rows",
    "is_nan",
    "kind_of",
    "plain_ids",
    "read_json",
    "read_plain",
    "read_records",
    "text_problems",
    "type_name",
    "visible",
]
