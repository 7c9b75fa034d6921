"""What is asked: benchmarks, their releases, and the questions, figures, descriptions and
references of these."""

import hashlib
import hmac
import secrets
from typing import Any

from django.conf import settings
from django.core.validators import URLValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from benchmarks.querysets import (
    QuestionQuerySet,
    QuestionReportQuerySet,
    ReferenceQuerySet,
    ReleaseQuerySet,
)
from benchmarks.staff_models import StaffAction

__all__ = ["StaffAction"]
"""A table of this app that stands in a module of its own."""


class Benchmark(models.Model):
    """A benchmark family; `slug` is also the name of its protocol."""

    slug = models.SlugField(unique=True)
    title = models.CharField(max_length=100)

    class Meta:
        ordering = ["title"]

    def __str__(self) -> str:
        return self.title


def new_secret() -> str:
    """64 hex digits that nobody guesses."""
    return secrets.token_hex(32)


class Release(models.Model):
    """A version of a benchmark's questions. Its content is fixed from the moment it is opened
    (immutability.py)."""

    class Disclosure(models.TextChoices):
        """How much everybody may learn of the labels, which references and verdicts tell alike."""

        OPEN = "open", "open"
        HIDDEN_REFERENCES = "hidden_references", "hidden references"
        HIDDEN_TEST = "hidden_test", "hidden test"

    class State(models.TextChoices):
        DRAFT = "draft"
        OPEN = "open"
        FROZEN = "frozen"
        RETIRED = "retired"

    TAKES_TEXTS = (State.DRAFT, State.OPEN)
    """In these states descriptions and references get new versions; in the others they stay."""
    CLOSED = (State.FROZEN, State.RETIRED)

    benchmark = models.ForeignKey(Benchmark, on_delete=models.PROTECT, related_name="releases")
    slug = models.SlugField(unique=True)
    title = models.CharField(max_length=200)
    language = models.CharField(max_length=10, default="en")
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    checksum = models.CharField(
        max_length=64, help_text="SHA-256 over the content hashes of its questions, in order"
    )
    question_count = models.PositiveIntegerField()
    # Decides who reads what: see leaderboard/results/disclosure.py. The default shows least.
    disclosure = models.CharField(
        max_length=20,
        choices=Disclosure.choices,
        default=Disclosure.HIDDEN_TEST,
        db_default=Disclosure.HIDDEN_TEST,
    )
    # What the scores of a hidden test are rounded by
    # (leaderboard/results/scoresheets/hidden_tests.py); never shown. rounding_share: the step, as a
    # share of the scale; 0 where it has too few questions for one.
    rounding_share = models.FloatField(null=True, editable=False)
    rounding_secret = models.CharField(max_length=64, default=new_secret, editable=False)
    anomalies = models.JSONField(
        default=list, help_text="Faults of the dataset: imported as they are, flagged"
    )
    # What it may be used for. None of it is content: it may be said later, and corrected.
    creator = models.CharField(
        max_length=200, blank=True, default="", db_default="", help_text="Who made the dataset"
    )
    licence = models.CharField(
        max_length=200,
        blank=True,
        default="",
        db_default="",
        help_text="Name of its licence, as CC-BY-4.0",
    )
    licence_url = models.CharField(
        max_length=300,
        blank=True,
        default="",
        db_default="",
        validators=[URLValidator(schemes=["https", "http"])],
        help_text="Where the licence can be read",
    )
    source = models.CharField(
        max_length=300,
        blank=True,
        default="",
        db_default="",
        help_text="Where the dataset is from: an address",
    )
    passes_pictures_on = models.BooleanField(
        default=False,
        db_default=False,
        help_text="The licence lets this site hand its pictures out in an archive",
    )
    floor_version = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="Which baselines it has; the sweep makes newer ones"
    )
    created = models.DateTimeField(auto_now_add=True)
    opened = models.DateTimeField(null=True, blank=True)
    closed = models.DateTimeField(
        null=True, blank=True, help_text="Since when it is frozen or retired"
    )
    follows = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="next_releases",
        help_text="The closed release whose questions it has, to be corrected here",
    )
    questions: "models.ManyToManyField[Question, ReleaseQuestion]" = models.ManyToManyField(
        "Question", through="ReleaseQuestion", related_name="releases"
    )

    objects = ReleaseQuerySet.as_manager()

    class Meta:
        ordering = ["-created", "-id"]
        constraints = [
            # Two who press at once make one. One that was opened never becomes a draft again.
            models.UniqueConstraint(
                fields=["follows"], condition=Q(state="draft"), name="one_next_draft_of_a_release"
            )
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def language_name(self) -> str:
        return {"en": "English", "zh": "Chinese"}.get(self.language, self.language)

    @property
    def is_open(self) -> bool:
        return self.state == self.State.OPEN

    @property
    def references_are_public(self) -> bool:
        return self.disclosure == self.Disclosure.OPEN

    @property
    def verdicts_are_public(self) -> bool:
        """Whether anybody is told how single answers were judged; of a hidden test nobody is, not
        even the owner of an entry."""
        return self.disclosure != self.Disclosure.HIDDEN_TEST

    @property
    def public_checksum(self) -> str:
        """What everybody reads of `checksum`. That is made of references too: who knew all labels
        of a hidden test but some would find these by trying, so there it is keyed."""
        if self.verdicts_are_public:
            return self.checksum
        secret = bytes.fromhex(self.rounding_secret)
        return hmac.new(secret, self.checksum.encode(), hashlib.sha256).hexdigest()

    @property
    def disclosure_sentence(self) -> str:
        return DISCLOSED[self.Disclosure(self.disclosure)]


DISCLOSED = {
    Release.Disclosure.OPEN: (
        "Open: reference answers and the verdict on every answer are public. Anyone can train or "
        "tune on them, so a score may be the result of having seen the answers."
    ),
    Release.Disclosure.HIDDEN_REFERENCES: (
        "Hidden references: the texts of reference answers are not shown, but the verdict on every "
        "answer is public. The right answers can be worked out from these verdicts, so treat this "
        "release as if its answers were known."
    ),
    Release.Disclosure.HIDDEN_TEST: (
        "Hidden test: neither reference answers nor verdicts on single answers are shown to "
        "anyone, and owners of entries see no more than other people. Each entry has one score, "
        "rounded at random to a coarse step, and an account gets only a few scores."
    ),
}
"""What each level means, in the words of the release's page and of the API."""


class ReleaseArchive(models.Model):
    """What everybody may download of a release in one file. It is made by sweeps, once; another one
    takes its place where what it says is no longer so.

    key: of what it was made (benchmarks.releases.files.archive_key). pictures, missing: how many
    pictures are in it, and how many would be but could not be read. questions_sha256: of the list
    of questions inside of it.
    """

    release = models.OneToOneField(Release, on_delete=models.CASCADE, related_name="archive")
    key = models.CharField(max_length=64)
    file = models.FileField()
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField(help_text="Bytes")
    pictures = models.PositiveIntegerField()
    missing = models.PositiveIntegerField()
    questions_sha256 = models.CharField(max_length=64)
    made = models.DateTimeField()

    def __str__(self) -> str:
        return f"of {self.release_id}"


class Ability(models.Model):
    benchmark = models.ForeignKey(Benchmark, on_delete=models.PROTECT, related_name="abilities")
    slug = models.CharField(max_length=100)
    title = models.CharField(max_length=200)
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["position"]
        verbose_name_plural = "abilities"
        constraints = [models.UniqueConstraint(fields=["benchmark", "slug"], name="ability_once")]

    def __str__(self) -> str:
        return self.title


class Subtask(models.Model):
    ability = models.ForeignKey(Ability, on_delete=models.PROTECT, related_name="subtasks")
    slug = models.CharField(max_length=100)
    title = models.CharField(max_length=200)
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["ability__position", "position"]
        constraints = [models.UniqueConstraint(fields=["ability", "slug"], name="subtask_once")]

    def __str__(self) -> str:
        return self.title


class Figure(models.Model):
    """The picture or pictures of a question; named by its content."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.PROTECT, related_name="figures")
    key = models.CharField(max_length=200, help_text="Name in the dataset")
    content_hash = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "content_hash"], name="figure_once")
        ]

    def __str__(self) -> str:
        return self.key


class FigureImage(models.Model):
    """One picture. `sha256` is empty while the release was imported without its image files."""

    figure = models.ForeignKey(Figure, on_delete=models.PROTECT, related_name="images")
    position = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=300, help_text="Path in the dataset")
    file = models.FileField(blank=True)
    sha256 = models.CharField(max_length=64, blank=True)
    width = models.PositiveIntegerField(null=True)
    height = models.PositiveIntegerField(null=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["figure", "position"], name="figure_image_position_once"
            )
        ]

    def __str__(self) -> str:
        return self.name


class Rendition(models.Model):
    """A smaller copy of a picture, for pages. `file` is empty where the picture itself is shown;
    `file_sha256` too, and of files from before it was kept."""

    sha256 = models.CharField(max_length=64, primary_key=True, help_text="Of the picture")
    file = models.FileField(blank=True)
    file_sha256 = models.CharField(max_length=64, blank=True, db_default="")

    def __str__(self) -> str:
        return f"of {self.sha256[:12]}"


class AbsentPicture(models.Model):
    """A picture that could not be read when its rendition was to be made."""

    sha256 = models.CharField(max_length=64, primary_key=True, help_text="Of the picture")
    looked = models.DateTimeField(help_text="When it was last looked for")

    def __str__(self) -> str:
        return self.sha256[:12]


class Proposal(models.Model):
    """A text that one person proposes. Another approves it, which makes it the one that is judged
    by, or sends it back with a comment; nobody decides about their own. What the three kinds have
    in common: their steps are benchmarks/services/proposals.py."""

    class State(models.TextChoices):
        DRAFT = "draft"
        IN_REVIEW = "in review"
        APPROVED = "approved"
        SENT_BACK = "sent back"
        SUPERSEDED = "superseded"

    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    created = models.DateTimeField(auto_now_add=True)
    # Only descriptions are drafts first, and superseded.
    state = models.CharField(max_length=10, choices=State.choices[1:4], default=State.IN_REVIEW)
    reviewed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    reviewed_at = models.DateTimeField(null=True)
    review_comment = models.TextField(blank=True)

    class Meta:
        abstract = True


def approved_by_another(of: str) -> models.CheckConstraint:
    """Nobody who wrote it approves it; `of`: the name of the constraint."""
    condition = ~Q(state="approved") | Q(author__isnull=True) | ~Q(reviewed_by=F("author"))
    return models.CheckConstraint(condition=condition, name=of)


def sent_back_with_a_comment(of: str) -> models.CheckConstraint:
    condition = ~Q(state="sent back") | ~Q(review_comment="")
    return models.CheckConstraint(condition=condition, name=of)


class Description(Proposal):
    """A version of the fine-grained text through which a text-only judge sees a figure. The
    approved one is judged. superseded_by: the version whose approval closed this one, which was a
    draft or in review; by whom and when says that version. words: of the text; null of versions
    from before they were counted. copied_from: the version of the same pictures in another
    benchmark whose approval approved this one."""

    figure = models.ForeignKey(Figure, on_delete=models.PROTECT, related_name="descriptions")
    version = models.PositiveIntegerField()
    language = models.CharField(max_length=10, default="en")
    text = models.TextField()
    state = models.CharField(
        max_length=10, choices=Proposal.State.choices, default=Proposal.State.DRAFT
    )
    submitted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    submitted_at = models.DateTimeField(null=True, blank=True)
    superseded_by = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="closed_versions"
    )
    words = models.PositiveIntegerField(null=True, blank=True)
    copied_from = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="copies"
    )

    class Meta:
        ordering = ["figure", "language", "-version"]
        permissions = [("approve_description", "Can approve descriptions and send them back")]
        constraints = [
            models.UniqueConstraint(
                fields=["figure", "language", "version"], name="description_version_once"
            ),
            approved_by_another("nobody_approves_their_own_description"),
            models.CheckConstraint(
                condition=~Q(state="approved")
                | Q(submitted_by__isnull=True)
                | ~Q(reviewed_by=F("submitted_by")),
                name="nobody_approves_what_they_submitted",
            ),
            sent_back_with_a_comment("sent_back_with_a_comment"),
        ]
        indexes = [
            # What annotators have to do, and which figures are done, without reading a text.
            models.Index(fields=["state", "figure", "language"], name="description_state"),
            # Whoever is told of decisions looks at the last ones, who counts work at a month.
            models.Index(
                fields=["reviewed_at"],
                condition=Q(reviewed_at__isnull=False),
                name="description_reviewed",
            ),
            models.Index(fields=["created"], name="description_created"),
        ]

    def __str__(self) -> str:
        return f"{self.figure} v{self.version}"


class Claim(models.Model):
    """Somebody has the form of a figure's description open. It takes the figure out of what others
    are given next and locks nobody out; benchmarks/services/claims.py says how long it lasts."""

    figure = models.ForeignKey(Figure, on_delete=models.CASCADE, related_name="claims")
    language = models.CharField(max_length=10)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    since = models.DateTimeField(help_text="When the form was opened")
    until = models.DateTimeField(db_index=True, help_text="When it ends without a sign of life")
    holds_review = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Its text is typed or reviewed: to reviewers, too, others are given",
    )

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["figure", "language", "user"], name="claim_once_per_person"
            )
        ]

    def __str__(self) -> str:
        return f"{self.figure_id} {self.language}"


class Assignment(models.Model):
    """Whom staff asked to describe a figure. It comes first in that person's queue and is in nobody
    else's; whoever opens it all the same may write."""

    figure = models.ForeignKey(Figure, on_delete=models.CASCADE, related_name="assignments")
    language = models.CharField(max_length=10)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    note = models.CharField(max_length=200, blank=True, help_text="What to look at")
    at = models.DateTimeField()

    class Meta:
        permissions = [("assign_figure", "Can assign figures to annotators")]
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["figure", "language"], name="figure_assigned_once")
        ]

    def __str__(self) -> str:
        return f"{self.figure_id} {self.language}"


