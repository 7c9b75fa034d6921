"""Shapes of the documents leaderboard.web.api.views serves. A field that is not listed here does
not leave the site."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from benchmarks.protocols.base import Measure, Metric, PublishedRow
from benchmarks.scoring.sheets import MetricValue
from benchmarks.selectors import protocol_of
from benchmarks.submissions.api.documents import CheckedSerializer, SubmissionSerializer
from benchmarks.submissions.models import Submission
from benchmarks.submissions.naming.public_names import handed_in_by
from benchmarks.submissions.services import CheckedFile
from judging.coordination.money import MICRO
from judging.selectors import runs_ahead
from leaderboard.models import Scoresheet
from leaderboard.results.entries.standing import verification_words
from leaderboard.results.entries.submission_states import SENTENCES
from leaderboard.results.selectors import BoardReading, Era, outdated_texts_of
from leaderboard.web.exports import COUNTS, figures_document

CAUTION_HELP = "What to know of the judge's prompts before comparing; empty where there is nothing"


class FigureSerializer(serializers.Serializer[MetricValue]):
    """A metric's value and what belongs beside it. Null is "not defined", never zero."""

    value = serializers.FloatField(
        allow_null=True, help_text="Unrounded; percentages and ratios are shares in [0, 1]"
    )
    low = serializers.FloatField(allow_null=True, help_text="Lower end of the 95 % interval")
    high = serializers.FloatField(allow_null=True, help_text="Upper end of the 95 % interval")
    spread = serializers.FloatField(
        allow_null=True, help_text="Standard deviation over the judge's repeats"
    )
    n = serializers.IntegerField(help_text="Units in the denominator")
    asked = serializers.IntegerField(help_text="Rows the metric looks at")
    judged = serializers.IntegerField(help_text="Rows of these with a verdict")


# --- boards ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BoardSummary:
    slug: str
    title: str
    summary: str
    ranking: str
    measures: tuple[Measure, ...]
    eras: tuple[Era, ...]


OLDER_TEXTS = "Answers judged by an older description or reference than today's"
UNRECORDED_TEXTS = "Answers judged before versions were kept, of which nothing tells them any more"


class EraSerializer(serializers.Serializer[Era]):
    release = serializers.CharField(source="release.slug")
    release_checksum = serializers.CharField(source="release.public_checksum")
    judge = serializers.CharField(source="judge_spec.slug")
    judge_hash = serializers.CharField(source="judge_spec.content_hash")
    caution = serializers.CharField(source="judge_spec.caution", help_text=CAUTION_HELP)
    entries = serializers.IntegerField(help_text="Public entries, baselines included")


class BoardLinksSerializer(serializers.Serializer[BoardSummary]):
    self = serializers.HyperlinkedIdentityField(view_name="api-board", lookup_field="slug")
    page = serializers.HyperlinkedIdentityField(
        view_name="board", lookup_field="slug", help_text="The same for people"
    )


class MeasureSerializer(serializers.Serializer[Measure]):
    """A way of scoring that a board can be read by."""

    slug = serializers.CharField()
    title = serializers.CharField()
    about = serializers.CharField()
    order = serializers.CharField(help_text="Name of the metric by which its entries are sorted")


class BoardSummarySerializer(serializers.Serializer[BoardSummary]):
    slug = serializers.CharField()
    title = serializers.CharField()
    summary = serializers.CharField()
    ranking = serializers.CharField(help_text="Name of the metric that ranks")
    measures = MeasureSerializer(
        many=True, help_text="Ways to read it, the default first; none where there is one"
    )
    eras = EraSerializer(
        many=True, help_text="What can be asked for; the first is shown unless one is named"
    )
    links = BoardLinksSerializer(source="*")


class MetricSerializer(serializers.Serializer[Metric]):
    name = serializers.CharField()
    title = serializers.CharField()
    about = serializers.CharField()
    unit = serializers.ChoiceField(("percent", "score", "ratio"))
    higher_is_better = serializers.BooleanField(allow_null=True)


