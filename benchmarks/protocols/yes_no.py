"""What an English answer to a yes/no question says: yes, no, or neither.

The question is not an argument, so only what the answer itself commits to counts. It is read in
this order; the first thing found decides:

1. A leading word: "Yes, …", "No. …", "Nope", "Correct.", "Definitely not", "It does.", "No dots are
   visible". It wins over a later yes or no, except that
   - a correction takes the later word: "Yes… no, actually", "No — wait, yes";
   - a plain contradiction is uncertain: "Yes. No.", "Yes, … So the answer is no.";
- doubt in the same sentence is uncertain: "Yes, but I'm not sure", "No, it cannot be determined".
2. A conclusion: "The answer is no", "So, yes, the value is 5". Yes for one part and no for another,
   with nothing that sums up, is uncertain.
3. Doubt or refusal anywhere: "not sure", "unclear", "I can't tell", "I don't have the data", "it
   depends".
4. A verdict on what was asked: "That is incorrect", "It is not true that …", "This claim is
   correct".
5. A negated main clause in the concluding sentence or, without one, in the first or the last: "The
   value is not larger than 5", "There is no cat". It denies what was asked far more often than it
   affirms a negated question.
6. An emphatic one in these sentences: "China indeed had …", "It does show …"; "Absolutely, …".

Everything else is uncertain. That includes plain positive sentences: "Both lines have the same
length" says yes to one question and no to its opposite, so reading it as yes would be a guess. "Yes
or no" repeats the question and is passed over; "yes and no" and empty texts are uncertain.

Time grows with length alone: patterns have bounded repeats and run over single-spaced words (see
`_words`), of at most `_MOST_READ` characters.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from benchmarks.protocols.normal_forms import normalised
from benchmarks.protocols.remembering import remembering

Reading = Literal["yes", "no", "uncertain"]

_POLARITY: dict[str, Reading] = {
    **dict.fromkeys(("yes", "yeah", "yep", "yup", "yea", "aye", "affirmative"), "yes"),
    **dict.fromkeys(
        ("correct", "right", "true", "accurate", "exactly", "precisely", "so", "y"), "yes"
    ),
    **dict.fromkeys(("it seems so", "it appears so"), "yes"),
    **dict.fromkeys(("no", "n", "nope", "nah", "nay", "negative", "not"), "no"),
    **dict.fromkeys(("incorrect", "wrong", "false", "untrue", "inaccurate"), "no"),
}
_OPPOSITE: dict[Reading, Reading] = {"yes": "no", "no": "yes"}
_MOST_READ = 40_000
"""Twice the longest answer that a file may hold: one that grows beyond it as its characters are
made plain is made of signs that stand for whole phrases, none of them English."""


@remembering
def read_yes_no(text: str) -> Reading:
    """The answer's commitment, "uncertain" where it makes none; the module says what counts as
    one."""
    words = _words(text)
    if _BOTH.search(words):
        return "uncertain"
    opening = _OPENING.match(words)
    spoken = opening[0] if opening else ""
    sentences = _statements(f" {words[len(spoken) :]}")
    reading = (_led(sentences) or _unled(sentences)) if sentences else None
    assent = _STRONG_ASSENT if sentences else _ASSENT
    return reading or ("yes" if assent.search(spoken) else "uncertain")


# --- words ----------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"(?:[^\W\d_]\.){2,}"  # U.S., which ends no sentence
    r"|\d+(?:[.,]\d+)*"
    r"|[^\W\d_]+(?:'[^\W\d_]+)*"
    r"|[.,;:!?/\n—–]|--|(?<=\s)-(?=\s)"
)
_TAG = re.compile(r"</?[a-z][a-z0-9]{0,19}>")
_MARKS = (
    {mark: mark for mark in ".,:?/"}
    | dict.fromkeys("!;\n", ".")
    | dict.fromkeys(("—", "–", "-", "--"), ",")
)
_ENDS = (".", "?")
_PRONOUNS = ("it", "that", "there", "he", "she", "this", "what", "here", "who", "answer")
_TAILS = {"m": "am", "re": "are", "ve": "have", "ll": "will", "d": "would"}
_CONTRACTIONS = {
    **{
        f"{verb}nt": f"{verb} not"
        for verb in ("do", "does", "did", "is", "are", "was", "were", "has", "have")
    },
    **dict.fromkeys(("cannot", "can't", "cant"), "can not"),
    "won't": "will not",
    "shan't": "shall not",
    "ain't": "is not",
    "dunno": "do not know",
}


def _words(text: str) -> str:
    """Lower-case words and the marks `. , : ? /`, single-spaced: "**Yes**, it's…" is " yes , it is
    . ".

    Contractions are written out; "!", ";" and a line's end become ".", dashes ","; of several marks
    in a row the one that ends the sentence stays; quotes, brackets, tags and markdown go. "" where
    there is no word.
    """
    plain = _TAG.sub(" ", normalised(text, most=_MOST_READ).lower().replace("’", "'"))
    words: list[str] = []
    for token in _TOKEN.findall(plain):
        mark = _MARKS.get(token)
        if mark is None:
            words.append(_CONTRACTIONS.get(token) or _written_out(token))
        elif words and words[-1] not in _MARKS:
            words.append(mark)
        elif words and mark in _ENDS and words[-1] != "?":
            words[-1] = mark
    if not words:
        return ""
    if words[-1] not in _ENDS:
        words[len(words) - (words[-1] in _MARKS) :] = ["."]
    return f" {' '.join(words)} "


def _written_out(token: str) -> str:
    if "'" not in token:
        return token
    if token.endswith("n't"):
        return f"{token[:-3]} not"
    stem, _, tail = token.rpartition("'")
    if tail == "s":
        return f"{stem} is" if stem in _PRONOUNS else stem
    return f"{stem} {_TAILS[tail]}" if tail in _TAILS else token.replace("'", "")


_SENTENCE_END = re.compile(r"(?<= [.?]) ")
_QUESTION = re.compile(r"(?!yes |no )[^?]*\?")
_YES_OR_NO = re.compile(r" (?:(?:a )?yes (?:or|/) no|no (?:or|/) yes)(?: [?.:,])?(?= )")
_BOTH = re.compile(r" (?:yes and no|no and yes|yes nor no|yes ,? ?but also no) ")


def _statements(words: str) -> list[str]:
    """The sentences, each with a blank at both ends, without questions: they repeat what was asked.
    One that begins with yes or no is none, whatever mark ends it."""
    parts = (part.strip() for part in _SENTENCE_END.split(_YES_OR_NO.sub("", words)))
    return [f" {part} " for part in parts if part.strip(" .,:/?") and not _QUESTION.fullmatch(part)]


# --- 1. a leading word ----------------------------------------------------------------------------

_YES = "(?:yes|yeah|yep|yup|yea|aye)"
_NO = "(?:no|nope|nah|nay)"
_LABEL = (
    "(?:(?:the|my|final|short|direct|correct) "
    "){0,3}(?:answer|response|prediction|verdict|conclusion|output|result|assistant|model|a)(?: "
    "is| would be)? [:.]"
)
_FILLER = "(?:well|so|ok|okay|oh|hm+|um+|ah|hi|hello|thanks|thank you|great|no problem|no worries)"
_AGREEING = "(?:sure|certainly|of course|absolutely|definitely|indeed|surely)"
_OPENING = re.compile(
    rf"(?: (?:{_LABEL}|\d+ [.:]|{_FILLER}(?: [,.:])?|{_AGREEING} [,.:])(?= )){{1,4}} "
)
# "Sure! Here is …" only agrees to answer; standing alone it is the answer.
_ASSENT = re.compile(rf" {_AGREEING} ")
_STRONG_ASSENT = re.compile(r" (?:absolutely|definitely|indeed) ")

_LEAD = re.compile(
    r" (?:(?:absolutely|definitely|certainly|of course|surely|clearly|obviously|probably|most "
    r"likely|likely"
    r"|apparently|actually|i (?:would|will) say|i think|i believe|i guess|it is a) ){0,2}"
    rf"(?:(?P<word>{_YES}|{_NO}|(?:correct|right|true|exactly|precisely|affirmative|incorrect"
    r"|wrong|false|untrue|negative|not|so|it (?:seems|appears) so)(?= [,.:])|[yn](?= \. $))"
    r"|(?P<denied>not (?:at all|really|quite|exactly|true|correct|so|the case|accurate|right))"
    r"|(?:it|they|he|she|there|this|that|these|those|we|you|i) (?:is|are|was|were|does|do|did|has"
    r"|have|can|will)(?P<not> not)?(?= [,.]))(?= )"
)
_NO_ANSWER = re.compile(
    r" (?:idea|clue|comment|answer|opinion|response|(?:\w+ ){0,2}?(?:information|data|way to)) "
)
_MENTION = re.compile(rf" (?:{_YES}|{_NO}|true|false)(?= )")
_CORRECTION_MARK = (
    r"(?:wait|actually|sorry|correction|i mean|i meant|on second thoughts?|on reflection|scratch "
    r"that|hold on"
    r"|oops|my mistake|apologies|i apologi[sz]e|rather|make that)"
)
_CORRECTION = re.compile(
    rf" (?:{_CORRECTION_MARK}(?: [^ ]+){{0,5}}? (?P<after>{_YES}|{_NO})(?= [,.])"
    rf"|(?P<before>{_YES}|{_NO})(?: [,.])? {_CORRECTION_MARK}) "
)
_NEXT_WORD = re.compile(
    rf" (?:[,.:/] )?(?:(?:but|and) )?(?:also |maybe )?({_YES}|{_NO})(?= (?:[,.]|{_YES} |{_NO} ))"
)


def _led(sentences: Sequence[str]) -> Reading | None:
    """What a leading word says, None where there is none."""
    found = _LEAD.match(sentences[0])
    if found is None:
        return None
    rest = sentences[0][found.end() :]
    if found["word"] == "no" and rest.startswith(" doubt "):
        return "yes"
    if found["word"] == "no" and _NO_ANSWER.match(rest):
        return "uncertain"
    denied = found["denied"] or found["not"]
    lead = _POLARITY[found["word"]] if found["word"] else "no" if denied else "yes"
    return _kept(lead, rest, sentences[1:])


def _kept(lead: Reading, rest: str, later: Sequence[str]) -> Reading:
    """The leading word after all that follows it: kept, corrected, or taken back."""
    everything = rest + "".join(sentence[1:] for sentence in later)
    if _MENTION.search(everything):
        corrections = [
            found["after"] or found["before"] for found in _CORRECTION.finditer(everything)
        ]
        if corrections:
            return _POLARITY[corrections[-1]]
        at_once = _NEXT_WORD.match(everything)
        if at_once and _POLARITY[at_once[1]] != lead:
            return "uncertain"
        if _summed_up([rest, *later]) == _OPPOSITE[lead]:
            return "uncertain"
    return "uncertain" if _doubted(rest) else lead


# --- 2. a conclusion ------------------------------------------------------------------------------

_THEREFORE = (
    "(?:so|therefore|thus|hence|consequently|overall|in conclusion|in summary|in short|finally)"
)
_ANSWER_IS = re.compile(
    r" (?:answer|verdict|conclusion|response)(?: [^ ,.:]+){0,8}? (?:is|:|would be|must be|should "
    r"be|was)"
    r"(?: (?:a|an|clearly|definitely|likely|probably|therefore|still|also|:|,)){0,2}"
    rf" (?P<word>{_YES}|{_NO}|true|false)(?= [,.:])"
)
_SO_YES = re.compile(rf" {_THEREFORE}(?: ,)? (?P<word>{_YES}|{_NO})(?= )")
_SAID = re.compile(rf"(?: (?P<before>[^ ]+))? (?P<word>{_YES}|{_NO})(?= [,.:])")
_NOT_SAYING = frozenset(
    (
        "says",
        "reads",
        "said",
        "word",
        "words",
        "labeled",
        "labelled",
        "marked",
        "or",
        "nor",
        "not",
        "if",
        "whether",
    )
)


def _summed_up(sentences: Sequence[str]) -> Reading | None:
    """The last conclusion in so many words: "the answer is no", "so, yes"."""
    for sentence in reversed(sentences):
        said = [*_ANSWER_IS.finditer(sentence), *_SO_YES.finditer(sentence)]
        if said and not _is_imagined(sentence):
            return _POLARITY[said[-1]["word"]]
    return None


def _concluded(sentences: Sequence[str]) -> Reading | None:
    summed_up = _summed_up(sentences)
    if summed_up:
        return summed_up
    said = {
        _POLARITY[found["word"]]
        for sentence in sentences
        if _SAID.search(sentence) and not _is_imagined(sentence)
        for found in _SAID.finditer(sentence)
        if found["before"] not in _NOT_SAYING
    }
    if len(said) > 1:
        return "uncertain"
    return said.pop() if said else None


def _is_imagined(sentence: str) -> bool:
    return " if " in sentence and " would " in sentence


# --- 3. doubt -------------------------------------------------------------------------------------

_CAN_NOT = (
    "(?:can not|could not|can neither|unable to|not able to|not possible to|impossible to|not "
    "feasible to|difficult to|hard to|challenging to|tough to|not enough to|nothing to)"
)
_FIND_OUT = (
    "(?:determined?|tell|told|say|said|confirm(?:ed)?|answer(?:ed)?|verify|verified|know|known"
    "|ascertain(?:ed)?|judged?|assess(?:ed)?|concluded?|decided?|discern(?:ed)?|evaluated?|provide"
    "|provided|offer|give|help|assist|comply|estimated?|infer(?:red)?|establish(?:ed)?|make out"
    "|be sure|be certain)"
)
_LOOK_AT = "(?:see|view|access|open|process|analy[sz]e|interpret|display|find)"
_PICTURE = (
    "(?:images?|pictures?|photos?|figures?|charts?|maps?|tables?|files?|attachments?|videos?)"
)
_DOUBT = re.compile(
    rf" (?:{_CAN_NOT} (?:[^ ,.:]+ ){{0,3}}?{_FIND_OUT}(?! (?:[^ ]+ ){{0,2}}?apart)"
    rf"|(?:can not|unable to|not able to) (?:[^ ,.:]+ )?{_LOOK_AT} (?:any |the |this |your |that "
    rf")?{_PICTURE}"
    r"|not (?:[^ ,.:]+ ){0,2}?(?:sure|certain|clear)|not (?:enough|sufficient|conclusive|specified)"
    r"|not (?:conclusively|definitively)|unsure|uncertain|unclear|inconclusive|undetermined"
    r"|indeterminate"
    r"|ambiguous|insufficient|no idea|no clue|no way to|depends (?:on|upon)|it depends|maybe"
    r"|perhaps"
    r"|(?:i|we) do not (?:[^ ,.:]+ )?(?:know|have|possess|understand)|i do not see (?:any |an |the "
    r")?image"
    r"|(?:not|no) (?:provide|give|contain|include|show|offer|enough)(?: [^ ,.:]+){0,3}"
    r" (?:information|context|details?|data|evidence)|neither confirm|partially|partly"
    r"|(?:i|you|one) would need|as an ai)(?= )"
)
_CONCESSION = re.compile(r" (?:although|though|while|even|despite|however) ")


def _doubted(words: str) -> bool:
    """Whether doubt is the message and not granted in passing ("…, although it is hard to tell how
    much")."""
    found = _DOUBT.search(words)
    return found is not None and not _CONCESSION.search(words, 0, found.start() + 1)


# --- 4 to 6. sentences without yes or no ----------------------------------------------------------

_VERDICT = re.compile(
    r" (?:(?:this|that|it|you|(?:statement|claim|assertion|description|premise)(?: [^ "
    r",.:]+){0,12}?)"
    r" (?:is|was|are|would be) (?P<not>not )?(?:[^ ,.:]+ly |quite |also )?(?P<late>not )?"
    r"(?P<word>correct|true|accurate|incorrect|wrong|false|untrue|inaccurate|right)"
    r"(?= (?:[,.:]|that|to say|because|as|since|according|based))"
    r"|it is (?P<no>not )?the case that)(?= )"
)
_NEGATED = re.compile(
    r" (?:(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|must|seems?"
    r"|appears?)"
    r"(?: (?!and |but |or )[^ ,.:]+){0,2}? not"
    r" (?!(?:only|just|merely|simply|necessarily|always|uncommon|unusual) )"
    r"|(?:there|shows|contains|has|have|includes|depicts|see|with) (?:(?:is|are|was|were|to be) "
    r")?no "
    r"|never |none |nobody |nothing |neither (?=[a-z])|nowhere )"
)
_ASIDE = re.compile(
    r" (?:who|which|whose|where|because|since|although|though|while|whereas|if|when|unless"
    r"|whether)(?= )"
)
_CLAUSE_END = re.compile(r" (?:[,:.]|but)(?= )")
_COMPARED = re.compile(r" (?:than|as|how|what)(?= )")
_EMPHASIS = re.compile(
    r" (?:indeed|(?:does|did) (?!not |so |in |at |on |for |it |this |that )[^ ,.:?]+) "
)
_CONCLUDING = re.compile(rf" {_THEREFORE} ")


def _unled(sentences: Sequence[str]) -> Reading | None:
    concluded = _concluded(sentences)
    if concluded:
        return concluded
    if any(_doubted(sentence) for sentence in sentences):
        return "uncertain"
    return _statement_verdict(sentences) or _denied(sentences)


def _statement_verdict(sentences: Sequence[str]) -> Reading | None:
    for sentence in sentences:
        found = _VERDICT.search(sentence)
        if found:
            said: Reading = _POLARITY[found["word"]] if found["word"] else "yes"
            return _OPPOSITE[said] if found["not"] or found["late"] or found["no"] else said
    return None


def _denied(sentences: Sequence[str]) -> Reading | None:
    """ "no" where a sentence that counts has a negated main clause, "yes" where one has an emphatic
    one."""
    concluding = [sentence for sentence in sentences if _CONCLUDING.match(sentence)]
    deciding = concluding[-1:] or [sentences[0], sentences[-1]]
    clauses = [clause for sentence in deciding for clause in _main_clauses(sentence)]
    if any(_NEGATED.search(clause) for clause in clauses):
        return "no"
    if any(_EMPHASIS.search(f"{_COMPARED.split(clause, maxsplit=1)[0]} ") for clause in clauses):
        return "yes"
    return None


def _main_clauses(sentence: str) -> Iterator[str]:
    """The clauses of a sentence, each without what follows "which", "because", "although" … in
    it."""
    for clause in _CLAUSE_END.split(sentence):
        yield f"{_ASIDE.split(f'{clause} ', maxsplit=1)[0].rstrip()} "
