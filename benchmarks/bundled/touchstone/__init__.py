"""The self-written mini set: questions, descriptions and references, with their pictures.

`study.csv` are votes on the sample answers by four people who do not exist: drawn at random, with
errors in 13, 16 and 30 %, the fourth asked where three differ, so that a site that has just started
shows what a study is.
"""

from pathlib import Path

BUNDLED = Path(__file__).parent
