"""What was decided: judge specs, runs, judgements (also the work queue), and the ledger of
requests."""

from string import Template

from django.conf import settings
from django.db import models
from django.db.models import Q

from benchmarks.models import (
    Description,
    Proposal,
    Question,
    Reference,
    Release,
    approved_by_another,
    sent_back_with_a_comment,
)
from benchmarks.submissions.models import Answer, Submission
from judging.judge_names import read_model_name
from judging.querysets import (
    IN_REVIEW,
    CanaryRunQuerySet,
    JudgementQuerySet,
    ReferenceRequestQuerySet,
    RunQuerySet,
)

DELIMITER = "delimiter"
"""The placeholder of the lines around answers, which are random per call."""
AS_PUBLISHED = "wording said to be published, no protection against answers that address the judge"
"""That it is what somebody published is the word of whoever imported it: nobody compares it."""
TRUSTED = frozenset({"question", "reference", "description"})
"""Placeholders of texts that are the benchmark's own. Whatever else is filled in is what a model
answered."""


def placeholders(text: str) -> list[str]:
    """The names that are filled in, in the order in which they stand, each as often as it does."""
    found = Template.pattern.finditer(text)
    return [name for match in found if (name := match["named"] or match["braced"])]


def unmarked_answers(text: str) -> list[str]:
    """The placeholders of answers that stand anywhere without a delimiter next before and next
    after them: with another text in between it would not be told where that text ends and the
    answer begins."""
    names = placeholders(text)
    around = zip(["", *names], names, [*names[1:], ""], strict=False)
    return sorted(
        {
            name
            for before, name, after in around
            if name not in TRUSTED | {DELIMITER} and (before, after) != (DELIMITER, DELIMITER)
        }
    )


class PromptSet(models.Model):
    """The texts sent to a judge. Immutable: a changed text is a new version."""

    protocol = models.SlugField()
    version = models.SlugField()
    about = models.TextField(blank=True)
    texts = models.JSONField()
    content_hash = models.CharField(max_length=64, unique=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["protocol", "version"], name="prompt_set_version_once")
        ]

    def __str__(self) -> str:
        return f"{self.protocol} {self.version}"

    @property
    def marks_answers(self) -> bool:
        """Whether every text with something filled in says where that begins and ends. Those that a
        benchmark's authors published do not: what an answer says to the judge stands there like an
        instruction."""
        return all(
            DELIMITER in names and not unmarked_answers(text)
            for text in self.texts.values()
            if (names := placeholders(text))
        )

    @property
    def caution(self) -> str:
        """What a reader of scores should know of these prompts; empty where there is nothing."""
        return "" if self.marks_answers else AS_PUBLISHED


class JudgeSpec(models.Model):
    """Everything that decides how a judge decides. Immutable, named by its hash: a change is a new
    spec and era."""

    RULES = "rules"

    protocol = models.SlugField()
    slug = models.SlugField(unique=True)
    kind = models.CharField(
        max_length=10, help_text="rules, or of a model the file in judging/judges/providers"
    )
    endpoint = models.CharField(
        max_length=50, blank=True, help_text="Alias in JUDGE_ENDPOINTS; never an address"
    )
    model = models.CharField(max_length=100, blank=True)
    answers_as = models.CharField(
        max_length=100,
        blank=True,
        db_default="",
        help_text="The model the endpoint must report; empty: any one",
    )
    parameters = models.JSONField(default=dict)
    prompt_set = models.ForeignKey(PromptSet, on_delete=models.PROTECT, null=True, blank=True)
    parser = models.CharField(max_length=20)
    parser_version = models.CharField(max_length=20)
    repeats = models.PositiveSmallIntegerField(default=1)
    content_hash = models.CharField(max_length=64, unique=True)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.slug

    @property
    def is_offline(self) -> bool:
        return self.kind == self.RULES

    @property
    def has_usual_rules(self) -> bool:
        return self.is_offline and not self.rules_name

    @property
    def rules_name(self) -> str:
        """Of offline rules beside the usual ones, whose `model` is "NAME VERSION"; else empty."""
        return self.model.rpartition(" ")[0] if self.is_offline else ""

    def is_called(self, name: str) -> bool:
        """Whether people who say `name` mean it: its slug, or what they had it judge by."""
        if self.is_offline:
            return name in (self.slug, f"{self.RULES}:{self.rules_name}".rstrip(":"))
        asked = (self.model, self.endpoint, self.answers_as)
        return name == self.slug or read_model_name(name) == asked

    @property
    def rules_version(self) -> str:
        return self.model.rpartition(" ")[2] if self.is_offline else ""

    @property
    def caution(self) -> str:
        """What a reader of its scores should know of its prompts; empty where there is nothing."""
        return self.prompt_set.caution if self.prompt_set else ""