class DifferenceSerializer(serializers.Serializer[Any]):
    """How an entry compares with the one that leads, in the metric that ranks, on the same
    questions."""

    ahead = serializers.FloatField(help_text="Unrounded; below zero where it is behind")
    low = serializers.FloatField(
        allow_null=True,
        help_text="Lower end of an interval that holds with 95 % for all comparisons at once, of "
        "the entry with every other",
    )
    high = serializers.FloatField(allow_null=True, help_text="Upper end")
    told_apart = serializers.BooleanField(help_text="Zero is not between the ends")
    sentence = serializers.CharField(help_text="The same in words")


class ParametersField(serializers.DecimalField):
    def __init__(self, **kwargs: Any):
        told = "Of the model, as its owner says; null where nobody said"
        super().__init__(max_digits=8, decimal_places=2, allow_null=True, help_text=told, **kwargs)


class BoardEntrySerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField(allow_null=True, help_text="Null where `gone` is true")
    model = serializers.CharField()
    organisation = serializers.CharField()
    open_weights = serializers.BooleanField(allow_null=True, help_text="Null where `gone` is true")
    parameters_billions = ParametersField()
    origin = serializers.ChoiceField(
        Submission.Origin.choices, allow_null=True, help_text="Null where `gone` is true"
    )
    submitted = serializers.DateTimeField(allow_null=True, help_text="Null where `gone` is true")
    rank = serializers.IntegerField(
        allow_null=True,
        help_text="Null for baselines, below the board's least coverage, in a hidden test, or as "
        "`standing` says",
    )
    rank_best = serializers.IntegerField(
        allow_null=True, help_text="Best place of the 95 % rank range"
    )
    rank_worst = serializers.IntegerField(
        allow_null=True, help_text="Worst place of the 95 % rank range"
    )
    may_be_first = serializers.BooleanField(
        allow_null=True,
        help_text="Whether its rank range holds place 1; false without a rank, null in a hidden "
        "test and where `gone` is true",
    )
    to_leader = DifferenceSerializer(
        allow_null=True,
        help_text="Null for the entry that leads, without a rank, and where the entry that led "
        "then is not public any more",
    )
    coverage = serializers.FloatField(
        allow_null=True,
        help_text="Share of what is scored that has a verdict; null where `gone` is true, as are "
        "all counts",
    )
    judged = serializers.IntegerField(allow_null=True, help_text="Null in a hidden test")
    unreadable = serializers.IntegerField(allow_null=True, help_text="Null in a hidden test")
    failed = serializers.IntegerField(allow_null=True, help_text="Null in a hidden test")
    excluded = serializers.IntegerField(
        allow_null=True,
        help_text="Left out by people, with a reason; coverage counts them as asked. Null in a "
        "hidden test",
    )
    flags = serializers.ListField(
        child=serializers.CharField(), help_text="What is remarkable about its answers as a whole"
    )
    standing = serializers.CharField(
        help_text="Why it is marked or not ranked, decisions of staff included; empty where "
        "nothing is"
    )
    older_texts = serializers.IntegerField(allow_null=True, help_text=OLDER_TEXTS)
    unrecorded_texts = serializers.IntegerField(allow_null=True, help_text=UNRECORDED_TEXTS)
    scored_since = serializers.BooleanField(
        allow_null=True,
        help_text="Its values are newer than its rank, which follows; see `as_of`",
    )
    gone = serializers.BooleanField(
        help_text="Of a board as it stood once: the entry is not public any more, and nothing but "
        "its place is told"
    )
    same_answers_as = serializers.UUIDField(
        allow_null=True,
        help_text="The entry whose place it shares, because each answer is equal, apart from "
        "details such as capitals and punctuation; null for all others, and where that one is not "
        "public any more",
    )
    handed_in_by = serializers.CharField(help_text="Public name of who handed it in")
    verified = serializers.CharField(
        help_text="When, by whom of the staff and why it was verified; empty where it is not"
    )
    figures = serializers.DictField(child=FigureSerializer(), help_text="By name of the metric")


