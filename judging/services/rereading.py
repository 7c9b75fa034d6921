"""A judge that differs from an earlier one in nothing but its parser's version is asked nothing
that the earlier one replied to: stored replies are read again, for nothing. Verdicts of the two
never stand in one table."""

from collections.abc import Sequence

from benchmarks.protocols.base import JudgeCase, JudgingPort
from judging.models import Judgement, JudgeSpec, ReviewNote
from judging.services.verdicts import StoredReply, content_key, replies_stored


def earlier_readers(spec: JudgeSpec) -> list[JudgeSpec]:
    """Specs that sent what this one sends, to whom it sends it, and read the replies by another
    version."""
    if spec.is_offline:
        return []
    alike = JudgeSpec.objects.filter(
        protocol=spec.protocol,
        kind=spec.kind,
        endpoint=spec.endpoint,
        model=spec.model,
        answers_as=spec.answers_as,
        prompt_set=spec.prompt_set,
        parser=spec.parser,
    ).exclude(parser_version=spec.parser_version)
    found = alike.order_by("-created", "-pk")
    return [earlier for earlier in found if earlier.parameters == spec.parameters]


def replies_known(
    cases: Sequence[JudgeCase], earlier: Sequence[JudgeSpec], judging: JudgingPort
) -> list[StoredReply | None]:
    """For each case a stored reply to exactly it; None where there is none."""
    keys = [[content_key(case, spec, judging) for spec in earlier] for case in cases]
    found = replies_stored({key for of_case in keys for key in of_case})
    return [next((found[key] for key in of_case if key in found), None) for of_case in keys]


def replies_for(
    rows: Sequence[Judgement],
    cases: Sequence[JudgeCase],
    earlier: Sequence[JudgeSpec],
    judging: JudgingPort,
) -> list[StoredReply | None]:
    """The stored replies for claimed judgements, of which some are to be asked about whatever there
    is: their judge has replied itself meanwhile, or a person wants to hear it again."""
    if not earlier:
        return [None] * len(rows)
    noted = ReviewNote.objects.filter(judgement__in=[row.pk for row in rows])
    wanted = set(noted.values_list("judgement", flat=True))
    found = replies_known(cases, earlier, judging)
    return [
        None if row.finish_reason or row.pk in wanted else reply
        for row, reply in zip(rows, found, strict=True)
    ]
