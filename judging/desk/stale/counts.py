"""How much stands by older texts in each of many releases, in a few queries for any number of them.

`staleness.py` compares the versions of one release or figure in Python; here the database compares
them, and what is up to date does not leave it.
"""

from collections import Counter
from collections.abc import Collection, Mapping

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery, TextField, Value
from django.db.models.functions import Coalesce

from benchmarks.models import Description, Reference, Release
from benchmarks.registry import protocols
from judging.desk.stale.staleness import judgements_on
from judging.models import JudgedTexts, Judgement, JudgeSpec
from judging.texts import Kinds, in_parts, texts_read

NEWEST: Mapping[str, QuerySet[Description] | QuerySet[Reference]] = {
    "description": Description.objects.filter(
        figure=OuterRef("question__figure"),
        language=OuterRef("language"),
        state=Description.State.APPROVED,
    ).order_by("-version"),
    "reference": Reference.objects.filter(question=OuterRef("question")).order_by("-version"),
}
"""What a judge would be shown today of the question of judged texts, in the `language` of a
release."""


def stale_counts(releases: QuerySet[Release]) -> Mapping[int, int]:
    """By open release as many judgements as `stale_judgements` finds in it; those without any are
    not named. The number of queries grows with the texts that are out of date alone, by one for
    each IN_ONE_QUERY."""
    readers = specs_by_kinds()
    kinds_of = {spec.pk: kinds for kinds, specs in readers.items() for spec in specs}
    outdated = {
        kinds: outdated_in(releases, kinds, {spec.protocol for spec in specs})
        for kinds, specs in readers.items()
    }
    texts = {text for pairs in outdated.values() for text, _ in pairs}
    scope = judgements_on().filter(judge_spec__in=kinds_of).order_by()
    found: Counter[int] = Counter()
    for part in in_parts(sorted(texts)):
        rows = scope.filter(texts__in=part).values_list(
            "answer__submission__release", "texts", "judge_spec"
        )
        for release, text, spec, count in rows.annotate(Count("pk")):
            if (text, release) in outdated[kinds_of[spec]]:
                found[release] += count
    return found


def specs_by_kinds() -> Mapping[Kinds, list[JudgeSpec]]:
    """Every judge that reads texts, by which kinds of them."""
    found: dict[Kinds, list[JudgeSpec]] = {}
    for spec in JudgeSpec.objects.filter(protocol__in=protocols()).select_related("prompt_set"):
        if kinds := texts_read(spec):
            found.setdefault(kinds, []).append(spec)
    return found


def outdated_in(
    releases: QuerySet[Release], kinds: Kinds, benchmarks: Collection[str]
) -> set[tuple[int, int]]:
    """Judged texts of questions of these benchmarks that judgements have and whose words are not
    today's, each with the release in whose language that is so."""
    texts = JudgedTexts.objects.filter(question__benchmark__slug__in=benchmarks).annotate(
        release=F("question__memberships__release"),
        language=F("question__memberships__release__language"),
    )
    differs = Q()
    for kind in sorted(kinds):
        today = NEWEST[kind]
        texts = texts.alias(
            **{
                f"{kind}_then": Coalesce(F(f"{kind}_id"), Value(0)),
                f"{kind}_now": Coalesce(Subquery(today.values("pk")[:1]), Value(0)),
                f"{kind}_words_then": Coalesce(
                    F(f"{kind}__text"), Value(""), output_field=TextField()
                ),
                f"{kind}_words_now": Coalesce(
                    Subquery(today.values("text")[:1]), Value(""), output_field=TextField()
                ),
            }
        )
        # The same version has the same words: of most rows no word is read.
        is_other = ~Q(**{f"{kind}_then": F(f"{kind}_now")})
        differs |= is_other & ~Q(**{f"{kind}_words_then": F(f"{kind}_words_now")})
    open_ones = releases.filter(state=Release.State.OPEN).order_by().values("pk")
    is_used = Exists(Judgement.objects.filter(texts=OuterRef("pk")))
    found = texts.filter(differs, is_used, release__in=open_ones)
    return set(found.values_list("pk", "release"))
