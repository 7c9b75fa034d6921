"""Sixty records of the suite's mini set and what the same sample models answered, in the layout of
the ability-level subsets. Their pictures are the suite's.
"""

from pathlib import Path

BUNDLED = Path(__file__).parent
