"""What an English answer to a yes/no question says: yes, no, or neither.

The question is not an argument, so only what the answer itself commits to counts. What it says of
the words yes and no themselves is made plain first (`yes_no_mentions`). Then it is read in this
order; the first thing found decides:

1. A leading word: "Yes, …", "No. …", "Nope", "Correct.", "Definitely not", "It does.", "No dots are
   visible". It wins over a later yes or no, except that
   - a correction takes the later word: "Yes… no, actually", "No — wait, yes";
   - a plain contradiction is uncertain: "Yes. No.", "Yes, … So the answer is no.", and so are parts
     of a question, unless something sums up: "Yes for the first, no for the second";
   - one that only agrees ("Correct, …", "That is true, …") with a negated clause is uncertain:
     "Correct, there is no cat" says yes to one question and no to another;
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

"Yes" and "no" of nine other languages are read where they lead, "1" and "0" where they stand alone.

Everything else is uncertain. That includes plain positive sentences: "Both lines have the same
length" says yes to one question and no to its opposite, so reading it as yes would be a guess. "Yes
or no" repeats the question and is passed over; "yes and no" and empty texts are uncertain.

Time grows with length alone: patterns have bounded repeats and run over single-spaced words (see
`_words`), of at most `MOST_READ` characters.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal

from benchmarks.protocols.answer_texts.normal_forms import MOST_READ, normalised
from benchmarks.protocols.answer_texts.yes_no_mentions import (
    ENDS,
    NO,
    SUPPOSED,
    UNDECIDED,
    YES,
    made_plain,
)
from benchmarks.protocols.remembering import remembering

Reading = Literal["yes", "no", "uncertain"]

_POLARITY: dict[str, Reading] = {
    **dict.fromkeys(("yes", "yeah", "yep", "yup", "yea", "aye", "affirmative"), "yes"),
    **dict.fromkeys(
        ("correct", "right", "true", "accurate", "exactly", "precisely", "so", "y"), "yes"
    ),
    **dict.fromkeys(("it seems so", "it appears so"), "yes"),
    **dict.fromkeys(("not false", "not wrong", "not incorrect", "not untrue"), "yes"),
    **dict.fromkeys(("no", "n", "nope", "nah", "nay", "negative", "not"), "no"),
    **dict.fromkeys(("incorrect", "wrong", "false", "untrue", "inaccurate", "mistaken"), "no"),
}
_NO_DOUBT = re.compile(
    r" (?:(?:there is )?no (?:doubt|question)(?: about (?:it|that|this))?|(?:without"
    r"|beyond) (?:an?|any|all)? ?(?:doubt|question)|you bet(?: it is| it does)?) \. "
)
_ALONE: dict[str, Reading] = {" 1 . ": "yes", " 0 . ": "no"}
_ABROAD: dict[Reading, str] = {
    "yes": "ja|jawohl|richtig|oui|bien sûr que oui|vrai|sí|si|claro que sí|correcto|verdadero"
    "|sì|vero|sim|verdadeiro|是|是的|对|对的|正确|没错|有|有的|はい|ええ|そうです|네|예|да|верно",
    "no": "nein|natürlich nicht|falsch|non|bien sûr que non|pas du tout|faux|claro que no"
    "|incorrecto|falso|não|否|不|不是|不是的|不对|不正确|没有|错误|いいえ|いや|違います"
    "|そうではありません|아니요|아니오|아닙니다|нет|неверно",
}
"""German, French, Spanish, Italian, Portuguese, Chinese; Japanese, Korean, Russian."""
_ANSWER_ABROAD = (
    "(?:(?:die|meine) antwort (?:ist|lautet)|(?:la|ma) réponse est|(?:la|mi) respuesta es"
    "|(?:la|mia) risposta è|a resposta é|ответ|答案是?|答えは)"
)
"""What "the answer is" is in these, but for Korean."""
_POLARITY |= {word: said for said, words in _ABROAD.items() for word in words.split("|")}
_OPPOSITE: dict[Reading, Reading] = {"yes": "no", "no": "yes"}


@remembering
def read_yes_no(text: str) -> Reading:
    """The answer's commitment, "uncertain" where it makes none; the module says what counts as
    one."""
    words = made_plain(_NUMERO.sub(" number", _words(text)))
    if _BOTH.search(words):
        last = _statements(words)[-1:]
        return _summed_up([each for each in last if _AFTER_ALL.search(each)]) or "uncertain"
    if _NO_DOUBT.fullmatch(words):
        return "yes"
    if alone := _ALONE.get(words):
        return alone
    opening = _OPENING.match(words)
    spoken = opening[0] if opening else ""
    sentences = _statements(f" {words[len(spoken) :]}")
    if sentences and (final := _FINAL.fullmatch(sentences[-1])):
        return _POLARITY[final["word"]]
    reading: Reading | None = None
    if sentences:
        agrees = _ASSENT.search(spoken) and _NO_SUCH_THING.match(sentences[0])
        is_left_open = UNDECIDED in words or SUPPOSED in words
        begins = words[len(spoken) :].split(" . ")[0]
        led = None if agrees or UNDECIDED in begins else _led(sentences)
        reading = led or _unled(sentences, spoken, is_left_open=is_left_open)
    assent = _STRONG_ASSENT if sentences else _ASSENT
    return reading or ("yes" if assent.search(spoken) else "uncertain")


# --- words ----------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"(?:[^\W\d_]\.){2,}"  # U.S., which ends no sentence
    r"|\d+(?:[.,]\d+)*|[^\W\d_]+(?:'[^\W\d_]+)*|[.,;:!?/\n—–。、]|--|(?<=\s)-(?=\s)"
)
_COMMAND = re.compile(r"\\(?:boxed|text[a-z]{0,4}|math[a-z]{2,3})(?![a-z])")
_TAG = re.compile(r"</?[a-z][a-z0-9]{0,19}>|~~[^~\n]{1,200}~~")  # or struck out
_MARKS = (
    {mark: mark for mark in ".,:?/"}
    | dict.fromkeys("!;\n。", ".")
    | dict.fromkeys(("—", "–", "-", "--", "、"), ",")
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
    "theres": "there is",
    "thats": "that is",
}


def _words(text: str) -> str:
    """Lower-case words and the marks `. , : ? /`, single-spaced: "**Yes**, it's…" is " yes , it is
    . ".

    Contractions are written out; "!", ";" and a line's end become ".", dashes ","; of several marks
    in a row the one that ends the sentence stays; quotes, brackets, tags and markdown go. "" where
    there is no word.
    """
    plain = _TAG.sub(" ", normalised(text, most=MOST_READ).lower().replace("’", "'"))
    plain = _COMMAND.sub(" ", plain)
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


_LONG_NO, _LONG_YES = re.compile("noo+"), re.compile("ye+s+")


def _written_out(token: str) -> str:
    if "'" not in token:
        return "no" if _LONG_NO.fullmatch(token) else "yes" if _LONG_YES.fullmatch(token) else token
    if token.endswith(("n't", "'nt")):
        return f"{token[:-3]} not"
    stem, _, tail = token.rpartition("'")
    if tail == "s":
        return f"{stem} is" if stem in _PRONOUNS else stem
    return f"{stem} {_TAILS[tail]}" if tail in _TAILS else token.replace("'", "")


_SENTENCE_END = re.compile(r"(?<= [.?]) ")
_QUESTION = re.compile(r"(?!yes |no )[^?]*\?")
_YES_OR_NO = re.compile(
    r" (?:(?:a )?yes (?:or|/) no|no (?:or|/) yes|(?:sí|si|sì) o no)(?: [?.:,])?(?= )"
)
_ASKED_BACK = re.compile(rf"(?:{YES}|{NO}) \?")
_NUMERO = re.compile(r" no \.(?= \d+ [^.])")  # "No. 4 is the bus to the museum"
_BOTH = re.compile(r" (?:yes and no|no and yes|yes nor no|yes ,? ?but also no) ")


def _statements(words: str) -> list[str]:
    """The sentences, each with a blank at both ends, without questions: they repeat what was asked.
    One that begins with yes or no is none, whatever mark ends it; but for "Yes?" before an answer.
    """
    parts = (part.strip() for part in _SENTENCE_END.split(_YES_OR_NO.sub("", words)))
    said = [part for part in parts if part.strip(" .,:/?") and not _QUESTION.fullmatch(part)]
    while len(said) > 1 and _ASKED_BACK.fullmatch(said[0]):
        del said[0]
    return [f" {part} " for part in said if UNDECIDED not in part]


# --- 1. a leading word ----------------------------------------------------------------------------

_LABEL = (
    "(?:(?:the|my|final|short|direct|correct) ){0,3}(?:answer|response|prediction|verdict"
    "|conclusion|output|result|assistant|model|a)(?: is| would be)? [:.]"
)
_FILLER = "(?:well|so|ok|okay|oh|hm+|um+|ah|hi|hello|thanks|thank you|great|no problem|no worries)"
_AGREEING = "(?:sure|certainly|of course|absolutely|definitely|indeed|surely)"
_HELPING = (
    "(?:yes|sure|of course|certainly|absolutely) , i (?:can|will|would|could|am|see)"
    "(?: [^ ,.:]+){0,3}? (?:help|assist|answer|look|(?:the|your) (?:image|picture|photo|question))"
    "(?: (?:you|at|with|in|that|this|it|the|your|question|image|picture|photo)){0,5}"
    r" \.(?= [^ ]+ [^ ])"
)
"""Said to whoever asks, where more follows: "Yes, I can help with that. The answer is no." """
_OPENING = re.compile(
    rf"(?: (?:{_LABEL}|{_ANSWER_ABROAD}(?: :)?|{_HELPING}|\d+ [.:]|{_FILLER}(?: [,.:])?"
    rf"|{_AGREEING} [,.:])(?= )){{1,4}} "
)
# "Sure! Here is …" only agrees to answer; standing alone it is the answer.
_ASSENT = re.compile(rf" {_AGREEING} ")
_AS_SAID = re.compile(
    r" (?:as|like) (?:you|the (?:question|caption|statement)) (?:have |has )?(?:said|says?|stated?"
    r"|mentioned|noted|suggest(?:s|ed)?|described?|assumed?|observed?|put it)(?= )"
)
_STRONG_ASSENT = re.compile(r" (?:absolutely|definitely|indeed) ")

_LEAD = re.compile(
    r" (?:(?:absolutely|definitely|certainly|of course|surely|clearly|obviously|probably"
    r"|most likely|likely|apparently|actually|quite|very|perfectly|entirely|i (?:would|will) say"
    r"|i think|i believe|i guess|it is a) ){0,2}"
    rf"(?:(?P<word>{YES}|{NO}|(?:correct|right|true|exactly|precisely|affirmative|incorrect"
    r"|wrong|false|untrue|negative|not(?: (?:false|wrong|incorrect|untrue))?|so"
    r"|it (?:seems|appears) so"
    rf"|{'|'.join(_ABROAD.values())})(?= (?:です )?[,.:])|[yn](?= \. $))"
    r"|(?P<denied>not (?:at all|really|quite|exactly|true|correct|so|the case|accurate|right"
    r"|likely|a chance)"
    r"|(?:not in the (?:slightest|least)|not even close|by no means|in no way"
    r"|under no circumstances|hardly|far from it|almost certainly not)(?= [,.]))"
    r"|(?:it|they|he|she|there|this|that|these|those|we|you|i) (?:certainly |definitely |indeed "
    r"|surely |clearly |really |sure |absolutely )?(?:is|are|was|were|does|do|did|has|have|can"
    r"|will)(?P<not> not)?(?= [,.]))(?= )"
)
_PICTURE = (
    "(?:images?|pictures?|photos?|figures?|charts?|maps?|tables?|files?|attachments?|videos?)"
)
_NO_ANSWER = re.compile(
    r" (?:(?:\w+ )?(?:answer|response|conclusion|judge?ment|verdict|decision)(?= (?:[,.:]|is|was"
    r"|possible|can|could|has|to|from))|(?:idea|clue|comment|opinion|one (?:knows|can|could)) "
    rf"|(?:\w+ ){{0,2}}?(?:information|data|way (?:to|of)) |{_PICTURE} (?:is|was|were|are|has been"
    r"|have been|could be) (?:provided|attached|uploaded|given|included|available|loaded"
    r"|received) )"
)
_MENTION = re.compile(rf" (?:{YES}|{NO}|true|false)(?= )")
_CORRECTION_MARK = (
    r"(?:wait|actually|sorry|correction|i mean|i meant|on second thoughts?|on reflection"
    r"|scratch that|hold on|oops|oh|let me|i take (?:that|it) back|looking again|my mistake"
    r"|apologies|i apologi[sz]e|rather|make that)"
)
_CORRECTION = re.compile(
    rf" (?:{_CORRECTION_MARK}(?: [^ ]+){{0,20}}? (?P<after>{YES}|{NO})(?= [,.:])|(?P<before>{YES}"
    rf"|{NO})(?: [,.])? {_CORRECTION_MARK}) "
)
_NEXT_WORD = re.compile(
    rf" (?:[,.:/] )?(?:hm+ [,.] )?(?:(?:but|and|or) )?(?:also |maybe |perhaps )?({YES}"
    rf"|{NO})(?= (?:[,.]|{YES} |{NO} ))"
)


_YES_ITSELF = re.compile(YES)
_NO_SUCH = re.compile(
    r" (?!(?:[,.:?/]|the|an?|its?|they|there|this|that|these|those|s?he|we|you|i|in|on|at"
    r"|according|based|not|as|because|since|for|and|but|or|both|all|none|to|from|looking|only"
    r"|actually|just|here|neither|his|her|their|my|your|if|while|although|though|yes"
    r"|no)(?= ))[^ ]+ "
)
_NO_SUCH_THING = re.compile(f" no(?={_NO_SUCH.pattern})")
_NO_MORE = re.compile(
    r" (?:(?:more|fewer|less|later|earlier|sooner) than"
    r"|(?:[^ ,.:]+ )?(?:differences?|errors?|mistakes?|objections?)) "
)
_PROVIDED = re.compile(r" (?:[,:] )?(?:but )?(?:only )?(?:if|provided|assuming|as long as|unless) ")
_EITHER_WAY = re.compile(rf" (?:[,:] )?if (?:[^ ]+ ){{1,20}}?(?:{YES}|{NO}) (?:otherwise|if) ")
_PART = re.compile(r" (?:for|to|in|on|as to|with|regarding|about|when|at)(?= )")
_NEGATIVE_SUBJECT = re.compile(r" (?:no|none|neither|nobody|nothing|never|not)(?= )")


_TURN = re.compile(r" [,.:] (?:oh )?(?:no )?(?:wait|hold on|scratch that)(?= )")
_SELF_DOUBT = re.compile(r" (?:i|we) (?:could|may|might) (?:[^ ,.:]+ )?be (?:wrong|mistaken)(?= )")
_OPENS = re.compile(rf" ({YES}|{NO}) (?:x )?[,.:]")
_AT_LAST = re.compile(rf" : ({YES}|{NO}) \. $")


def _led(sentences: Sequence[str]) -> Reading | None:
    """What a leading word says, None where there is none."""
    found = _LEAD.match(sentences[0])
    if found is None:
        return None
    rest = sentences[0][found.end() :]
    if found["word"] == "no" and rest.startswith(" doubt "):
        return _concluded([rest, *sentences[1:]]) or "yes"
    if found["word"] == "no" and _NO_ANSWER.match(rest):
        return "uncertain"
    later = sentences[1:]
    if " would " in found[0] and _is_imagined(sentences[0]):
        return _concluded(later) or "uncertain"
    if found["word"] == "no" and _NO_MORE.match(rest):
        return _concluded([rest, *later]) or "uncertain"
    if _is_provided(rest, sentences[0]):
        return "uncertain"
    denied = found["denied"] or found["not"]
    lead = _POLARITY[found["word"]] if found["word"] else "no" if denied else "yes"
    if lead == "yes" and not _YES_ITSELF.fullmatch(found["word"] or "") and _is_denial(rest):
        return "uncertain"
    if found["word"] == "no" and _NO_SUCH.match(rest) and (said := _concluded([rest, *later])):
        return said
    if _PART.match(rest) and _OPPOSITE[lead] in _mentioned([rest, *later]):
        return _summed_up([rest, *later]) or "uncertain"
    return _kept(lead, rest, later)


def _is_provided(rest: str, sentence: str) -> bool:
    """ "Yes, but only if one counts the toy", "yes if one does, no otherwise"."""
    if _EITHER_WAY.match(rest):
        return True
    provided = None if _IF_ONE_LOOKS.search(sentence) else _PROVIDED.match(rest)
    return provided is not None and (" otherwise " in rest or " , " not in rest[provided.end() :])


def _is_denial(words: str) -> bool:
    """Whether the first clause of these words is negated: "Correct, there is no cat" is yes to one
    question and no to the other."""
    clause = next((each for each in _CLAUSE_END.split(words) if each.strip(" .,:?/")), "")
    return _NEGATED.search(f"{clause} ") is not None or _NEGATIVE_SUBJECT.match(clause) is not None


def _kept(lead: Reading, rest: str, later: Sequence[str]) -> Reading:
    """The leading word after all that follows it: kept, corrected, or taken back."""
    everything = rest + "".join(sentence[1:] for sentence in later)
    if _MENTION.search(everything):
        corrections = [
            found["after"] or found["before"] for found in _CORRECTION.finditer(everything)
        ]
        if corrections:
            return (
                "uncertain"
                if _doubted(later[-1] if later else rest)
                else _POLARITY[corrections[-1]]
            )
        at_once = _NEXT_WORD.match(everything)
        if (at_once and _POLARITY[at_once[1]] != lead) or _is_taken_back(lead, later):
            return _summed_up([s for s in later[-1:] if _AFTER_ALL.search(s)]) or "uncertain"
        if _summed_up([rest, *later]) == _OPPOSITE[lead]:
            return "uncertain"
        if (last := _AT_LAST.search(everything)) and _POLARITY[last[1]] != lead:
            return "uncertain"
    if _TURN.match(rest) or _SELF_DOUBT.search(everything):
        return "uncertain"
    return "uncertain" if _doubted(rest) else lead


def _is_taken_back(lead: Reading, later: Sequence[str]) -> bool:
    """Whether a sentence begins with the other word: "Yes, they are red. No, they are not large."
    It does not in "Yes, there is a dip, but it is small"."""
    for sentence, after in pairwise([*later, ""]):
        found = _OPENS.match(sentence)
        if found and _POLARITY[found[1]] != lead:
            return " but " not in sentence and not after.startswith((" but ", " however "))
    return False


# --- 2. a conclusion ------------------------------------------------------------------------------

_THEREFORE = (
    "(?:so|therefore|thus|hence|consequently|overall|in conclusion|in summary|in short|finally)"
)
_AFTER_ALL = re.compile(
    rf" (?:{_THEREFORE}|all in all|taken together|together|on the whole|altogether"
    rf"|as a whole)(?= )"
)
_ANSWER_IS = re.compile(
    r" (?:answer|verdict|conclusion|response|reply|choice|option)(?: [^ ,.:]+){0,8}? (?:is|:"
    r"|would be|must be|should be|was)(?: (?:a|an|clearly|definitely|likely|probably|therefore"
    r"|still|also|:|,)){0,2}"
    rf" (?P<word>{YES}|{NO}|true|false){ENDS}"
)
_SO_YES = re.compile(
    rf"{_AFTER_ALL.pattern}(?: [,:])?(?: (?:though|however|then) ,?)?(?: it is| i say)? "
    rf"(?P<word>{YES}|{NO}){ENDS}"
)
_SAID = re.compile(rf"(?: (?P<before>[^ ]+))? (?P<word>{YES}|{NO}){ENDS}")
_FINAL = re.compile(rf" (?:final )?(?:answer|verdict|conclusion) : (?P<word>{YES}|{NO}) \. ")
_CLOSE = 120  # characters before a mention in which a doubt of it stands
_HALF = frozenset(("partially", "partly", "half", "somewhat", "almost", "between", "neither"))
_NOT_SAYING = frozenset(
    (
        "says",
        "reads",
        "said",
        "the",
        "this",
        "that",
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
        found = [*_ANSWER_IS.finditer(sentence), *_SO_YES.finditer(sentence)]
        if found and not _is_imagined(sentence):
            said = {_POLARITY[each["word"]] for each in found}
            said |= _mentioned([sentence[found[-1].end() :]])
            is_doubted = _doubted(sentence[: found[0].start("word")], within=True)
            return said.pop() if len(said) == 1 and not is_doubted else "uncertain"
    return None


def _concluded(sentences: Sequence[str]) -> Reading | None:
    summed_up = _summed_up(sentences)
    if summed_up:
        return summed_up
    said = _mentioned(sentences)
    if len(said) > 1:
        return "uncertain"
    return said.pop() if said else None


def _mentioned(sentences: Sequence[str]) -> set[Reading]:
    """What yes and no say wherever they stand for an answer; both where one is doubted."""
    said: set[Reading] = set()
    for sentence in sentences:
        mentions = [] if _is_imagined(sentence) else [*_SAID.finditer(sentence)]
        if mentions and _doubted(sentence[mentions[-1].end() :]):
            return {"yes", "no"}
        for found in mentions:
            start = found.start("word")
            if found["before"] in _HALF or _doubted(
                sentence[max(0, start - _CLOSE) : start], within=True
            ):
                return {"yes", "no"}
            if found["before"] not in _NOT_SAYING:
                said.add(_POLARITY[found["word"]])
    return said


_IF = re.compile(r" (?:if|unless|provided that|in case|assuming)(?= )")
_IF_ONE_LOOKS = re.compile(
    r" if (?:you|we|one|i) (?:[^ ,.:]+ly )?(?:(?:have to|had to|must|need to|were to) [^ ,.:]+"
    r"|look|zoom|compare|check|measure|consider|count|read|follow|go|examine|see|take|add|observe"
    r"|inspect|think)(?= )"
)
_HAD_IT_BEEN = re.compile(r" (?:had|were|should) (?:[^ ,.:]+ ){1,12}, ")


def _is_imagined(sentence: str) -> bool:
    """Whether it speaks of another picture: "if it were red, yes", "had it been red, the answer
    would be yes". Looking at this one closely is no other."""
    looked = _IF_ONE_LOOKS.search(sentence)
    return bool(_IF.search(sentence) and not looked) or bool(_HAD_IT_BEEN.match(sentence))