class Question(models.Model):
    """One question. Shared by every release in which it stands unchanged: `content_hash` is its
    identity."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.PROTECT, related_name="questions")
    public_id = models.CharField(max_length=200)
    content_hash = models.CharField(max_length=64)
    subtask = models.ForeignKey(Subtask, on_delete=models.PROTECT, related_name="questions")
    figure = models.ForeignKey(
        Figure, on_delete=models.PROTECT, null=True, blank=True, related_name="questions"
    )
    group = models.CharField(max_length=200, help_text="Unit of resampling")
    text = models.TextField()
    facts = models.JSONField(default=dict, help_text="Public, meaning known to the protocol")
    truth = models.JSONField(
        default=dict, help_text="Ground truth: never leaves the judge and the scorer"
    )
    corrected_truth = models.JSONField(
        null=True,
        blank=True,
        help_text="What is judged and scored by in its place, of the newest LabelCorrection",
    )

    objects = QuestionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "content_hash"], name="question_once")
        ]

    def __str__(self) -> str:
        return self.public_id

    @property
    def current_truth(self) -> dict[str, Any]:
        """What is judged and scored by."""
        found: dict[str, Any] = self.truth if self.corrected_truth is None else self.corrected_truth
        return found


class ReleaseQuestion(models.Model):
    """Membership of a question in a release, at its place in the file."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="members")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="memberships")
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["release", "question"], name="question_once_in_release"
            ),
            models.UniqueConstraint(
                fields=["release", "position"], name="position_once_in_release"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question} in {self.release}"