class PublishedRowSerializer(serializers.Serializer[PublishedRow]):
    """Figures printed in a paper: never ranked with judged entries."""

    model = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]  # a field named as an attribute of serializers
    url = serializers.CharField()
    judge = serializers.CharField(help_text="Empty where the source does not say.")
    questions = serializers.IntegerField(
        allow_null=True, help_text="How many were asked; null where the source does not say."
    )
    reproduced = serializers.CharField(help_text="What of it was computed anew; empty for nothing.")
    values = serializers.DictField(child=serializers.FloatField())


class ChainHeadSerializer(serializers.Serializer[Any]):
    """The newest link of the chain of all that was scored, published and decided. A link's digest
    is the SHA-256 of the digest before it, a line end and the SHA-256 of its content."""

    number = serializers.IntegerField(help_text="How many links there are")
    digest = serializers.CharField(help_text="64 hex digits")
    linked = serializers.DateTimeField(help_text="When it was added")


class SnapshotSerializer(serializers.Serializer[Any]):
    """A board as it stood from a moment on, which never changes."""

    name = serializers.CharField(help_text="By which it is asked for: `?snapshot=`")
    digest = serializers.CharField(help_text="64 hex digits, which begin with its name")
    taken = serializers.DateTimeField()


class BoardSerializer(serializers.Serializer[BoardReading]):
    """What `leaderboard.web.exports.board_document` writes, described: the export and the API serve
    the same document."""

    benchmark = serializers.CharField()
    title = serializers.CharField()
    release = serializers.CharField(allow_null=True)
    release_checksum = serializers.CharField(allow_null=True)
    judge = serializers.CharField(allow_null=True)
    judge_hash = serializers.CharField(allow_null=True)
    caution = serializers.CharField(help_text=CAUTION_HELP)
    content_edition = serializers.IntegerField(
        allow_null=True,
        help_text="1 as imported, and one more for every text made the one judged by",
    )
    content_edition_since = serializers.DateTimeField(
        allow_null=True, help_text="Null for the first edition"
    )
    ranking = serializers.CharField()
    measure = serializers.CharField(
        allow_null=True, help_text="The measure it is read by; null where there is one"
    )
    ranges = serializers.ChoiceField(
        ("each", "together"),
        allow_null=True,
        help_text="Whether each rank range holds its entry's true rank with 95 %, or all at once "
        "do; null for a hidden test, which has none",
    )
    computed = serializers.DateTimeField(allow_null=True)
    as_of = serializers.DateTimeField(
        allow_null=True,
        help_text="Of which moment it is: of a snapshot, or of a large board that changed since; "
        "else null",
    )
    snapshot = SnapshotSerializer(
        allow_null=True, help_text="What of the past was asked for; null for the board of now"
    )
    chain = ChainHeadSerializer(
        allow_null=True, help_text="Head of the append-only chain; null before its first link"
    )
    metrics = MetricSerializer(many=True)
    smallest_difference = serializers.FloatField(
        allow_null=True,
        help_text="In the metric that ranks: the true difference between two typical models that "
        "the board shows as clear in 80 % of cases",
    )
    claims = serializers.ListField(
        child=serializers.CharField(),
        help_text="What the page says of the lead, and of the smallest difference",
    )
    entries = BoardEntrySerializer(many=True)
    published = PublishedRowSerializer(many=True)
    total = serializers.IntegerField(help_text="Entries that fit the query, on all pages")
    next = serializers.URLField(allow_null=True, help_text="Where the entries after these are")
    previous = serializers.URLField(allow_null=True, help_text="Where those before are")


# --- entries --------------------------------------------------------------------------------------


class ScoreSerializer(serializers.Serializer[Scoresheet]):
    judge = serializers.CharField(source="judge_spec.slug")
    judge_hash = serializers.CharField(source="judge_spec.content_hash")
    value = serializers.FloatField(
        source="ranking", allow_null=True, help_text="Of the metric that ranks"
    )
    coverage = serializers.FloatField()
    computed = serializers.DateTimeField()


class EntryLinksSerializer(serializers.Serializer[Submission]):
    self = serializers.HyperlinkedIdentityField(
        view_name="api-entry", lookup_field="id", lookup_url_kwarg="submission_id"
    )
    page = serializers.HyperlinkedIdentityField(
        view_name="entry",
        lookup_field="id",
        lookup_url_kwarg="submission_id",
        help_text="The same for people",
    )


