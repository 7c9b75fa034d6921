"""Does an answer say that something is there, or that it is not?

"It is not a teapot" holds the word teapot and denies it; "2 sheep, not 3" denies the 3; "either a
cat, a dog or a teapot" commits to none; "it looks like a teapot, but it is a cup" and "a teapot?
No, a cup" take it back. Clauses are read one by one, each normalised as word matching does. Time
grows with length alone.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from benchmarks.protocols.tiny_lvlm_ehub.word_matching import normalise

_TURN = r"(?<!\w)(?:but|whereas|while|although|though|perhaps|maybe|rather|instead|actually)(?!\w)"
_CLAUSE = re.compile(rf"[,;:()–—]|--|(?={_TURN})(?!rather than|instead of)")
_SENTENCE = re.compile(r"[!?\n]|\.(?!\d)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")
_TAKEN_BACK = re.compile(
    r"(?<!\w)(?:no,? wait|wait,? no|scratch that|correction:)(?!\w)|\?\s{0,3}(?=no(?!\w))"
)
"""What stands before it is no answer."""
_DENIAL = (
    r"(?<!\w)(?:not|0|no|never|neither|nor|without|cannot|hardly|except|unlike|far from|instead of"
    r"|rather than|other than|[a-z]+n't|kein\w{0,2}|nicht|pas|(?:if|whether) (?:it|this|that|there)"
    r"(?:'s)?) (?!(?:only|just|merely|sure|doubt)(?!\w))"
)
"""Word matching writes "none" as 0, and 0 before a word is none of it."""
_BETWEEN = (
    r"(?:(?:be|being|is|are|was|were|have|has|show|see|seen|contain|look|like|any|some|really"
    r"|actually|exactly|to|kind|sort|type|of|called|single|visible|there|this|that|it|it's|in|fact|seem"
    r"|appear|say|think|believe|what|i'd|call|quite|necessarily|un|une|una|ein|eine|es) ){0,5}"
)
_KIND = (
    r"(?:(?!(?:in|on|at|by|near|beside|behind|under|over|above|below|next|with|from|for|of|and|or"
    r"|than|because|as|all|every|each|both|it|it's|is|are|clear|certain|sure) )[^\s\d]+ )?"
)
"""One word of what is denied: "not a red teapot", but not "no cup on the teapot"."""
_IS_NOT = (
    r" (?:(?:(?:is|are|was|were) not|(?:is|are|was|were)n't) (?:visible|present|shown|seen|correct"
    r"|right|there|in (?:this )?(?:image|picture|photo|scene))|(?:is|are) (?:wrong|incorrect"
    r"|missing|absent))(?!\w)"
)
_SHORT = 3  # words of an item of a list
_MOST_GUESSES = 2  # "a cup or mug" is one thing in two words
_BARE_LIST = 6
"""Items that are nothing but a list of guesses: six things in answer to what is seen are tried
out."""
_EITHER = re.compile(r"(?<!\w)either (?!way|side|end|hand)")
_MAYBE = re.compile(r"(?<!\w)(?:maybe|perhaps|possibly)(?!\w)")
_OR = re.compile(r"(?<!\w)or(?!\w)")
_STATES = re.compile(r"(?<!\w)(?:is|are|was|were|it's|that's|there's|has|have|shows?)(?!\w)")
_SEEMS = re.compile(
    r"(?<!\w)(?:looks?|looked|seems?|seemed|appears?|appeared|resembles?|first|initially"
    r"|(?:some|many|most|people|you|one) (?:would|might|may|could))(?!\w)"
)
_IN_TRUTH = re.compile(
    r"(?:but|however|yet|though|actually)(?: (?:i think|i believe|in fact|really|actually))?"
    r" (?:(?:it's|it is|this is|that's)(?! (?:not|hard|unclear|difficult|blurry|too|only))"
    r"|is (?:actually|really|in fact)|is$|i'd say|i would say)"
)
"""After what something seems to be: "it looks like a teapot, but it is a cup"."""


def asserts(answer: str, reference: str) -> bool:
    """Whether the answer, in which the normalised reference was found as whole words, commits to
    it somewhere. True where it stands across clauses, which nothing here reads."""
    if not any(_word(reference).search(clause) for clause in clauses_of(answer)):
        return True
    sentences = sentences_of(_TAKEN_BACK.split(answer.lower())[-1])
    clauses = [clause for sentence in sentences for clause in sentence]
    return not is_guessed(clauses) and is_asserted(sentences, reference)


def sentences_of(answer: str) -> list[list[str]]:
    """The clauses of each sentence, normalised, without those of which nothing is left."""
    text = answer.lower().replace("anything but", "not").replace("nothing but", "only")
    found = []
    for sentence in _SENTENCE.split(_THOUSANDS.sub("", text)):
        clauses = map(normalise, _CLAUSE.split(sentence))
        found.append([clause for clause in clauses if clause])
    return found


def clauses_of(answer: str) -> list[str]:
    return [clause for sentence in sentences_of(answer) for clause in sentence]


def is_asserted(sentences: Sequence[Sequence[str]], reference: str) -> bool:
    """Whether it stands anywhere undenied. A list goes on being denied: "not a cat, a dog or a
    teapot"."""
    for clauses in sentences:
        is_list_denied = False
        truth = max((i for i, each in enumerate(clauses) if _IN_TRUTH.match(each)), default=-1)
        for place, clause in enumerate(clauses):
            is_list_denied = is_list_denied and goes_on(clause)
            left = _denied(reference).sub(" ", clause)
            is_here = _word(reference).search(left) and not is_list_denied
            if is_here and not (place < truth and _SEEMS.search(clause)):
                return True
            is_list_denied = is_list_denied or re.search(_DENIAL, clause) is not None
    return False


def is_guessed(clauses: Sequence[str]) -> bool:
    """Whether it is a choice left open, or of three or more, or things and nothing else."""
    text = " ".join(clauses)
    pieces = [piece for clause in clauses for piece in _OR.split(clause) if piece.strip()]
    items = sum(map(is_item, pieces))
    if _EITHER.search(text) or len(_MAYBE.findall(text)) > 1:
        return True
    is_choice = _OR.search(text) is not None and len(pieces) > _MOST_GUESSES
    return (is_choice and items >= len(pieces) - 1) or items == len(pieces) >= _BARE_LIST


def is_item(words: str) -> bool:
    return len(words.split()) <= _SHORT and not _STATES.search(words)


def goes_on(words: str) -> bool:
    """Whether a clause is one more item of the list before it."""
    return is_item(words) and re.match(rf"{_TURN}|only ", words) is None


@lru_cache(1 << 12)
def _word(reference: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(reference)}(?!\w)")


@lru_cache(1 << 12)
def _denied(reference: str) -> re.Pattern[str]:
    word = re.escape(reference)
    return re.compile(rf"{_DENIAL}{_BETWEEN}{_KIND}{word}(?!\w)|(?<!\w){word}{_IS_NOT}")