def _is_unfulfilled(imagined: Sequence[str], last: str) -> bool:
    """ "If they were parallel, the answer would be yes. They are not parallel." """
    shared = set(last.split()) & set(imagined[0].split())
    said = {_POLARITY[found["word"]] for each in imagined for found in _SAID.finditer(each)}
    return said == {"yes"} and any(len(word) > 4 for word in shared)


# --- 3. doubt -------------------------------------------------------------------------------------

_CAN_NOT = (
    "(?:can not|could not|can neither|unable to|not able to|not possible to|impossible to"
    "|not feasible to|difficult to|hard to|challenging to|tough to|not enough to|nothing to)"
)
_FIND_OUT = (
    "(?:determined?|tell|told|say|said|confirm(?:ed)?|answer(?:ed)?|verify|verified|know|known"
    "|ascertain(?:ed)?|judged?|assess(?:ed)?|concluded?|decided?|discern(?:ed)?|evaluated?|provide"
    "|provided|offer|give|help|assist|comply|estimated?|infer(?:red)?|establish(?:ed)?|make out"
    "|be sure|be certain)"
)
_LOOK_AT = "(?:see|view|access|open|process|analy[sz]e|interpret|display|find)"
_DOUBT = re.compile(
    rf" (?:{_CAN_NOT} (?:[^ ,.:]+ ){{0,3}}?{_FIND_OUT}(?! (?:[^ ]+ ){{0,2}}?apart)|(?:can not"
    rf"|unable to|not able to) (?:[^ ,.:]+ )?{_LOOK_AT} (?:any |the |this |your |that )?{_PICTURE}"
    r"|not (?:[^ ,.:]+ ){0,2}?(?:sure|certain|clear)|not (?:enough|sufficient|conclusive"
    r"|specified)|not (?:conclusively|definitively)|unsure|uncertain|unclear|inconclusive"
    r"|undetermined|indeterminate|ambiguous|insufficient|no idea|no clue|no way to|depends (?:on"
    r"|upon)|it depends|maybe|perhaps|(?:i|we) do not (?:[^ ,.:]+ )?(?:know|have|possess"
    r"|understand)|i do not see (?:any |an |the )?image|(?:not|no) (?:provide|give|contain|include"
    r"|show|offer|enough)(?: [^ ,.:]+){0,3} (?:information|context|details?|data|evidence)"
    r"|neither confirm|partially|partly"
    rf"|too [^ ,.:]+ to {_FIND_OUT}|neither (?:true|right|correct|wrong|false) nor|can not decide"
    rf"|can not settle|(?:do not|will not|would not|not) (?:want to |like to |dare )?guess"
    r"|(?:the )?others? (?:half )?(?:is|are|do|does|has|have|was|were) not"
    rf"|{_PICTURE} (?:[^ ,.:]+ ){{0,2}}?not (?:been |be )?(?:load(?:ed)?|attached|uploaded|provided"
    rf"|included|available"
    r"|received|come through)|please (?:send|upload|attach|provide|share)"
    rf"|see no {_PICTURE}|neither (?:answer|option|choice) (?:is|fits|applies)"
    r"|not (?:be )?(?:ruled? out|excluded?)|not in a position to|no way of|there is no (?:telling"
    r"|certainty|way)|no (?:reason|need|basis|grounds) (?:to|for) (?:say|saying|answer|answering)"
    r"|(?:nobody|no one) (?:knows|can|could)|nothing (?:is certain|can be (?:said|concluded|told))"
    r"|have no (?:opinion|answer|view)"
    r"|(?:i|you|one) would need|as an ai)(?= )"
)
_CONCESSION = re.compile(r" (?:although|though|while|even|despite|however) ")