class EntrySummarySerializer(serializers.Serializer[Submission]):
    id = serializers.UUIDField()
    model = serializers.CharField(source="model.name")
    organisation = serializers.CharField(source="model.organisation")
    open_weights = serializers.BooleanField(source="model.is_open_weights")
    parameters_billions = ParametersField(source="model.parameters_billions")
    origin = serializers.ChoiceField(Submission.Origin.choices)
    benchmark = serializers.CharField(source="release.benchmark.slug")
    release = serializers.CharField(source="release.slug")
    release_checksum = serializers.CharField(source="release.public_checksum")
    submitted = serializers.DateTimeField(source="created")
    ranking = serializers.SerializerMethodField(help_text="Name of the metric that ranks")
    scores = ScoreSerializer(source="scoresheets", many=True, help_text="One per judge")
    links = EntryLinksSerializer(source="*")

    def get_ranking(self, submission: Submission) -> str:
        return protocol_of(submission.release).board.BOARD.ranking


class FlagSerializer(serializers.Serializer[Any]):
    """So many answers are so, of those its rule looks at; the method page has the rules."""

    code = serializers.CharField()
    count = serializers.IntegerField()
    of = serializers.IntegerField()


class EntrySerializer(serializers.Serializer[Scoresheet]):
    """One submission as one judge scored it."""

    id = serializers.UUIDField(source="submission.id")
    model = serializers.CharField(source="submission.model.name")
    organisation = serializers.CharField(source="submission.model.organisation")
    link = serializers.CharField(source="submission.model.link")
    open_weights = serializers.BooleanField(source="submission.model.is_open_weights")
    parameters_billions = ParametersField(source="submission.model.parameters_billions")
    origin = serializers.ChoiceField(Submission.Origin.choices, source="submission.origin")
    visibility = serializers.ChoiceField(
        Submission.Visibility.choices, source="submission.visibility"
    )
    benchmark = serializers.CharField(source="submission.release.benchmark.slug")
    release = serializers.CharField(source="submission.release.slug")
    release_checksum = serializers.CharField(source="submission.release.public_checksum")
    judge = serializers.CharField(source="judge_spec.slug")
    judge_hash = serializers.CharField(source="judge_spec.content_hash")
    caution = serializers.CharField(source="judge_spec.caution", help_text=CAUTION_HELP)
    judges = serializers.SerializerMethodField(help_text="Slugs of every judge that scored it")
    sha256 = serializers.CharField(
        source="submission.sha256", help_text="Of the file as it was uploaded"
    )
    submitted = serializers.DateTimeField(source="submission.created")
    computed = serializers.DateTimeField()
    answers = serializers.IntegerField(source="submission.release.question_count")
    coverage = serializers.FloatField(help_text="Share of what is scored that has a verdict")
    judged = serializers.IntegerField(allow_null=True, help_text="Null in a hidden test")
    unreadable = serializers.IntegerField(allow_null=True, help_text="Null in a hidden test")
    failed = serializers.IntegerField(allow_null=True, help_text="Null in a hidden test")
    excluded = serializers.IntegerField(
        allow_null=True,
        help_text="Left out by people, with a reason; coverage counts them as asked. Null in a "
        "hidden test",
    )
    flags = serializers.SerializerMethodField(
        help_text="What is remarkable about its answers as a whole"
    )
    handed_in_by = serializers.SerializerMethodField(help_text="Public name of who handed it in")
    verified = serializers.SerializerMethodField(
        help_text="When, by whom of the staff and why it was verified; empty where it is not"
    )
    older_texts = serializers.SerializerMethodField(help_text=OLDER_TEXTS)
    unrecorded_texts = serializers.SerializerMethodField(help_text=UNRECORDED_TEXTS)
    figures = serializers.SerializerMethodField(
        help_text="Every metric by name; name@scope for a part of the release"
    )
    links = EntryLinksSerializer(source="submission")

    def to_representation(self, sheet: Scoresheet) -> dict[str, Any]:
        shown: dict[str, Any] = super().to_representation(sheet)
        is_told = sheet.submission.release.verdicts_are_public
        return shown if is_told else shown | dict.fromkeys(COUNTS, None)

    def get_judges(self, sheet: Scoresheet) -> list[str]:
        return list(
            sheet.submission.scoresheets.order_by("pk").values_list("judge_spec__slug", flat=True)
        )

    def get_handed_in_by(self, sheet: Scoresheet) -> str:
        return handed_in_by(sheet.submission)

    def get_verified(self, sheet: Scoresheet) -> str:
        return verification_words(sheet.submission)

    def get_older_texts(self, sheet: Scoresheet) -> int:
        return outdated_texts_of(sheet).older

    def get_unrecorded_texts(self, sheet: Scoresheet) -> int:
        return outdated_texts_of(sheet).unknown

    @extend_schema_field(FlagSerializer(many=True))
    def get_flags(self, sheet: Scoresheet) -> list[dict[str, Any]]:
        return list(sheet.submission.flags)

    @extend_schema_field(serializers.DictField(child=FigureSerializer()))
    def get_figures(self, sheet: Scoresheet) -> Mapping[str, Any]:
        """In the order of the board, those of parts behind: a database has an order of its own."""
        places = {
            name: n for n, name in enumerate(protocol_of(sheet.submission.release).board.METRICS)
        }

        def place(name: str) -> tuple[str, int, str]:
            metric, _, scope = name.partition("@")
            return scope, places.get(metric, len(places)), name

        names = sorted(sheet.figures, key=place)
        return figures_document({name: MetricValue.unpacked(sheet.figures[name]) for name in names})


