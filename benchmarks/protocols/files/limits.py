"""How much of anything a submitted file may hold: what bounds the memory and the time of reading one."""

MAX_FILE_BYTES = 20 * 1024 * 1024
MAX_CHARACTERS = 20_000
"""Of one answer or id."""
MAX_FIELDS = 16
MAX_ROW_CHARACTERS = 1_000_000
"""Of one row of a table: above 16 longest answers with every quote doubled. Checked before cells are made."""
MAX_DEPTH = 4
"""Of nested JSON lists and objects, the outermost included."""
MAX_ROW_VALUES = 1_000
"""Of one JSON row, nested ones included: checked before anything is built in memory."""
MAX_NUMBER_CHARACTERS = 300
MAX_BLANK_LINES = 1_000
"""In a row: an editor leaves a few. 20 MB of them took seven seconds to count."""

MAX_PROBLEMS = 100
MAX_LISTED = 20
"""Ids or line numbers named in one message."""
MAX_SHOWN = 80
"""Characters of a submitted text repeated in a message."""
SAME_ANSWER_SHARE = 0.2
"""A text given to more than this share of the questions is worth a note."""