class Reference(models.Model):
    """A version of the reference answer or ground-truth sentence of a question; the newest is
    judged against."""

    class Origin(models.TextChoices):
        DATASET = "dataset"
        HUMAN = "human"
        GENERATED = "generated"

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="references")
    version = models.PositiveIntegerField(default=1)
    text = models.TextField()
    origin = models.CharField(max_length=10, choices=Origin.choices)
    description = models.ForeignKey(
        Description, on_delete=models.PROTECT, null=True, blank=True, related_name="references"
    )
    maker = models.CharField(
        max_length=200, blank=True, help_text="The model and prompts, or the person, behind it"
    )
    created = models.DateTimeField(auto_now_add=True)

    objects = ReferenceQuerySet.as_manager()

    class Meta:
        ordering = ["question", "-version"]
        constraints = [
            models.UniqueConstraint(fields=["question", "version"], name="reference_version_once")
        ]

    def __str__(self) -> str:
        return f"{self.question} v{self.version}"


class QuestionReport(models.Model):
    """What somebody says is wrong with a question. It is public once staff have confirmed it, with
    their answer; until then only staff and who wrote it know of it."""

    class Category(models.TextChoices):
        REFERENCE = "reference", "The reference is wrong"
        AMBIGUOUS = "ambiguous", "The question can be understood in several ways"
        PICTURE = "picture", "The picture does not fit the question"
        OTHER = "other", "Something else"

    class State(models.TextChoices):
        OPEN = "open"
        CONFIRMED = "confirmed"
        NO_PROBLEM = "not a problem"

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="reports")
    reporter = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    category = models.CharField(max_length=10, choices=Category.choices)
    text = models.TextField()
    state = models.CharField(max_length=13, choices=State.choices, default=State.OPEN)
    answer = models.TextField(
        blank=True, help_text="What is answered to it; public where it is confirmed"
    )
    created = models.DateTimeField(default=timezone.now)
    answered = models.DateTimeField(null=True, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    objects = QuestionReportQuerySet.as_manager()

    class Meta:
        ordering = ["-created", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["question", "reporter"],
                condition=Q(state="open"),
                name="one_open_report_of_a_question_per_person",
            ),
            models.CheckConstraint(
                condition=Q(state="open") | ~Q(answer=""), name="reports_end_with_an_answer"
            ),
        ]
        indexes = [
            models.Index(fields=["state", "question"], name="question_reports_by_state"),
            models.Index(fields=["reporter", "created"], name="question_reports_of_person"),
            # Whoever is told of answers looks at the last ones.
            models.Index(
                fields=["answered"],
                condition=Q(answered__isnull=False),
                name="question_reports_answered",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question}: {self.get_category_display()}"


class QuestionReportChange(models.Model):
    """What staff did to a report: which state it got, by whom and when, with what answer, and why
    where it was opened again. Nothing writes over them."""

    report = models.ForeignKey(QuestionReport, on_delete=models.CASCADE, related_name="changes")
    state = models.CharField(max_length=13, choices=QuestionReport.State.choices)
    answer = models.TextField(blank=True)
    why = models.TextField(blank=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    at = models.DateTimeField()

    class Meta:
        ordering = ["at", "id"]

    def __str__(self) -> str:
        return f"{self.report}: {self.state}"


class LabelDoubt(models.Model):
    """A question that looks as if its label were wrong: readers reported it, or entries that do
    well elsewhere miss it. One row per question, opened again by the next report.

    suspicion, share, entries: of the newest board that suspects it (`benchmarks.statistics.items`);
    None where none does.
    """

    class State(models.TextChoices):
        OPEN = "open"
        NO_PROBLEM = "not a problem"
        CORRECTED = "corrected"

    question = models.OneToOneField(Question, on_delete=models.PROTECT, related_name="doubt")
    state = models.CharField(max_length=13, choices=State.choices, default=State.OPEN)
    suspicion = models.FloatField(null=True)
    share = models.FloatField(null=True, help_text="Of the entries that get it right, 0 to 1")
    entries = models.PositiveIntegerField(null=True)
    opened = models.DateTimeField(default=timezone.now)
    decided = models.DateTimeField(null=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        ordering = ["-opened", "-id"]
        indexes = [
            # The queue looks at what is open alone, however many were decided.
            models.Index(fields=["opened"], name="open_doubts", condition=Q(state="open"))
        ]

    def __str__(self) -> str:
        return f"label of {self.question}"


class LabelCorrection(Proposal):
    """Another label of a question, which one person proposes and another approves. From then on
    answers are judged and scored by it: a new content edition of every open release with the
    question. What stands in the release's file stays where it is (Question.truth).

    before, label: as people read them (LabelsPort). truth: what is made of `label`. reference: a
    new reference that goes live with it, empty for none.
    """

    question = models.ForeignKey(
        Question, on_delete=models.PROTECT, related_name="label_corrections"
    )
    before = models.TextField()
    label = models.TextField()
    truth = models.JSONField()
    reference = models.TextField(blank=True)
    # What was made of it. Both together are one edition.
    made_reference = models.OneToOneField(
        Reference, on_delete=models.PROTECT, null=True, related_name="label_correction"
    )
    reason = models.TextField(help_text="Public once it is confirmed")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["-created", "-id"]
        permissions = [
            ("confirm_labelcorrection", "Can confirm corrected labels and send them back")
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["question"],
                condition=Q(state="in review"),
                name="one_correction_in_review_per_question",
            ),
            approved_by_another("nobody_confirms_their_own_correction"),
            sent_back_with_a_comment("a_correction_goes_back_with_a_comment"),
            models.CheckConstraint(
                condition=Q(state="in review", reviewed_at__isnull=True)
                | (~Q(state="in review") & Q(reviewed_at__isnull=False)),
                name="a_decided_correction_says_when",
            ),
        ]

    def __str__(self) -> str:
        return f"label of {self.question}: {self.label}"


class UnsavedText(models.Model):
    """What a person typed into a form and has not saved, under the address of the form; nobody else
    reads it. It goes with the next save, or after a while (benchmarks/forms/unsaved.py)."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    path = models.CharField(max_length=300)
    title = models.CharField(max_length=300)
    fields = models.JSONField()
    typed = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "path"], name="unsaved_text_once_per_form")
        ]

    def __str__(self) -> str:
        return self.title
