"""What is shown: one scoresheet per submission and judge spec, recomputable from verdicts at any
time."""

from typing import Any, NamedTuple, Self

from django.conf import settings
from django.core.files.storage import Storage, storages
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from benchmarks.models import Benchmark, Release
from benchmarks.submissions.models import EvaluatedModel, Submission, private_storage
from judging.models import JudgeRun, JudgeSpec
from leaderboard.models.kept import KeptDocument
from leaderboard.models.notices import Outgoing


class Scoresheet(KeptDocument):
    """The metrics of a finished run.

    figures: metric name -> [value, low, high, spread, n, asked, judged, groups]; a value that is
    not defined is null. board_figures: those of them that the board shows, apart, because a board
    of a hundred entries reads them all. draws: little-endian float64 resamples of the ranking
    metric; paired with those of every sheet of the release. coverage: the share of what is scored
    that has a verdict; judged, unreadable, failed, excluded count single replies. scoring: version
    of what made the sheet of the verdicts (SCORING_VERSION of benchmarks.scoring). lengths: length
    and score of each answer with a reply (leaderboard.results.judges.length_effect); null: from
    before this was kept, with 0 as its version of scoring. item_scores: what each answer counts
    when questions are compared (leaderboard.results.scoresheets.question_scores); null: from before
    this was kept. ability_moves: how far values by ability move when a group of questions is left
    out (leaderboard.results.scoresheets.ability_moves); null:
    from before this was kept.
    record: what the run's replies and requests add up to (leaderboard.results.judges.records).
    answers_digest, verdicts_digest: what was scored (leaderboard.results.chain.digests); empty of a
    hidden test, of which a digest would tell verdicts to whoever tries them all, and from before
    these were kept.
    """

    run = models.OneToOneField(JudgeRun, on_delete=models.PROTECT, related_name="scoresheet")
    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="scoresheets")
    judge_spec = models.ForeignKey(JudgeSpec, on_delete=models.PROTECT, related_name="scoresheets")
    ranking = models.FloatField(null=True)
    coverage = models.FloatField()
    judged = models.PositiveIntegerField()
    unreadable = models.PositiveIntegerField()
    failed = models.PositiveIntegerField()
    excluded = models.PositiveIntegerField(default=0, db_default=0)
    figures = models.JSONField()
    board_figures = models.JSONField()
    draws = models.BinaryField()
    lengths = models.BinaryField(null=True)
    item_scores = models.BinaryField(null=True)
    ability_moves = models.BinaryField(null=True)
    scoring = models.PositiveSmallIntegerField(default=1, db_default=1)
    record = models.JSONField(null=True, editable=False)
    answers_digest = models.CharField(max_length=64, blank=True, default="", db_default="")
    verdicts_digest = models.CharField(max_length=64, blank=True, default="", db_default="")
    computed = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "judge_spec"], name="one_scoresheet_per_era"
            ),
            models.CheckConstraint(
                condition=models.Q(coverage__gte=0) & models.Q(coverage__lte=1),
                name="coverage_is_a_share",
            ),
        ]
        indexes = [models.Index(fields=["scoring"], name="scoresheet_scoring")]

    def __str__(self) -> str:
        return f"{self.submission} by {self.judge_spec}"


class JudgeRecord(KeptDocument):
    """What the replies and requests behind all scoresheets of a judge add up to
    (leaderboard.results.judges.records)."""

    judge_spec = models.OneToOneField(JudgeSpec, on_delete=models.PROTECT, related_name="record")
    totals = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"of {self.judge_spec}"


