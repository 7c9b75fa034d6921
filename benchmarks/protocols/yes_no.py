"""What an English answer to a yes/no question says: yes, no, or neither.

The question is not an argument, so only what the answer itself commits to can count. It is read in this order, and
the first thing found decides:

1. A leading word: "Yes, …", "No. …", "Nope", "Correct: …", "Definitely not", "No grey points are visible".
   It wins over a later yes or no, except that
   - a correction takes the later word: "Yes… no, actually", "No — wait, yes";
   - a plain contradiction is uncertain: "Yes. No.", "Yes, … So the answer is no.";
   - doubt in the same sentence is uncertain: "Yes, but I'm not sure", "No, it cannot be determined".
2. A conclusion: "The answer is no", "So, yes, the value is 5". Yes and no for different parts, with nothing that
   sums up, is uncertain.
3. Doubt or refusal anywhere: "not sure", "unclear", "I can't tell", "I don't have the data", "it depends".
4. A verdict on the statement asked about: "That is incorrect", "It is not true that …", "This claim is correct".
5. A negated main clause in the first, the concluding or the last sentence: "The value is not larger than 5",
   "There is no cat". Such a sentence denies what was asked far more often than it affirms a negated question.
6. An emphatic affirmation: "China indeed had the largest population".

Everything else is uncertain. That includes plain positive sentences: "Both lines have the same length" says yes to
one question and no to its opposite, so counting it as yes would be a guess. An empty text is uncertain too, "yes
or no" is a repetition of the question and says nothing, "yes and no" is uncertain.

All patterns have bounded repeats and run over a text of single-spaced words, so time grows with length alone.
"""

import re
import unicodedata
from typing import Literal

Reading = Literal["yes", "no", "uncertain"]

_OPPOSITE: dict[Reading, Reading] = {"yes": "no", "no": "yes", "uncertain": "uncertain"}

_WORDS: dict[str, Reading] = {
    **dict.fromkeys(("yes", "yeah", "yep", "yup", "yea", "aye", "affirmative"), "yes"),
    **dict.fromkeys(("no", "nope", "nah", "nay"), "no"),
}