class JudgeRun(models.Model):
    """The wish that a submission be judged by a spec. `planned` is set when its judgements exist.

    While it is paused nothing of it is claimed; `pause_kind` says who ends the pause: the sweep,
    once the budget has room or the endpoint is reopened, or a person. failures: tries to plan or to
    score it since one ended well, one under way included. held_until: nobody else tries before; a
    worker is at it, or the last try failed just now. asked_anew: when verdicts of it were last
    asked about anew.

    revision: raised in the transaction that asks about any of its judgements anew, or changes what
    judge or people say of its answers. unscored: 1 until its scoresheet was made of that revision
    and none of its judgements waits; then null, and no sweep looks at it (judging/immutability.py).
    No boolean: what is compared with a number SQLite finds by an index, where it would read a
    boolean of every row.

    dry_run: when a few answers of a submission that is not confirmed were planned, to be judged
    before anything counts (services/dry_runs.py); null once the whole run is asked for. Until then
    `planned` and `unscored` are null: it is never scored.

    is_large: planned and scored in a lane of its own, beside all others (services/runs.py).
    """

    class Pause(models.TextChoices):
        NONE = ""
        BUDGET = "budget"
        ENDPOINT = "endpoint"
        JUDGE = "judge"
        PERSON = "person"
        FAULT = "fault"

    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="runs")
    judge_spec = models.ForeignKey(JudgeSpec, on_delete=models.PROTECT, related_name="runs")
    created = models.DateTimeField(auto_now_add=True)
    planned = models.DateTimeField(null=True, blank=True)
    paused = models.DateTimeField(null=True, blank=True)
    pause_kind = models.CharField(
        max_length=10, choices=Pause.choices, default=Pause.NONE, blank=True
    )
    pause_reason = models.CharField(max_length=300, blank=True)
    fruitless = models.PositiveIntegerField(
        default=0,
        db_default=0,
        help_text="Replies and refusals in a row that gave no verdict, of all processes together",
    )
    failures = models.PositiveSmallIntegerField(default=0, db_default=0)
    held_until = models.DateTimeField(null=True, blank=True)
    asked_anew = models.DateTimeField(null=True, blank=True)
    dry_run = models.DateTimeField(null=True, blank=True, editable=False)
    revision = models.PositiveIntegerField(default=1, db_default=1)
    unscored = models.PositiveSmallIntegerField(null=True, default=1, db_default=1, editable=False)
    is_large = models.BooleanField(default=False, db_default=False, editable=False)

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["created", "id"]
        constraints = [
            models.UniqueConstraint(fields=["submission", "judge_spec"], name="one_run_per_spec")
        ]
        # The first three hold what a sweep may have to do, or boards say is judged anew, and no run
        # that is done with; the next those that are tried out; the next tell it in one step which
        # are not planned, and when a run was planned last; by the last one staff turn pages.
        indexes = [
            models.Index(
                fields=["unscored"], condition=Q(unscored__isnull=False), name="run_unscored"
            ),
            models.Index(fields=["paused"], condition=Q(paused__isnull=False), name="run_paused"),
            models.Index(
                fields=["unscored"],
                condition=Q(unscored__isnull=False, asked_anew__isnull=False),
                name="run_asked_anew",
            ),
            models.Index(
                fields=["dry_run"], condition=Q(dry_run__isnull=False), name="run_dry_run"
            ),
            models.Index(fields=["planned"], name="run_planned"),
            models.Index(fields=["judge_spec", "planned"], name="run_planned_by_spec"),
            models.Index(fields=["created", "id"], name="runs_in_order"),
        ]

    def __str__(self) -> str:
        return f"{self.submission} by {self.judge_spec}"


class JudgedTexts(models.Model):
    """The versions of a question's texts that a judge reads together; what it does not read, or
    what there was none of, is null. Judgements share these rows, so that those by an older version
    are found without looking at others.
    """

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="judged_texts")
    description = models.ForeignKey(
        Description, on_delete=models.PROTECT, null=True, related_name="+"
    )
    reference = models.ForeignKey(Reference, on_delete=models.PROTECT, null=True, related_name="+")
    key = models.CharField(
        max_length=64, unique=True, help_text="question/description/reference; 0 for none"
    )

    class Meta:
        verbose_name_plural = "judged texts"

    def __str__(self) -> str:
        return self.key