# --- submissions ----------------------------------------------------------------------------------


class ReasonSerializer(serializers.Serializer[Any]):
    reason = serializers.CharField()
    judgements = serializers.IntegerField()


class MoneyField(serializers.DecimalField):
    """Micro as a decimal number of the currency that the site's prices are in."""

    def __init__(self, **options: Any):
        super().__init__(max_digits=18, decimal_places=6, **options)

    def to_representation(self, micro: Any) -> str:
        return str(super().to_representation(Decimal(micro) / MICRO))


class MoneySerializer(serializers.Serializer[Any]):
    spent = MoneyField(
        source="calls.spent",
        help_text="So far; calls of unknown outcome at the most that they may have cost",
    )
    reserved = MoneyField(
        source="calls.reserved",
        help_text="Of what is spent, the most that calls under way may cost",
    )
    estimate = MoneyField(
        source="expected",
        allow_null=True,
        help_text="In all; null until calls tell, and once none is left",
    )


class EstimateSerializer(serializers.Serializer[Any]):
    judge = serializers.CharField(source="judge.slug")
    cost = MoneyField(allow_null=True, help_text="Null where no price is set for the model")
    refusal = serializers.CharField(
        source="found.refusal", help_text="The budgets that will not reach; empty where all do"
    )
    judgements = serializers.IntegerField(source="found.judgements", help_text="In all")
    reused = serializers.IntegerField(
        source="found.reused", help_text="Of these, judged before for the same answer"
    )
    calls = serializers.IntegerField(source="found.calls", help_text="Of these, a model is asked")
    seconds = serializers.FloatField(
        source="found.seconds", help_text="For one worker that has the judge to itself"
    )


