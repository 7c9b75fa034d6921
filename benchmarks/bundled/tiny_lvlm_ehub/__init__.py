"""The self-written mini suite: questions and references for all 42 datasets, with their pictures.

`answers/` are sample answers of models that do not exist, `labels/` what one person says of some of
them, `ratings/` what four people give their plans.
"""

from pathlib import Path

BUNDLED = Path(__file__).parent