class Judgement(models.Model):
    """One slot of one answer: a work item while it waits, a verdict when judged. Only judged rows
    have a verdict.

    texts: what it is or was judged by; null where it was judged before that was kept, and nothing
    tells any more.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        LEASED = "leased"
        JUDGED = "judged"
        UNREADABLE = "unreadable"
        REFUSED = "refused"
        TOO_LONG = "too long"
        FAILED = "failed"
        PAUSED = "paused"
        EXCLUDED = "excluded"

    run = models.ForeignKey(JudgeRun, on_delete=models.PROTECT, related_name="judgements")
    answer = models.ForeignKey(Answer, on_delete=models.PROTECT, related_name="judgements")
    judge_spec = models.ForeignKey(JudgeSpec, on_delete=models.PROTECT, related_name="judgements")
    slot = models.CharField(max_length=40)
    content_key = models.CharField(max_length=64)
    texts = models.ForeignKey(
        JudgedTexts,
        on_delete=models.PROTECT,
        null=True,
        db_index=False,  # the two partial indexes below: they cost a large table nothing to add
        related_name="judgements",
    )

    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    lease_until = models.DateTimeField(null=True)
    holder = models.UUIDField(null=True, help_text="The worker that leased it last")
    fence = models.PositiveIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    not_before = models.DateTimeField(null=True)
    reason = models.CharField(
        max_length=300, blank=True, help_text="Why it has no verdict yet, or needed no call"
    )

    verdict = models.CharField(max_length=40, blank=True)
    raw_reply = models.TextField(blank=True)
    finish_reason = models.CharField(max_length=40, blank=True)
    reported_model = models.CharField(max_length=100, blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True)
    reply_tokens = models.PositiveIntegerField(null=True)
    latency_ms = models.PositiveIntegerField(null=True)
    reused_from = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        db_index=False,  # the partial index below
        related_name="+",
    )
    settled = models.DateTimeField(null=True)

    objects = JudgementQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["answer", "judge_spec", "slot"], name="one_judgement_per_slot"
            ),
            models.CheckConstraint(
                condition=(Q(state="judged") & ~Q(verdict=""))
                | (~Q(state="judged") & Q(verdict="")),
                name="a_verdict_if_and_only_if_judged",
            ),
            models.CheckConstraint(
                condition=~Q(state="leased") | Q(lease_until__isnull=False),
                name="a_lease_has_an_end",
            ),
        ]
        indexes = [
            # The state leads these although it is one and the same: without it SQLite, which knows
            # nothing of an index that was empty when it counted, reads all judgements instead.
            models.Index(
                fields=["state", "run", "id"],
                condition=Q(state="waiting"),
                name="judgement_waiting",
            ),
            models.Index(
                fields=["state", "run"], condition=Q(state="paused"), name="judgement_parked"
            ),
            models.Index(
                fields=["lease_until"], condition=Q(state="leased"), name="judgement_lease_end"
            ),
            models.Index(fields=["run", "state"], name="judgement_run_state"),
            models.Index(fields=["settled"], name="judgement_settled"),
            models.Index(
                fields=["settled"], condition=Q(state__in=IN_REVIEW), name="judgement_for_review"
            ),
            models.Index(
                fields=["texts"], condition=Q(texts__isnull=False), name="judgement_by_texts"
            ),
            models.Index(
                fields=["run"], condition=Q(texts__isnull=True), name="judgement_texts_unknown"
            ),
            # One of db_index has a second one for LIKE on PostgreSQL: gigabytes that nobody asks.
            models.Index(fields=["content_key"], name="judgement_content_key"),
            models.Index(
                fields=["reused_from"],
                condition=Q(reused_from__isnull=False),
                name="judgement_reused_from",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.answer} {self.slot}"


class EarlierVerdict(models.Model):
    """A verdict that its judgement had until the case was asked about anew. Kept for good
    (judging/immutability.py): a case that comes back takes it again, and nothing is paid twice."""

    judgement = models.ForeignKey(
        Judgement, on_delete=models.PROTECT, related_name="earlier_verdicts"
    )
    content_key = models.CharField(max_length=64)
    texts = models.ForeignKey(JudgedTexts, on_delete=models.PROTECT, null=True, related_name="+")
    verdict = models.CharField(max_length=40)
    reason = models.CharField(max_length=300, blank=True)
    raw_reply = models.TextField(blank=True)
    finish_reason = models.CharField(max_length=40, blank=True)
    reported_model = models.CharField(max_length=100, blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True)
    reply_tokens = models.PositiveIntegerField(null=True)
    latency_ms = models.PositiveIntegerField(null=True)
    reused_from = models.ForeignKey(
        Judgement, on_delete=models.PROTECT, null=True, related_name="+"
    )
    settled = models.DateTimeField(null=True)
    replaced = models.DateTimeField(help_text="When the judgement was asked about anew")

    class Meta:
        ordering = ["judgement", "-pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(verdict=""), name="an_earlier_verdict_is_one")
        ]
        indexes = [models.Index(fields=["content_key"], name="earlier_verdict_content_key")]

    def __str__(self) -> str:
        return f"{self.judgement_id}: {self.verdict}"


class StaleJudgement(Judgement):
    """A judgement made with other words than today's, as the admin lists them to be judged
    again."""

    class Meta:
        proxy = True
        default_permissions = ()
        permissions = [("rejudge_stale", "Can have judgements with older texts judged again")]
        verbose_name = "judgement by older texts"
        verbose_name_plural = "judgements by older texts"

    def __str__(self) -> str:
        return f"{self.answer_id}, {self.slot}"


class JudgementForReview(Judgement):
    """A judgement that ended without a verdict or waits for a person, as the review queue of the
    admin shows it."""

    class Meta:
        proxy = True
        default_permissions = ()
        permissions = [("review_judgement", "Can ask again for a verdict, and exclude a judgement")]
        verbose_name = "judgement for review"
        verbose_name_plural = "judgements for review"

    def __str__(self) -> str:
        return f"Judgement {self.pk}"


class ReviewNote(models.Model):
    """What a person did about a judgement without a verdict. `found` is the state and reason it had
    until then; nobody stands in `by` where a command did it."""

    class Action(models.TextChoices):
        RETRY = "retry"
        EXCLUDE = "exclude"

    judgement = models.ForeignKey(Judgement, on_delete=models.PROTECT, related_name="review_notes")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    action = models.CharField(max_length=10, choices=Action.choices)
    found = models.CharField(max_length=320)
    reason = models.CharField(max_length=300, blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["created", "id"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(action="exclude") | ~Q(reason=""), name="an_exclusion_has_a_reason"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.action} of judgement {self.judgement_id}"


class CanaryCase(models.Model):
    """A judgement that its judge is asked again from time to time. The cases of a spec are fixed
    until their entry is withdrawn, and so is every word that is sent: what its verdicts differ in,
    the judge does."""

    judge_spec = models.ForeignKey(JudgeSpec, on_delete=models.PROTECT, related_name="canary_cases")
    judgement = models.ForeignKey(Judgement, on_delete=models.PROTECT, related_name="canary_cases")
    position = models.PositiveSmallIntegerField()
    messages = models.JSONField(help_text="What is sent: [role, content] each")

    class Meta:
        ordering = ["judge_spec", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["judge_spec", "position"], name="canary_case_position_once"
            )
        ]

    def __str__(self) -> str:
        return f"Canary case {self.position} of {self.judge_spec}"


class CanaryRun(models.Model):
    """One time that a judge was asked its canary cases. Everything but the first three fields is
    set as it finishes.

    asked: cases the judge replied to; where no reply came, nothing is known of the judge. same: of
    these, verdicts that are what they were. unreadable: of these, replies without a verdict.
    mean_difference: of the scores, now less then, where verdicts are numbers.
    """

    STEADY_SHARE = 0.9

    judge_spec = models.ForeignKey(JudgeSpec, on_delete=models.PROTECT, related_name="canary_runs")
    started = models.DateTimeField()
    claimed_until = models.DateTimeField(null=True)
    finished = models.DateTimeField(null=True)
    asked = models.PositiveSmallIntegerField(default=0)
    same = models.PositiveSmallIntegerField(default=0)
    unreadable = models.PositiveSmallIntegerField(default=0)
    mean_difference = models.FloatField(null=True)
    reported_model = models.CharField(
        max_length=300, blank=True, help_text="Several with commas between them"
    )

    objects = CanaryRunQuerySet.as_manager()

    class Meta:
        ordering = ["-started", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["judge_spec"],
                condition=Q(finished__isnull=True),
                name="one_canary_run_under_way",
            ),
        ]

    def __str__(self) -> str:
        return f"Canary of {self.judge_spec}, {self.started:%Y-%m-%d %H:%M}"

    @property
    def is_steady(self) -> bool:
        return self.same >= self.STEADY_SHARE * self.asked


class CanaryAnswer(models.Model):
    """What the judge replied to a case this time; no verdict where the reply cannot be read."""

    run = models.ForeignKey(CanaryRun, on_delete=models.PROTECT, related_name="answers")
    case = models.ForeignKey(CanaryCase, on_delete=models.PROTECT, related_name="answers")
    verdict = models.CharField(max_length=40, blank=True)
    raw_reply = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "case"], name="one_canary_answer_per_case")
        ]

    def __str__(self) -> str:
        return f"{self.case}: {self.verdict or 'unreadable'}"


class JudgeCall(models.Model):
    """One request to an endpoint, written before it leaves. Left open = unknown outcome, counted as
    spent.

    unknown: it left, and nobody knows whether it was carried out (a timeout). unsent: it never
    left. `cost` in millionths of the currency: the worst case while open or unknown, then what its
    tokens cost.
    """

    class Outcome(models.TextChoices):
        OPEN = "open"
        ANSWERED = "answered"
        FAILED = "failed"
        UNKNOWN = "unknown"
        UNSENT = "unsent"

    class Reading(models.TextChoices):
        READ = "read"
        UNREADABLE = "unreadable"
        REFUSED = "refused"
        CUT = "cut"

    judgement = models.ForeignKey(
        Judgement, on_delete=models.PROTECT, null=True, related_name="calls"
    )
    question = models.ForeignKey(
        Question,
        on_delete=models.PROTECT,
        null=True,
        related_name="calls",
        help_text="Whose reference was asked for, or with which the judge was tried",
    )
    judge_spec = models.ForeignKey(
        JudgeSpec,
        on_delete=models.PROTECT,
        null=True,
        related_name="trial_calls",
        help_text="The judge that was tried",
    )
    canary_case = models.ForeignKey(
        CanaryCase, on_delete=models.PROTECT, null=True, related_name="calls"
    )
    fence = models.PositiveIntegerField(default=0)
    started = models.DateTimeField()
    closed = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=10, choices=Outcome.choices, default=Outcome.OPEN)
    error = models.CharField(max_length=300, blank=True)
    reading = models.CharField(
        max_length=10,
        choices=Reading.choices,
        blank=True,
        db_default="",
        help_text="What the reply was; empty where none came, or nobody looked",
    )
    reply = models.TextField(
        blank=True, db_default="", help_text="Of a reply without a verdict: its text"
    )
    request_id = models.CharField(max_length=100, blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True)
    reply_tokens = models.PositiveIntegerField(null=True)
    cost = models.BigIntegerField(default=0)

    class Meta:
        indexes = [models.Index(fields=["started"], name="call_started")]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    judgement__isnull=False, question__isnull=True, canary_case__isnull=True
                )
                | Q(judgement__isnull=True, question__isnull=False, canary_case__isnull=True)
                | Q(judgement__isnull=True, question__isnull=True, canary_case__isnull=False),
                name="a_call_has_one_purpose",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.judgement or self.question or self.canary_case} {self.outcome}"


class Endpoint(models.Model):
    """What all workers know together of an endpoint. Address, key, limits and prices are settings.

    next_request, next_tokens: when the next request may start, by database time, as far as each
    rate goes. held_until: nobody asks before, by the endpoint's own wish or because it gives no
    reply. halted: nobody asks until someone reopens it; `is_paused_by_person` where a person wanted
    that. failures: calls in a row without a reply, by weight. strikes: how often in a row it was
    held for them. answered: when a verdict was read there last, and whose. at_once: how many calls
    at once a process had under way there, when that was last so, and at which address; halved where
    the last such process was refused or not answered in time (limits.py).
    """

    alias = models.CharField(max_length=50, unique=True)
    next_request = models.DateTimeField(null=True)
    next_tokens = models.DateTimeField(null=True)
    recent_tokens = models.JSONField(
        default=dict, help_text="Of the last minute, by grains of their starts"
    )
    held_until = models.DateTimeField(null=True)
    hold_reason = models.CharField(max_length=300, blank=True)
    halted = models.DateTimeField(null=True)
    halt_reason = models.CharField(max_length=300, blank=True)
    is_paused_by_person = models.BooleanField(default=False, db_default=False)
    failures = models.PositiveIntegerField(default=0, db_default=0)
    strikes = models.PositiveSmallIntegerField(default=0, db_default=0)
    answered = models.DateTimeField(null=True)
    answered_by = models.ForeignKey(
        JudgeSpec, on_delete=models.SET_NULL, null=True, db_index=False, related_name="+"
    )
    at_once = models.PositiveIntegerField(null=True)
    bore = models.DateTimeField(null=True)
    address = models.CharField(max_length=300, blank=True, db_default="")

    class Meta:
        ordering = ["alias"]

    def __str__(self) -> str:
        return self.alias


class Seat(models.Model):
    """A worker's share of the calls an endpoint takes at once; it falls free when the worker renews
    it no more."""

    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, related_name="seats")
    holder = models.UUIDField(unique=True)
    calls = models.PositiveIntegerField()
    wanted = models.PositiveIntegerField(default=0)
    until = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.calls} calls at {self.endpoint}"


class Spend(models.Model):
    """What the ledger's calls of a scope cost together, in millionths: "site/2026-11-21",
    "submission/…"."""

    scope = models.CharField(max_length=80, unique=True)
    cost = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.scope}: {self.cost}"


class WitnessMark(models.Model):
    """How often something left the site, as far as this database knows (witness.py). One row."""

    ONLY = 1

    number = models.BigIntegerField()
    site = models.CharField(max_length=32, db_default="", help_text="In the file too")

    def __str__(self) -> str:
        return str(self.number)


class ReferenceRequest(models.Model):
    """The wish that a model propose references of a release: for at most `calls` questions, as its
    person agreed to having seen `cost`, the most it may be. What was made before is not asked for
    again, so that a request which a worker left unfinished can simply be taken up by another."""

    release = models.ForeignKey(
        Release, on_delete=models.PROTECT, related_name="reference_requests"
    )
    endpoint = models.CharField(max_length=50, help_text="Alias in JUDGE_ENDPOINTS")
    model = models.CharField(max_length=100)
    everything = models.BooleanField(
        default=False,
        db_default=False,
        verbose_name="also where the reference is up to date",
        help_text="Asks for a reference of every question whose figure has a description",
    )
    calls = models.PositiveIntegerField(default=0, db_default=0)
    cost = models.BigIntegerField(default=0, db_default=0)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    created = models.DateTimeField(auto_now_add=True)
    claimed_until = models.DateTimeField(null=True)
    finished = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=300, blank=True)
    stopped = models.DateTimeField(null=True, help_text="When somebody said that it is enough")
    stopped_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    objects = ReferenceRequestQuerySet.as_manager()

    class Meta:
        ordering = ["-created"]

    def __str__(self) -> str:
        return f"References of {self.release} by {self.model}"


class ReferenceProposal(Proposal):
    """A reference that somebody wrote or had a model write, before another person made it the one
    judged against.

    `replaces` is the version that was judged against when it was written, 0 where there was none.
    The text never changes; once it is approved it stands in a version of Reference, which has the
    guards.
    """

    question = models.ForeignKey(
        Question, on_delete=models.PROTECT, related_name="reference_proposals"
    )
    text = models.TextField()
    origin = models.CharField(max_length=10, choices=Reference.Origin.choices)
    maker = models.CharField(max_length=200, blank=True)
    description = models.ForeignKey(
        Description, on_delete=models.PROTECT, null=True, related_name="+"
    )
    replaces = models.PositiveIntegerField()
    request = models.ForeignKey(
        ReferenceRequest, on_delete=models.PROTECT, null=True, related_name="proposals"
    )
    reference = models.OneToOneField(
        Reference, on_delete=models.PROTECT, null=True, related_name="proposal"
    )

    class Meta:
        ordering = ["-created", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["request", "question"], name="one_proposal_per_question_of_a_request"
            ),
            approved_by_another("nobody_approves_their_own_reference"),
            sent_back_with_a_comment("a_reference_goes_back_with_a_comment"),
            models.CheckConstraint(
                condition=Q(state="approved", reference__isnull=False)
                | (~Q(state="approved") & Q(reference__isnull=True)),
                name="an_approved_reference_is_a_version",
            ),
        ]

    def __str__(self) -> str:
        return f"Reference proposed for {self.question}"
