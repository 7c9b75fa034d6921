"""What an answer says of the words yes and no themselves, made plain for `yes_no`.

"“No” is incorrect", "yes rather than no", "I would not say yes", "one might say yes, but that would
be wrong": the word alone says the opposite of the answer. Each rule finds one way of speaking and
puts in its place "the answer is yes", "the answer is no", or a word that commits to nothing. What
no rule knows is left as it is.

Words come as `yes_no` has them: lower case, single-spaced, contractions written out, of the marks
only `. , : ? /`, without quotes. Time grows with length alone: every repeat is bounded.
"""

import re
from collections.abc import Callable

YES = "(?:yes|yeah|yep|yup|yea|aye)"
NO = "(?:no|nope|nah|nay)"
_WORD = f"(?:{YES}|{NO})"
ENDS = (
    "(?= (?:[,.:?/]|here|to (?:this|that|it|the|your|question)|because|since|as|and|but|or|for|in"
    "|when"
    r"|at|after|on|upon|once|then|either|if|instead|rather|over|with|without|would|is|was|based"
    r"|given|about"
    "|from|considering|until|unless|though|although|while|whereas|even|yet|again|too|also|nor) )"
)
"""What follows the word where it stands for an answer: "no cat" and "no taller" are not."""
_A = "(?:(?:an?|the|a clear|a definite|a plain|a simple) )?"
UNDECIDED = "undecided"
"""Stands where an answer spoke of yes and no, and took neither."""
SEEN = "something"
"""Stands where a word is in the picture."""

_WRONG = (
    "(?:wrong|incorrect|false|untrue|inaccurate|mistaken|misleading|(?:an? )?(?:mistake|error)"
    "|inappropriate|invalid)"
)
_RIGHT = (
    "(?:right|correct|answer|one|true|accurate|appropriate|valid|fitting|the case|fair|safe"
    "|justified)"
)
_VERDICT = (
    r"(?: (?:still|clearly|also|simply|therefore|thus|certainly|definitely|actually"
    r"|obviously))?(?P<denied> not)?(?: (?:be|the|an?|my|really|quite|only|fully|entirely|strictly"
    r"|best)){0,3}"
    rf" (?:(?P<right>{_RIGHT})|(?P<wrong>{_WRONG}))"
)
_IS = (
    "(?:is|was|would be|will be|must be|has to be|can be|could be|may be|seems|would seem|appears"
    "|seems to be|appears to be|looks|can(?= not)|could(?= not)|would(?= not)|does(?= not)"
    "|will(?= not)|should(?= not))"
)
_TO_SAY = "(?:say|answer|reply|respond|conclude|claim|call(?: (?:it|this|that))?|state|go|go with)"
_SAYING = "(?:saying|answering|replying|responding|concluding|claiming|stating|going)"


def is_yes(word: str) -> bool:
    return word.startswith(("y", "a"))


def _meant(found: re.Match[str], right: bool) -> str:
    """The answer is the word of this match, or the other."""
    plain = "yes" if is_yes(found["word"]) == right else "no"
    return f" the answer is {plain} ,"


def _judged(found: re.Match[str]) -> str:
    return _meant(found, (found["right"] is not None) != (found["denied"] is not None))


def _negated(found: re.Match[str]) -> str:
    if found.string.startswith(" yet ", found.end()) or _HEDGES.intersection(
        found["between"].split()
    ):
        return f" {UNDECIDED}"
    return _meant(found, right=False)


def _supposed(found: re.Match[str]) -> str:
    return f" {SUPPOSED}{'yes' if is_yes(found['word']) else 'no'}"


def _preferred(found: re.Match[str]) -> str:
    same = is_yes(found["word"]) == is_yes(found["other"])
    return found[0] if same else f" {found['word']}"