def _doubted(words: str, *, within: bool = False) -> bool:
    """Whether doubt is the message and not granted in passing ("…, although it is hard to tell how
    much"). `within`: in the last clause of these words alone."""
    if within:
        words = f"{_CLAUSE_END.split(words)[-1]} "
    found = _DOUBT.search(words)
    return found is not None and not _CONCESSION.search(words, 0, found.start() + 1)


# --- 4 to 6. sentences without yes or no ----------------------------------------------------------

_VERDICT = re.compile(
    r" (?:(?:this|that|it|you|(?:statement|claim|assertion|description|premise|observation|guess"
    r"|understanding|first|second|other)(?: [^ ,.:]+){0,12}?) (?:is|was|are"
    r"|would be|can(?= not)|could(?= not)|must) (?P<not>(?:not|hardly|scarcely|barely|far from"
    r"|anything but) )?(?:be )?(?:[^ ,.:]+ly |quite |also )?(?P<late>not )?(?:an? )?"
    r"(?P<word>correct|true|accurate|incorrect|wrong|false|untrue|inaccurate|right"
    r"|mistaken)(?= (?:[,.:]|statement|claim|description|and|but|while|whereas|that|to say|because"
    r"|as|since|according|based))|it is (?P<no>not )?the case that"
    r"|i (?:[^ ,.:]+ly )?(?P<never>(?:do|can|could|would) not )?"
    r"(?:(?:would|do|must|have to) )?(?P<agrees>agree(?P<more> more)?"
    r"|concur|disagree)(?= (?:[,.:]|with|that|because|as)))(?= )"
)
_NOTHING_OF_IT = re.compile(
    r" (?:nothing|none|neither|no (?:part|word)|(?P<some>not (?:all|every|everything)))"
    r"(?: [^ ,.:]+){0,4}$"
)
_TURNED_ROUND = (
    "(?:(?:[^ ,.:]+ly )?(?:disagree|differ|deny|denying|doubt|doubting|dispute|disputing|object"
    "|objection|contradict|contradiction|disprove|unequal|unlike|dissimilar|see why not|wrong"
    "|incorrect|false|untrue|inaccurate|misleading|mistaken|differences?|evidence against"
    "|reasons? (?:to doubt|not|against))|(?:be |been )?(?:den(?:y|ied)|doubted|disputed|ruled out"
    "|excluded|disproved)|(?:speaks |counts )?(?:against|contradicts)|(?:find |see |notice )?"
    "(?:any |anything )?(?:[^ ,.:]+ )?(?:wrong|errors?|mistakes?|problems?) (?:with|in|about))"
)
"""A negation of these says that something is so, and to which question nobody knows."""
_NEGATED = re.compile(
    r" (?:(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|must|seems?"
    r"|appears?)(?: (?!and |but |or )[^ ,.:]+){0,2}? not (?!(?:until|without|only|just|merely"
    rf"|simply|necessarily|always|uncommon|unusual|{_TURNED_ROUND}) )"
    r"|(?:there|shows|contains|has|have|includes"
    r"|depicts|see|with) (?:(?:is|are|was|were|to be) )?no (?!(?:fewer|less|more|doubt|matter"
    rf"|longer than|{_TURNED_ROUND}) )|(?:is|are|was|were|do|does|can|could) no longer "
    rf"|never |none |nobody |nothing |neither (?=[a-z])|nowhere )(?!but |other than "
    rf"|{_TURNED_ROUND} )"
)
_ASIDE = re.compile(
    r" (?:(?<=[a-z] )(?<!think )(?<!believe )(?<!say )(?<!so )(?<!and )(?<!but )that(?= (?:is|are"
    r"|was|were|do|does|did|has|have|had|can|could|will|would|never) )|who|which|whose|where"
    r"|because|since|although|though|while|whereas|if|when|unless|whether)(?= )"
)
_CLAUSE_END = re.compile(r" (?:[,:.]|but)(?= )")
_COMPARED = re.compile(r" (?:than|as|how|what)(?= )")
_EMPHASIS = re.compile(
    r" (?:indeed|(?:certainly|definitely|absolutely) (?:is|are|was|were|does|has|have|can)(?! not)"
    r"|(?:does|did|(?<=[a-z] )do) (?:in fact |actually |really )?(?!not |so |in |at |on |for |it "
    r"|this |that |the |an? |you |we )[^ ,.:?]+) "
)
_CONCLUDING = re.compile(rf" {_THEREFORE} ")