class RunSerializer(serializers.Serializer[Any]):
    judge = serializers.CharField(source="judge.slug")
    asked = serializers.IntegerField(source="counts.asked")
    judged = serializers.IntegerField(
        source="counts.judged", allow_null=True, help_text="Null in a hidden test"
    )
    unreadable = serializers.IntegerField(
        source="counts.unreadable", allow_null=True, help_text="Null in a hidden test"
    )
    failed = serializers.IntegerField(
        source="counts.failed", allow_null=True, help_text="Null in a hidden test"
    )
    excluded = serializers.IntegerField(
        source="counts.excluded",
        allow_null=True,
        help_text="Left out by people, with a reason; coverage counts them as asked. Null in a "
        "hidden test",
    )
    open = serializers.IntegerField(
        source="counts.open", help_text="Waiting, being judged, or paused"
    )
    percent_done = serializers.IntegerField(source="counts.percent_done")
    is_scored = serializers.BooleanField()
    money = MoneySerializer(
        allow_null=True, help_text="What its calls cost; null where rules decide"
    )
    judgements_per_minute = serializers.FloatField(
        source="pace.per_minute",
        default=None,
        allow_null=True,
        read_only=True,
        help_text="That ended, on average of the last five minutes; null where none did",
    )
    seconds_left = serializers.IntegerField(
        source="pace.seconds_left",
        default=None,
        allow_null=True,
        read_only=True,
        help_text="At that pace; null where it is not known, and once nothing is open",
    )
    runs_ahead = serializers.IntegerField(
        source="pace.ahead",
        default=None,
        allow_null=True,
        read_only=True,
        help_text="Asked for earlier and not done with; null once nothing is open",
    )
    reasons = serializers.SerializerMethodField(
        help_text="The commonest reasons why judgements have no verdict"
    )

    def to_representation(self, run: Mapping[str, Any]) -> dict[str, Any]:
        shown: dict[str, Any] = super().to_representation(run)
        return shown | dict.fromkeys(COUNTS, None) if run["is_hidden_test"] else shown

    @extend_schema_field(ReasonSerializer(many=True))
    def get_reasons(self, run: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [{"reason": reason, "judgements": count} for reason, count in run["reasons"]]


class ProgressSerializer(serializers.Serializer[Any]):
    state = serializers.CharField(source="progress.state", help_text=", ".join(SENTENCES))
    sentence = serializers.CharField(source="progress.sentence", help_text="The state in words")
    is_moving = serializers.BooleanField(
        source="progress.is_moving", help_text="Look again in a while"
    )
    answers = serializers.IntegerField(source="submission.release.question_count")
    calls_planned = serializers.IntegerField(
        help_text="Judgements to be made, while it is still to be confirmed"
    )
    estimate = EstimateSerializer(
        allow_null=True, help_text="What judging will cost, while to be confirmed"
    )
    judgements = serializers.SerializerMethodField(help_text="That there are by now, of all judges")
    judgements_done = serializers.SerializerMethodField(help_text="Of these, ended")
    runs = RunSerializer(source="progress.runs", many=True, help_text="One per judge")

    def get_judgements(self, page: Mapping[str, Any]) -> int:
        return sum(run["counts"].asked for run in page["progress"]["runs"])

    def get_judgements_done(self, page: Mapping[str, Any]) -> int:
        counts = (run["counts"] for run in page["progress"]["runs"])
        return sum(count.asked - count.open for count in counts)


class StatedSubmissionSerializer(SubmissionSerializer):
    """A submission with its state; `states` of the context has that of each by its id."""

    state = serializers.SerializerMethodField(help_text=", ".join(SENTENCES))

    def get_state(self, submission: Submission) -> str:
        state: str = self.context["states"][submission.pk]
        return state


class WatchedSubmissionSerializer(ProgressSerializer, SubmissionSerializer):
    """A submission as its owner sees it, and how far its judging is."""


class EstimatedSerializer(CheckedSerializer):
    """A file that would be accepted, with what judging it would take; `card` of the context is its
    estimate."""

    estimate = serializers.SerializerMethodField(
        help_text="By the judge that would judge it; null where the site cannot say now"
    )
    runs_ahead = serializers.SerializerMethodField(
        help_text="Asked for by now and not done with: the queue"
    )

    @extend_schema_field(EstimateSerializer(allow_null=True))
    def get_estimate(self, checked: CheckedFile) -> Mapping[str, Any] | None:
        card = self.context["card"]
        return EstimateSerializer(card).data if card else None

    def get_runs_ahead(self, checked: CheckedFile) -> int:
        return runs_ahead()


def watch_document(
    submission: Submission, page: Mapping[str, Any], request: Request
) -> dict[str, Any]:
    return {
        **SubmissionSerializer(submission, context={"request": request}).data,
        **ProgressSerializer(page).data,
    }
