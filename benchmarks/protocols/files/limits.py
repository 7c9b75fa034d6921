"""How much of anything a submitted file may hold: what bounds the memory and the time of reading
one."""

MAX_FILE_BYTES = 20 * 1024 * 1024
MAX_CHARACTERS = 20_000
"""Of one answer or id, without the thoughts before it."""
MAX_WRITTEN_CHARACTERS = 131_072
"""Of one text with the thoughts before the answer: what Python's csv reads of a cell, so all kinds
of files bear the same text. 32,000 tokens of thinking are less."""
MAX_FIELDS = 32
"""Of one row: twice what the kit that writes most has."""
MAX_ROW_CHARACTERS = 1_000_000
"""Of one row of a table: above a longest text and 16 longest answers, every quote doubled. Checked
before cells are made."""
MAX_DEPTH = 4
"""Of nested JSON lists and objects, the outermost included."""
MAX_ROW_VALUES = 1_000
"""Of one JSON row, nested ones included: checked before anything is built in memory."""
MAX_NUMBER_CHARACTERS = 300
MAX_BLANK_LINES = 1_000
"""In a row: an editor leaves a few. 20 MB of them took seven seconds to count."""
MAX_PARTS = 200
"""Files in the archive that a workbook is; one with a sheet has about ten."""
MAX_UNPACKED_BYTES = 64 * 1024 * 1024
"""Of all of them together, or of the columns of a Parquet table that are read: above 1,129 longest
answers and the dataset beside them. 20 MiB of ZIP can be 20 GiB."""
MAX_ROW_GROUPS = 12_000
"""Of a Parquet file: one for each row of the longest release, as who writes row by row has them."""
MAX_CELL_CHARACTERS = 32_767
"""Of a cell of a workbook, by its format: whoever writes a longer text cuts it here."""

MAX_PROBLEMS = 100
"""Of a file that an operator hands over: more are not looked through."""
MAX_ROW_PROBLEMS = 12_000
"""Of a file of answers: one for each row of the longest release, and some more. They are shown by
kind, and all of them are there as a file."""
MAX_LISTED = 20
"""Ids or line numbers named in one message."""
MAX_SHOWN = 80
"""Characters of a submitted text repeated in a message."""
SAME_ANSWER_SHARE = 0.2
"""A text given to more than this share of the questions is worth a note."""