class EvidenceArchive(models.Model):
    """All that is behind the board of an era in one file (leaderboard.web.evidence.archive).
    number: of the board it was made of, as `BoardVersion` has it."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="+")
    judge_spec = models.ForeignKey(JudgeSpec, on_delete=models.CASCADE, related_name="+")
    number = models.BigIntegerField()
    file = models.FileField(storage=private_storage)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField(help_text="Bytes")
    entries = models.PositiveIntegerField()
    made = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["release", "judge_spec"], name="one_evidence_archive_per_era"
            )
        ]

    def __str__(self) -> str:
        return f"of {self.release_id} by {self.judge_spec_id}"


class JudgeComparison(KeptDocument):
    """The judges of a benchmark beside each other, as of its stored boards
    (leaderboard.results.judges.comparisons): what entries tell of each, and of each two how alike
    their rankings are. left_out: judges that are more than a table holds."""

    benchmark = models.OneToOneField(
        Benchmark, on_delete=models.CASCADE, related_name="judge_comparison"
    )
    judges = models.JSONField(default=list)
    pairs = models.JSONField(default=list)
    left_out = models.PositiveIntegerField(default=0)
    computed = models.DateTimeField()

    def __str__(self) -> str:
        return f"judges of {self.benchmark}"


class WorkerBeat(models.Model):
    """A worker process and when it last said that it lives, by database time. One that stops in
    order leaves no row."""

    name = models.CharField(
        max_length=200, unique=True, help_text="host/process id; never shown to visitors"
    )
    seen = models.DateTimeField()
    swept = models.DateTimeField(null=True, help_text="When its last sweep ended")
    clock = models.CharField(
        max_length=200,
        blank=True,
        db_default="",
        default="",
        help_text="What is wrong with it",
    )
    files = models.CharField(
        max_length=200,
        blank=True,
        db_default="",
        default="",
        help_text="What is wrong with them",
    )

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def problem(self) -> str:
        clock = f"Its clock {self.clock}" if self.clock else ""
        return " ".join(filter(None, (clock, self.files and f"It {self.files}")))


class EndOfOlderCode(models.Model):
    """A migration with which code that does not have it may not run on
    (leaderboard.results.versions.older_code). The row goes when the migration is taken back."""

    migration = models.CharField(max_length=200, unique=True, help_text="app.name")
    reason = models.TextField(help_text="What older code does wrong, after “it”")

    def __str__(self) -> str:
        return self.migration


class OperatorNotice(models.Model):
    """Something that the people who run the site were told of by mail, kept while it lasts."""

    subject = models.CharField(
        max_length=80, unique=True, help_text="endpoint/alias, run/key, or progress"
    )
    since = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.subject


class ClockMark(models.Model):
    """The latest moment that the database's clock, or on SQLite any worker's, was seen to show. One
    row."""

    ONLY = 1

    seen = models.DateTimeField()

    def __str__(self) -> str:
        return f"seen {self.seen}"


class FileMark(models.Model):
    """What stands in the file by which a process knows that a storage is the one of this site."""

    storage = models.CharField(max_length=50, unique=True)
    mark = models.CharField(max_length=32)

    def __str__(self) -> str:
        return f"{self.storage} {self.mark}"


class LookAtWaits(models.Model):
    """When sweeps look next at what waits for people and what they were told of. One row."""

    ONLY = 1

    next_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"next look at {self.next_at}"


class FileCheck(models.Model):
    """How far the files of a kind were compared with their digests (operations.stored_files).
    last: key of the row whose file was the last; empty: from the start. next_at: of more."""

    kind = models.CharField(max_length=20, primary_key=True)
    last = models.CharField(max_length=40, blank=True)
    next_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.kind


class DamagedFile(models.Model):
    """A stored file that was not what its row says when it was last looked at."""

    kind = models.CharField(max_length=20)
    name = models.CharField(max_length=100)
    fault = models.CharField(max_length=10, help_text="missing, damaged or unreadable")
    looked = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "name"], name="damaged_file_once")]

    def __str__(self) -> str:
        return self.name


class SharedCacheRow(models.Model):
    """Django's database cache (CACHES), made by a migration so that no site needs a step of its own
    for it. Limits of sign-in are in it; only the cache writes here, and `forget_expired` tidies."""

    cache_key = models.CharField(max_length=255, primary_key=True)
    value = models.TextField()
    expires = models.DateTimeField(db_index=True)

    class Meta:
        db_table = "shared_cache"

    def __str__(self) -> str:
        return self.cache_key


class OutgoingMail(Outgoing):
    """A mail that no server has yet, by `leaderboard.operations.mail.outbox`. Its text may hold a
    link that sets a password, so the row goes with the sending, and is in no admin page."""

    sender = models.CharField(max_length=320)
    recipients = models.JSONField()
    subject = models.TextField()
    text = models.TextField()
    headers = models.JSONField()

    def __str__(self) -> str:
        return f"mail {self.pk}"


def export_storage() -> Storage:
    return storages["exports"]


class DataExport(models.Model):
    """What the site holds of a person, asked for by them and made by a worker
    (leaderboard.operations.files.data_exports). One at a time; the file is kept for a week.

    begun: when a worker last took it up. tries: how often that came to nothing, or has not yet
    come to an end.
    """

    owner = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="data_export"
    )
    asked = models.DateTimeField(db_default=Now())
    begun = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveSmallIntegerField(default=0)
    made = models.DateTimeField(null=True, blank=True)
    file = models.FileField(storage=export_storage, blank=True)
    size = models.PositiveBigIntegerField(default=0, help_text="Bytes")

    class Meta:
        indexes = [
            models.Index(
                fields=["asked"], condition=Q(made__isnull=True), name="data_exports_to_make"
            )
        ]

    def __str__(self) -> str:
        return f"asked {self.asked:%Y-%m-%d %H:%M}"


class BoardVersion(models.Model):
    """How often what a benchmark's boards show has changed, as far as sweeps have added it up, and
    when its stored boards are made next.

    number: the sum of all steps of `BoardChange` that are gone. made: the number, that of boards
    beside it included, at which all its eras were stored last; code: by which code. written: how
    many stored boards were written. next_at: before it nobody stores boards of the benchmark; a
    worker is at it, or was just now.
    """

    benchmark = models.OneToOneField(
        Benchmark, on_delete=models.CASCADE, related_name="board_version"
    )
    number = models.BigIntegerField(default=0)
    made = models.BigIntegerField(null=True)
    code = models.CharField(max_length=64, blank=True)
    written = models.BigIntegerField(default=0)
    next_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.benchmark} {self.number}"


class BoardChange(models.Model):
    """A row that the boards of a benchmark show was written; one that only other pages show where
    it names none. Triggers add these (versions/changes.py), in the transaction that wrote it, and
    sweeps add them up: no writer waits for another one, as all would for one counter.

    step: a random number from 1, so that a site that was restored from a copy never counts to a
    number for which other pages are stored already.
    """

    # A foreign key that is checked would lock the benchmark's row for as long as its writer takes.
    benchmark = models.ForeignKey(
        Benchmark,
        on_delete=models.CASCADE,
        related_name="board_changes",
        db_constraint=False,
        null=True,
    )
    step = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.benchmark_id} + {self.step}"


class BoardEdition(KeptDocument):
    """The board of an era as it was at one version of its benchmark: never changed, another one
    takes its place. A while longer it stays for whoever is reading it, in several queries, and for
    files that are being sent; replaced: since when.

    version: the number it was computed at. newest_sheet: when the newest of its scoresheets was
    computed. handed_in: entries that are not baselines. smallest_each, smallest_together,
    is_assumed: `SmallestDifference` for either kind of rank range. valued: names of the metrics in
    which any entry has a value; asked: rows of the release that each metric looks at; spans:
    `ColumnSpan` of each metric that has one. middles: `Middle` of each over the entries with a
    rank, of equal answers one. organisations: names of those whose models stand here; null where
    they are too many to choose from, and on boards stored before that was kept.
    content_number, content_since: the texts it is judged by (judging.texts.ContentEdition).
    snapshot: what is kept of it for good; null on boards stored before that was done.
    """

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="board_editions")
    judge_spec = models.ForeignKey(
        JudgeSpec, on_delete=models.CASCADE, related_name="board_editions"
    )
    version = models.BigIntegerField()
    code = models.CharField(max_length=64)
    computed = models.DateTimeField()
    newest_sheet = models.DateTimeField(null=True)
    entries = models.PositiveIntegerField()
    handed_in = models.PositiveIntegerField()
    ranked = models.PositiveIntegerField()
    folded = models.PositiveIntegerField()
    behind = models.PositiveIntegerField()
    ranked_rows = models.PositiveIntegerField()
    smallest_each = models.FloatField(null=True)
    smallest_together = models.FloatField(null=True)
    each_is_assumed = models.BooleanField(default=False)
    together_is_assumed = models.BooleanField(default=False)
    valued = models.JSONField()
    asked = models.JSONField()
    spans = models.JSONField(default=dict, null=True)  # NULL: stored by older code
    middles = models.JSONField(default=dict, null=True)  # as spans
    organisations = models.JSONField(null=True)
    content_number = models.PositiveIntegerField()
    content_since = models.DateTimeField(null=True)
    replaced = models.DateTimeField(null=True)
    snapshot = models.ForeignKey(
        "BoardSnapshot", on_delete=models.PROTECT, null=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["release", "judge_spec"],
                condition=Q(replaced__isnull=True),
                name="one_board_edition_per_era",
            )
        ]

    def __str__(self) -> str:
        return f"{self.release_id} by {self.judge_spec_id} at {self.version}"


class BoardFacts(NamedTuple):
    """Facts of a model that its row of a board has, in columns of BoardRow of these names; a board
    shows no others. A new one is None where nothing is said, for what kept snapshots lack is None
    and another default would change their digests. billions: of parameters, `parameters_billions`
    of the model."""

    organisation: str = ""
    is_open_weights: bool = False
    billions: float | None = None

    @classmethod
    def of_model(cls, model: EvaluatedModel) -> Self:
        size = model.parameters_billions
        return cls(model.organisation, model.is_open_weights, None if size is None else float(size))

    @classmethod
    def of_row(cls, row: "BoardRow") -> Self:
        return cls(*(getattr(row, name) for name in cls._fields))

    def document(self) -> dict[str, Any]:
        """By their names in exports and in the API."""
        return {
            "organisation": self.organisation,
            "open_weights": self.is_open_weights,
            "parameters_billions": None if self.billions is None else f"{self.billions:.2f}",
        }

    def words(self) -> list[str]:
        """What a row of a board says of its model."""
        size = "" if self.billions is None else f"{self.billions:g}B"
        return [self.organisation, size, "open" if self.is_open_weights else ""]


class BoardRow(models.Model):
    """An entry on a stored board: what `BoardEntry` says of it but its metric values, which its
    scoresheet has.

    position: its place among all entries, from 0; row: among those that share nobody's place, null
    for the others. best, worst and low, high: ends of the rank range, and of the difference to the
    leader, where each holds alone; …_together where all do at once. ahead: null for the entry that
    leads, and without a rank. firsts: metrics in whose column it may be first. beside: packed
    values from boards beside this one, by metric. text: what is searched. scored: of when the
    scoresheet was that it was ranked by; null on boards stored before that was kept. billions: of
    parameters; null where it is not said, and on boards stored before that was kept. verified_team:
    number of the team that handed it in, where staff verified that.
    """

    edition = models.ForeignKey(BoardEdition, on_delete=models.CASCADE, related_name="rows")
    sheet = models.ForeignKey(Scoresheet, on_delete=models.CASCADE, related_name="+")
    position = models.PositiveIntegerField()
    row = models.PositiveIntegerField(null=True)
    model = models.PositiveBigIntegerField()
    name = models.CharField(max_length=100)
    organisation = models.CharField(max_length=100, blank=True)
    text = models.TextField()
    is_open_weights = models.BooleanField()
    is_verified = models.BooleanField()
    origin = models.CharField(max_length=10)
    submitted = models.DateTimeField()
    handed_in_by = models.CharField(max_length=200, blank=True)
    verified = models.TextField(blank=True)
    verified_team = models.PositiveBigIntegerField(null=True)
    rank = models.PositiveIntegerField(null=True)
    best = models.PositiveIntegerField(null=True)
    worst = models.PositiveIntegerField(null=True)
    best_together = models.PositiveIntegerField(null=True)
    worst_together = models.PositiveIntegerField(null=True)
    ahead = models.FloatField(null=True)
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    low_together = models.FloatField(null=True)
    high_together = models.FloatField(null=True)
    is_kept_out = models.BooleanField()
    codes = models.JSONField()
    marks = models.JSONField()
    sentence = models.TextField(blank=True)
    same_answers_as = models.UUIDField(null=True)
    older_texts = models.PositiveIntegerField()
    unknown_texts = models.PositiveIntegerField()
    firsts = models.JSONField()
    beside = models.JSONField()
    scored = models.DateTimeField(null=True)
    billions = models.FloatField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["edition", "position"], name="board_position_once")
        ]
        indexes = [
            models.Index(fields=["edition", "row"], name="board_rows_in_order"),
            models.Index(fields=["edition", "same_answers_as"], name="board_rows_folded"),
            models.Index(fields=["edition", "sheet"], name="board_rows_of_sheets"),
        ]

    def __str__(self) -> str:
        return f"{self.name} at {self.position}"


class QuestionStatistics(KeptDocument):
    """What the entries of a stored board say of its questions
    (leaderboard.results.boards.question_statistics), made with the board of that version.

    entries: how many of them were counted, of how many that could have been. table: of each
    question in the order of its release, packed.
    """

    release = models.ForeignKey(
        Release, on_delete=models.CASCADE, related_name="question_statistics"
    )
    judge_spec = models.ForeignKey(
        JudgeSpec, on_delete=models.CASCADE, related_name="question_statistics"
    )
    version = models.BigIntegerField()
    entries = models.PositiveIntegerField()
    countable = models.PositiveIntegerField()
    table = models.BinaryField()
    computed = models.DateTimeField()

    class Meta:
        verbose_name_plural = "question statistics"
        constraints = [
            models.UniqueConstraint(
                fields=["release", "judge_spec"], name="one_question_statistics_per_era"
            )
        ]

    def __str__(self) -> str:
        return f"questions of {self.release_id} by {self.judge_spec_id} at {self.version}"


class BoardOrder(models.Model):
    """Positions of a stored board in the order of one metric, little-endian int32: the highest
    first, and the lowest first. Entries without a value come last in both, and ties keep the order
    of the board."""

    edition = models.ForeignKey(BoardEdition, on_delete=models.CASCADE, related_name="orders")
    metric = models.CharField(max_length=200)
    descending = models.BinaryField()
    ascending = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["edition", "metric"], name="board_order_once")
        ]

    def __str__(self) -> str:
        return f"{self.edition} by {self.metric}"


class ChainLink(models.Model):
    """What was shown or decided, as it was written; never changed (leaderboard.results.chain).

    number: its place in the chain, from 1 without gaps; null until a sweep has numbered it.
    submission: no foreign key, for a link outlives what it is about. judge: slug of the judge spec,
    empty of events. content: canonical JSON. content_digest: SHA-256 of that; previous: the digest
    of the link before it; digest: SHA-256 of these two. All in hex, empty while it waits.
    """

    class Kind(models.TextChoices):
        SCORESHEET = "scoresheet"
        PUBLICATION = "publication"
        WITHDRAWAL = "withdrawal"
        MADE_PRIVATE = "made_private"
        KEPT_OUT = "kept_out"
        RANKED = "ranked"

    number = models.PositiveBigIntegerField(null=True, unique=True)
    kind = models.CharField(max_length=20, choices=Kind.choices)
    submission = models.UUIDField(db_index=True)
    judge = models.CharField(max_length=200, blank=True)
    content = models.TextField()
    content_digest = models.CharField(max_length=64, blank=True)
    previous = models.CharField(max_length=64, blank=True)
    digest = models.CharField(max_length=64, blank=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["id"], condition=Q(number__isnull=True), name="chain_links_waiting"
            )
        ]

    def __str__(self) -> str:
        return f"link {self.number} {self.kind}"


class ChainHead(models.Model):
    """The newest link of the chain. One row, held by the worker that numbers links.

    older_from, older_upto: keys of the scoresheets from before there was a chain that have no link
    yet, from the first of these exclusive; null where all have.
    """

    ONLY = 1

    number = models.PositiveBigIntegerField(default=0)
    digest = models.CharField(max_length=64, blank=True)
    linked = models.DateTimeField(null=True)
    older_from = models.BigIntegerField(default=0)
    older_upto = models.BigIntegerField(null=True)

    def __str__(self) -> str:
        return f"link {self.number} {self.digest[:12]}"


class ShownFigures(models.Model):
    """Figures that a board showed of an entry, kept once under their digest: `board_figures` of a
    scoresheet as canonical JSON, compressed by zlib. Never changed."""

    digest = models.CharField(max_length=64, unique=True)
    values = models.BinaryField()

    def __str__(self) -> str:
        return self.digest[:12]


class ShownRow(models.Model):
    """What a board showed of an entry besides its place, kept once under the digest of its text,
    which is canonical JSON (leaderboard.results.snapshots.keeping). Never changed."""

    digest = models.CharField(max_length=64, unique=True)
    submission = models.UUIDField(db_index=True)
    figures = models.ForeignKey(ShownFigures, on_delete=models.PROTECT, related_name="+")
    text = models.TextField()

    def __str__(self) -> str:
        return f"{self.submission} {self.digest[:12]}"


class BoardSnapshot(KeptDocument):
    """What the board of an era showed from a moment on, until its next snapshot. Never changed.

    digest: SHA-256 of `shown`, a line end and the moment; name: its beginning, by which it is
    asked for. shown: SHA-256 of all that it shows: equal boards have equal ones. taken: when the
    board was computed. head: what is told of the whole board, and the head of the chain then.
    columns: its rows (leaderboard.results.snapshots.columns). leaders: scores and places of the
    first entries. changes: what changed since the snapshot before, and why
    (leaderboard.results.snapshots.changes).
    """

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="snapshots")
    judge_spec = models.ForeignKey(JudgeSpec, on_delete=models.PROTECT, related_name="snapshots")
    name = models.CharField(max_length=16, unique=True)
    digest = models.CharField(max_length=64)
    shown = models.CharField(max_length=64)
    taken = models.DateTimeField()
    entries = models.PositiveIntegerField()
    content_number = models.PositiveIntegerField()
    content_since = models.DateTimeField(null=True)
    head = models.JSONField()
    columns = models.BinaryField()
    leaders = models.JSONField()
    changes = models.JSONField()

    class Meta:
        indexes = [
            models.Index(fields=["release", "judge_spec", "-taken"], name="snapshots_of_era")
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.release_id} by {self.judge_spec_id}"