def _unled(sentences: Sequence[str], opening: str, *, is_left_open: bool) -> Reading | None:
    concluded = _concluded(sentences)
    if concluded:
        return concluded
    imagined = [each for each in sentences if _SAID.search(each) and _is_imagined(each)]
    if is_left_open or (imagined and not _is_unfulfilled(imagined, sentences[-1])):
        return "uncertain"
    if any(_doubted(sentence) for sentence in sentences):
        return "uncertain"
    agreed = _AS_SAID.match(sentences[0])
    agrees = agreed or _ASSENT.search(opening)
    if agrees and _is_denial(sentences[0][agreed.end() if agreed else 0 :]):
        return "uncertain"
    return _statement_verdict(sentences) or _denied(sentences)


def _statement_verdict(sentences: Sequence[str]) -> Reading | None:
    for sentence in sentences:
        found = [*_VERDICT.finditer(sentence)]
        said = {_verdict_of(each) for each in found}
        rest = sentence[found[0].end() :] if found else ""
        rest = "" if _NOT_THE_OTHER.match(rest) else rest
        if len(said) > 1 or ("yes" in said and (_is_denial(rest) or _GRANTED.match(rest))):
            return "uncertain"
        if said and rest.startswith(" that ") and _is_denial(rest):
            return "uncertain"
        if of_it := _NOTHING_OF_IT.search(sentence[: found[0].start()]) if found else None:
            return "uncertain" if of_it["some"] else _OPPOSITE[said.pop()]
        if said:
            return said.pop()
    return None


_NOT_THE_OTHER = re.compile(
    r" (?:, )?(?:and )?not (?:true|correct|right|false|wrong|incorrect|untrue) "
)
_GRANTED = re.compile(r" that (?:[^ ]+ ){1,30}(?:but|however|yet) ")


def _verdict_of(found: re.Match[str]) -> Reading:
    if found["agrees"]:
        agrees = (found["agrees"] != "disagree") != bool(found["never"] and not found["more"])
        return "yes" if agrees else "no"
    said: Reading = _POLARITY[found["word"]] if found["word"] else "yes"
    return _OPPOSITE[said] if found["not"] or found["late"] or found["no"] else said


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
    for clause in _CLAUSE_END.split(sentence.replace(" nothing but ", " only ")):
        yield f"{_ASIDE.split(f'{clause} ', maxsplit=1)[0].rstrip()} "
