"""The self-written mini set: questions and references, with their pictures.

`study.csv` are votes on the sample answers by three people who do not exist: drawn at random, with
errors in 4, 8 and 20 %, so that a site that has just started shows what a study is.
"""

from pathlib import Path

BUNDLED = Path(__file__).parent