SUPPOSED = "supposedly_"  # no word of an answer holds a "_"
_HEDGES = frozenset(
    (
        *("necessarily", "simply", "just", "simple", "clear", "clearly", "straightforward"),
        *("commit", "exactly", "quite", "always", "entirely", "fully", "completely", "merely"),
        *("only", "sure", "certain", "plain", "definite", "definitely", "outright", "saying"),
        *("unqualified", "unconditional", "resounding", "full", "firm", "straight", "definitive"),
        "confident",
    )
)
_BETWEEN = (
    r"(?P<between>(?: (?:be|been|an?|the|to|say|saying|answer|answering|answered|call|calling"
    r"|reply|replying|respond|describe|label|go|choose|pick|give|use|take|that|this|it|one|of|with"
    r"|as|for|really|definitely|certainly|exactly|quite|clearly|necessarily|simply|just|simple"
    r"|clear|straightforward|definite|outright|plain|commit|is|was|right|correct|response|verdict"
    r"|conclusion|think|believe|anything|any means|my|by|means|all|at|means a|true|entirely|fully"
    r"|like|the case that"
    r"|completely|always|merely|only|sure|certain|question|see|how|one|could|anyone|anybody|why"
    r"|would|can|should|any|reason|way|sense|possible|possibly|conceivable|unqualified"
    r"|unconditional|resounding|full|firm|straight|definitive|confident|[a-z]{2,14}ly)){0,8})"
)
_PEOPLE = (
    "(?:one|you|some|many|people|someone|somebody|most|others|(?:a |the |some |many "
    "|most )?(?:viewers?|observers?|readers?|people)|we|it)"
)
_FIRST = (
    "(?:at (?:a |the )?(?:first|quick|initial)(?: glance| sight| look| view)?|on (?:a "
    "|the )?(?:first|initial) (?:glance|sight|look|impression|view|reading)|initially"
    "|from a distance|superficially|on the (?:surface|face of it)|intuitively)"
)
_RULES: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        # --- names and titles
        (
            rf" {_WORD}(?: [^ ,.:]+){{0,6}} (?:is|was|are) (?:the|an?) (?:(?:last|first|only"
            rf"|second) word|name|title|slogan|headline|brand"
            r"|label|caption|text|message|logo)(?= )",
            f" {SEEN}",
        ),
        # --- neither of both
        (
            rf" (?:option )?a(?: [.:])? (?:{YES}(?: [.,:/])? (?:or )?(?:option )?b(?: [.:])? {NO}"
            rf"|{NO}(?: [.,:/])? (?:or )?(?:option )?b(?: [.:])? {YES})(?= )",
            "",
        ),
        (rf" neither {_A}{_WORD}(?: ,)? nor {_A}{_WORD} ", f" {UNDECIDED} "),
        (
            rf" no (?:way|reason|need|basis|grounds) (?:to|for) (?:{_TO_SAY}|{_SAYING}) {_WORD}"
            rf" (?:or|nor|and) {_WORD}{ENDS}",
            f" {UNDECIDED}",
        ),
        (
            rf" not (?:reject|dismiss|exclude|rule out|eliminate|discard)(?: [^ ,.:]+)? {_A}{_WORD}"
            rf"{ENDS}| {_WORD} (?:can|could) not be (?:ruled out|excluded|dismissed|rejected)",
            f" {UNDECIDED}",
        ),
        (
            rf" (?:no )?more (?:of )?(?:an? )?{_WORD} than (?:of )?(?:an? )?{_WORD}{ENDS}"
            rf"| not (?:[^ ,.:]+ ){{0,3}}{_WORD} (?:over|rather than|to) {_WORD}{ENDS}",
            f" {UNDECIDED}",
        ),
        (
            rf" (?:(?:not|can not|could not|either|simple|may be|might be|could be|to (?:say"
            rf"|answer)|answer|say|that|with|for|whether)(?: (?:be|an?|say|answer|commit|to|with"
            rf"|for|it|with a|go|give|the|just|simple|plain|clear|easily|simply"
            rf"|from)){{0,5}})?(?: to| for| an?)? {_WORD} (?:or|nor|/|as well as|and)(?: to| for"
            rf"| an?| with)? {_WORD}(?= (?![,.:?]))|(?: (?:not|can not|could not|either|simple"
            rf"|may be|might be|could be))(?: (?:be|an?|say|answer|commit|to|with|for|it|go|give"
            rf"|the|just|simple|plain|clear)){{0,5}} {_WORD} (?:or|nor|/|as well as|and)(?: to"
            rf"| for| an?| with)? {_WORD}{ENDS}"
            rf"| {_WORD} is (?:just )?as (?:[^ ,.:]+ ){{1,4}}as {_WORD}{ENDS}",
            f" {UNDECIDED}",
        ),
        (
            rf" {_WORD} (?:is|would be) (?:no|not any) (?:better|worse|more [^ ,.:]+"
            rf"|less [^ ,.:]+)(?: an? [^ ,.:]+)? than {_WORD}{ENDS}|(?: whether| if)(?: the answer"
            rf"| saying| answering)? {_WORD} {_IS}{_VERDICT}",
            f" {UNDECIDED}",
        ),
        (
            rf"(?: the)?(?: two)? (?:options|choices|answers"
            rf"|replies)(?: ,)? {_WORD} and {_WORD}{ENDS}",
            "",
        ),
        (rf"(?: somewhere)? between {_A}{_WORD} and {_A}{_WORD}{ENDS}", ""),
        # --- one preferred to the other
        (
            rf" rather {_A}(?P<word>{_WORD})(?: ,)? than {_A}(?P<other>{_WORD}){ENDS}",
            _preferred,
        ),
        (
            rf" (?P<word>{_WORD})(?: ,)?(?: and| but)?(?: rather than| instead of| as opposed to"
            rf"| in place of| over| and not| (?:definitely |certainly |clearly |surely "
            rf"|absolutely |most )?not)(?: (?:an?|the|with))? (?P<other>{_WORD}){ENDS}",
            _preferred,
        ),
        (
            rf"(?: ,)?(?: (?:rather than|instead of|as opposed to|in place of))(?: (?:an?|the|with"
            rf"|say|saying|answer|answering|to|for)){{0,2}} {_WORD}{ENDS}(?: ,)?",
            "",
        ),
        (
            rf" (?:not|neither) {_A}{_WORD}(?: ,)? but (?:rather |actually |in fact "
            rf"|it is )?{_A}(?P<word>{_WORD}){ENDS}",
            lambda found: _meant(found, right=True),
        ),
        (rf"(?: (?:and|but|not))? (?:away from|against) {_A}{_WORD}{ENDS}", ""),
        # --- the word called right or wrong
        (
            rf"(?: the (?:label|answer|word|option"
            rf"|choice))? (?P<word>{_WORD})(?: (?P<denied>(?:does|do|would"
            rf"|can) not))? (?:(?P<right>appl(?:y|ies)|fits?|holds?|suits?|(?:is|would be"
            rf"|seems) (?:more |most )?(?:fitting|apt|appropriate|likely))"
            rf"|(?P<wrong>fails))(?: (?:here|best|better))?(?: than {_WORD})?(?= )",
            _judged,
        ),
        (
            rf"(?: (?:an?|the|your|my))?(?: (?:{_SAYING}|to {_TO_SAY}))?(?: with)?(?: (?:answer"
            rf"|reply|response|word|option|choice|verdict|label|claim|an answer"
            rf"|a reply)(?: of)?)?(?: an?| the)? (?P<word>{_WORD})(?: (?:here|answer|to (?:this"
            rf"|that|the)(?: question)?))?(?: ,)? {_IS}{_VERDICT}"
            "(?: (?:answer|one|reply|response|choice|option|thing to say|way to answer))?(?= )",
            _judged,
        ),
        (
            rf"(?: (?:it|that))? {_IS}{_VERDICT} to {_TO_SAY}(?: with)?(?: that)?(?: the answer "
            rf"is)? {_A}(?P<word>{_WORD}){ENDS}",
            _judged,
        ),
        (
            rf" (?:anyone|anybody|whoever|everyone|everybody|those|people|somebody"
            rf"|someone)(?: who)? (?:answering|saying|answers?|says?|said|answered|replies"
            rf"|replying) {_A}(?P<word>{_WORD})"
            r"(?: (?:has|have|had|must have|would have|would|will|will have|is"
            r"|are))?(?: (?:overlook(?:ed|s)?|miss(?:ed|es)?|misread|misjudged?|err(?:ed|s)?|wrong"
            r"|mistaken|be wrong|be mistaken|not looked|fails?|failed|forgets?|forgot|forgotten))",
            lambda found: _meant(found, right=False),
        ),
        (
            rf" (?:statement|claim|sentence|answer|reply"
            rf"|response) (?P<word>{_WORD}) [,:] (?:[^ .]+ ){{1,12}}?{_IS}{_VERDICT}(?= )",
            _judged,
        ),
        (
            rf" (?:scratch|forget|ignore|disregard|take back|withdraw|retract|strike"
            rf"|discard)(?: [^ ,.:]+){{0,3}} {_WORD}{ENDS}(?: [:,])?",
            "",
        ),
        # --- the word denied
        (
            rf" (?P<word>{_WORD}) (?:(?:is|seems|would be) (?:out of the question|off the table"
            r"|not what (?:i|we) [^ ,.:]+|not (?:an option|possible|supported))|(?:has to|must"
            r"|should|can) be (?:rejected|ruled out|excluded|dismissed|discarded|eliminated)"
            r"|(?:is|was) (?:rejected|ruled out|excluded|dismissed))(?= )",
            lambda found: _meant(found, right=False),
        ),
        (
            r" (?:reject|rejecting|dismiss|dismissing|exclude|excluding|rule out|ruling out"
            rf"|eliminate)(?: the)?(?: answer| option)? {_A}(?P<word>{_WORD}){ENDS}",
            lambda found: _meant(found, right=False),
        ),
        (
            rf" (?:nobody|no one|none)(?: (?:would|could|can|should|will|may))?(?: ever)? "
            rf"(?:says?|said|answers?|answered|claims?|conclude){_BETWEEN} (?P<word>{_WORD}){ENDS}",
            _negated,
        ),
        (
            rf" (?:not|never|hardly|by no means|in no way|under no circumstances|far from"
            rf"|anything but|no (?:way|reason|chance)(?: that)?){_BETWEEN} "
            rf"(?P<word>{_WORD}){ENDS}",
            _negated,
        ),
        # --- what somebody would say, or one says at first
        (
            rf"(?: {_FIRST}(?: ,)?)?(?: {_PEOPLE}(?: [^ ,.:]+)? (?:might|may|could|would|will|can"
            rf"|tend to|are tempted to|are inclined to)|(?: (?:it|i))? (?:is|was|am|were) "
            r"(?:(?:very|quite|so) )?(?:tempting|tempted|easy|inclined|going|about|natural) to"
            r"|(?: i)? (?:first|initially|originally|almost|nearly|at first)(?: (?:would"
            r"|have))?)(?: (?!not |the )[^ ,.:]+){0,4}? (?:say|said|think|thought|answer|answered"
            r"|guess|guessed|believe|assume|expect|conclude|reply|read|see)"
            rf"(?: (?:that|it|this|the answer|is|was|as|of|to be|a"
            rf"|with)){{0,4}} {_A}(?P<word>{_WORD}){ENDS}",
            _supposed,
        ),
        (
            r" (?:wish|refuse|decline|hesitate|reluctant|unwilling|would (?:like|love|prefer))"
            rf"(?: [^ ,.:]+){{0,4}} {_TO_SAY}(?: that)?(?: the answer is)? {_A}"
            rf"(?P<word>{_WORD}){ENDS}",
            _supposed,
        ),
        (
            r" (?:makes?|leads?|tricks?|fools?|tempts?) (?:you|us|one|me|people|our eyes)"
            rf"(?: (?:in)?to| into| want to)? (?:{_TO_SAY}|{_SAYING}|think|thinking|see|seeing"
            rf"|believe|believing) {_A}(?P<word>{_WORD}){ENDS}",
            _supposed,
        ),
        (
            r" (?:obvious|expected|tempting|intuitive|usual|common|popular|naive) answer (?:is|was"
            rf"|seems|would be) {_A}(?P<word>{_WORD}){ENDS}",
            _supposed,
        ),
        (
            rf" (?P<word>{_WORD}) is what (?:most|many|people|some|others|one|you|they|everyone"
            r"|everybody)(?: people)?(?: (?:would|might|may|could|will))?"
            r" (?:say|said|think|answer|answered|expect|see|guess)(?= )",
            _supposed,
        ),
        (
            rf" (?:some|many|most|others|people|they|several|a few)(?: people| viewers"
            rf"| of us)? (?:say|said|think|thought|claim|answer|answered|see)(?: it is| that it is"
            rf"| the answer is)? {_A}(?P<word>{_WORD}){ENDS}",
            _supposed,
        ),
        (
            r" (?:look|glance|appearances?|intuition|instincts?|eyes?|gut|illusion|brain|impression"
            r"|expectation|memory|common sense)(?: (?:may|might|could|will|would))?(?: (?:first"
            r"|initially))? (?:tells?|says?|suggests?|told|said|suggested)"
            rf"(?: (?:you|us|me|one))? {_A}(?P<word>{_WORD}){ENDS}",
            _supposed,
        ),
        (
            rf" (?:it|that|this|the answer) (?:might|may|would|could) (?:first "
            rf"|initially )?(?:seem|appear|look)(?: to be| like"
            rf"| as)?(?: an?)? (?P<word>{_WORD}){ENDS}",
            _supposed,
        ),
        (
            rf" (?:some|others?)(?: ,)?(?: an?)? (?P<word>{_WORD})(?= [,.])",
            _supposed,
        ),
        (
            rf" it (?:would|could|might) (?:have been|be) an? (?P<word>{_WORD})"
            r"(?= (?:for|if|only|in|with|were|had|but) )",
            _supposed,
        ),
        (
            rf" but (?:[^ ,.:]+ ){{1,6}}(?:says|say|shows?|suggests?|gives?"
            rf"|tells? us) (?P<word>{_WORD}){ENDS}",
            lambda found: _meant(found, right=True),
        ),
        (
            rf" {_FIRST}(?: ,)?(?: (?:the|answer|it|this|that|i|one|looks?|seems?|seemed|looked"
            r"|appears?|appeared|like|thought|would|say|is|was|to|be|might|an?|may|think|suggests"
            rf"|picture|image|glance)){{0,8}} (?P<word>{_WORD}){ENDS}",
            _supposed,
        ),
        (
            rf"(?: (?:the answer (?:is|seems|looks)|it (?:is|seems"
            rf"|looks like)))? (?P<word>{_WORD})(?: ,)? {_FIRST}(?= )",
            _supposed,
        ),
        (
            rf" my (?:first|initial|immediate) (?:thought|impression|guess|instinct|answer"
            rf"|reaction|intuition)(?: (?:was|is|would be|would have been|says|said"
            rf"|to say)){{1,2}} {_A}(?P<word>{_WORD}){ENDS}",
            _supposed,
        ),
        (
            rf" {SUPPOSED}(?P<word>yes|no)(?: [,.])?(?: (?:but|however|and|yet|although"
            rf"|though))?(?: ,)? (?:that|this|it|they|he|she|which|one"
            rf"|doing so)(?: answer)?(?: (?:are|were|{_IS}){_VERDICT}| would (?P<wrong2>overlook"
            rf"|miss|ignore|contradict))(?= )",
            _judged,
        ),
        # --- the word as a thing: said or written by somebody in the picture
        (
            r" (?:says|said|saying|answers|replies|responds|exclaims|reads|reading|written|printed"
            r"|labell?ed|marked|titled|captioned|words?|text|shouts?|shouting|letters?|button|sign"
            r"|box|boxes|column|row"
            rf"|bubble|sticker|boxes)(?: (?:with|as|the|word|just|say|please|oh|:"
            rf"|,)){{0,3}} {_WORD}(?: (?:and|or) {_WORD})?(?= )"
            r"(?! (?:is|:))",
            f" {SEEN}",
        ),
    )
)


_MENTIONS = re.compile(f" {_WORD}(?= )")
_LEADS_ALONE = re.compile(f" {_WORD} [,.] (?!{_FIRST} )")


def made_plain(words: str) -> str:
    """The words with what they say of yes and no in plain words; see the module. Most answers say
    one of both, at the beginning, and nothing of it."""
    mentions = _MENTIONS.findall(words)
    if not mentions or (len(mentions) == 1 and _LEADS_ALONE.match(words)):
        return words
    for pattern, plain in _RULES:
        words = pattern.sub(plain, words)
    return words
