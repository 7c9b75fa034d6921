"""What judging costs: prices, estimates, budgets, and what was spent, in millionths of the currency
("micro").

A price of 2.5 per million tokens is 2.5 micro per token. The ledger (`JudgeCall.cost`) is the
truth; `Spend` has its sums by submission, account and day, and day of the site, so that budgets are
checked and charged under three row locks.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import accumulate
from string import ascii_letters
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import CharField, F, QuerySet, Sum, Value
from django.db.models.functions import Cast, Now, TruncDate

from benchmarks.protocols.base import Message
from benchmarks.submissions.models import Submission
from judging.coordination.clock import database_now
from judging.judge_names import in_variables
from judging.judge_parameters import reply_limit
from judging.models import JudgeCall, JudgeRun, JudgeSpec, Spend

MICRO = 1_000_000  # a price per million tokens is so many of them per token
MESSAGE_OVERHEAD = 8  # tokens; the role and the marks around a message
LETTERS_PER_TOKEN = 4  # of English, leaning upward: see token_estimate
WORDS = (ascii_letters + " ").encode()


@dataclass(frozen=True, slots=True)
class Price:
    """Micro per token of the prompt and of the reply."""

    prompt: float
    reply: float


@dataclass(frozen=True, slots=True)
class Reserved:
    """`count`: so many of the first calls may be made. `reason` names the budget that stopped the
    next one."""

    count: int
    reason: str


@dataclass(frozen=True, slots=True)
class Budget:
    """A cap in micro, 0 where there is none, and what was spent of it."""

    title: str
    cap: int
    spent: int

    @property
    def left(self) -> int | None:
        """What may still be spent; None where there is no cap."""
        return max(self.cap - self.spent, 0) if self.cap else None

    def allows(self, cost: int) -> bool:
        return cost == 0 or not self.cap or self.spent + cost <= self.cap


# --- what a call costs ----------------------------------------------------------------------------


def price_of(spec: JudgeSpec) -> Price:
    """What the tokens of the spec's model cost; zero for offline rules and where no price is
    set."""
    prices: Mapping[str, tuple[float, float]] = settings.JUDGE_ENDPOINTS.get(spec.endpoint, {}).get(
        "prices", {}
    )
    return Price(*prices.get(spec.model, (0.0, 0.0)))


def has_price(spec: JudgeSpec) -> bool:
    """Whether the operators say what its calls cost, if only that they are free."""
    return spec.model in settings.JUDGE_ENDPOINTS.get(spec.endpoint, {}).get("prices", {})


def lacks_price(spec: JudgeSpec) -> str:
    """Why a model judge must not be asked: there is a budget, and nothing says what its calls cost.
    "" where it may."""
    budgets = (settings.BUDGET_SUBMISSION, settings.BUDGET_ACCOUNT_DAY, settings.BUDGET_SITE_DAY)
    prices = settings.JUDGE_ENDPOINTS.get(spec.endpoint, {}).get("prices", {})
    if spec.is_offline or spec.model in prices or not any(budgets):
        return ""
    where = f"JUDGE_PRICES_{in_variables(spec.endpoint)} ({spec.model}=0/0 if it is free)"
    return f"there is a budget, and no price of {spec.model} at {spec.endpoint}: set {where}"


def token_estimate(messages: Sequence[Message]) -> int:
    """Tokens of a prompt, leaning upward, without any tokenizer.

    Four letters or blanks of the Latin alphabet make a token, and so do two other ASCII characters
    (digits, marks) or one character of any other script; an emoji makes three. Every message has an
    overhead.

    Against cl100k_base and o200k_base this is 1.05 to 1.25 times the tokens of our prompts and of
    English answers, and 0.8 and 1.05 times those of Chinese ones. An answer of random characters
    has up to 2.6 times as many: its cost is corrected as soon as the endpoint reports it.
    """
    return sum(MESSAGE_OVERHEAD + text_tokens(message.content) for message in messages)


def text_tokens(text: str) -> int:
    in_ascii = text.encode("ascii", "ignore")
    marks = len(in_ascii.translate(None, WORDS))
    letters = len(in_ascii) - marks
    emoji = len(text.encode("utf-16-le", "surrogatepass")) // 2 - len(
        text
    )  # what lies beyond the first 65,536
    return math.ceil(
        letters / LETTERS_PER_TOKEN + marks / 2 + len(text) - len(in_ascii) + 2 * emoji
    )


def reply_allowance(spec: JudgeSpec) -> int:
    """The longest reply in tokens that the spec's parameters allow."""
    return reply_limit(spec.parameters)


def worst_case(spec: JudgeSpec, prompt_tokens: int) -> int:
    """Micro that a call may cost at most: its prompt, and a reply as long as is allowed."""
    return cost_of(price_of(spec), prompt_tokens, reply_allowance(spec))


def actual(
    spec: JudgeSpec, prompt_tokens: int | None, reply_tokens: int | None, reserved: int
) -> int:
    """Micro that a call cost; what was reserved for it where the server did not report its
    tokens."""
    if prompt_tokens is None or reply_tokens is None:
        return reserved
    return cost_of(price_of(spec), prompt_tokens, reply_tokens)


def cost_of(price: Price, prompt_tokens: float, reply_tokens: float) -> int:
    """Whole micro, rounded up; the noise of binary fractions is not a micro."""
    return math.ceil(round(prompt_tokens * price.prompt + reply_tokens * price.reply, 6))


def print_money(micro: int) -> str:
    """ "12.50", and four digits below one: "0.0315"."""
    return f"{micro / MICRO:,.2f}" if micro >= MICRO or micro == 0 else f"{micro / MICRO:.4f}"


# --- budgets --------------------------------------------------------------------------------------


def reserve(run: JudgeRun, costs: Sequence[int], *, started: datetime | None = None) -> Reserved:
    """As many of the first calls as every budget allows are charged to it; the caller's transaction
    holds the locks.

    `started` is what the ledger will say of the calls, so that both stand on one day; None: now, by
    database time.
    """
    if not any(costs):
        return Reserved(len(costs), "")
    submission, owner, now = charged_to(run)
    return reserve_in(scopes_of(submission, owner, started or now), costs)


def reserve_for_site(costs: Sequence[int], *, started: datetime) -> Reserved:
    """Reserves for calls that are made for no submission: only the site's budget of the day
    is charged."""
    return (
        reserve_in([site_scope(day_of(started))], costs) if any(costs) else Reserved(len(costs), "")
    )


def reserve_in(scopes: Sequence[str], costs: Sequence[int]) -> Reserved:
    spent = lock_spends(scopes)
    budgets = budgets_at(scopes, spent)
    totals = list(accumulate(costs))
    count = next(
        (i for i, total in enumerate(totals) if not all(b.allows(total) for b in budgets)),
        len(costs),
    )
    if count and totals[count - 1]:
        Spend.objects.filter(scope__in=scopes).update(cost=F("cost") + totals[count - 1])
    if count == len(costs):
        return Reserved(count, "")
    stopped = next(b for b in budgets if not b.allows(totals[count]))
    return Reserved(
        count, refusal(stopped, reserved=totals[count - 1] if count else 0, cost=costs[count])
    )


def correct(run: JudgeRun, difference: int, started: datetime) -> None:
    """What calls of the day of `started` cost differs from what was reserved: their scopes move by
    the difference.

    Within one transaction, earlier days first: the locks are then taken in one order by everybody.
    """
    if not difference:
        return
    submission, owner, _ = charged_to(run)
    move(scopes_of(submission, owner, started), difference)


def correct_for_site(difference: int, started: datetime) -> None:
    """Corrects calls that were reserved for no submission."""
    if difference:
        move([site_scope(day_of(started))], difference)


def move(scopes: Sequence[str], difference: int) -> None:
    lock_spends(scopes)
    Spend.objects.filter(scope__in=scopes).update(cost=F("cost") + difference)


def has_room(run: JudgeRun, cost: int) -> bool:
    """Whether every budget would allow one more call of this cost."""
    return all(budget.allows(cost) for budget in budgets_of(run.submission))


def budgets_of(submission: Submission) -> list[Budget]:
    """Every budget that judging the submission is charged to today, narrowest first; also those
    without a cap."""
    now = database_now()
    scopes = scopes_of(submission.pk, submission.owner_id, now)
    spent = dict(Spend.objects.filter(scope__in=scopes).values_list("scope", "cost"))
    return budgets_at(scopes, spent)


def refusal(budget: Budget, *, reserved: int, cost: int) -> str:
    spent = print_money(budget.spent + reserved)
    return (
        f"{budget.title} is reached: {spent} of {print_money(budget.cap)} spent, a call may cost "
        f"{print_money(cost)}"
    )


# --- the ledger is the truth ----------------------------------------------------------------------


def spend_drift() -> list[str]:
    """A line for each scope whose stored sum is not that of the ledger's calls. Read in one
    statement: one moment."""
    stored, summed = Counter[str](), Counter[str]()
    for kind, key, day, cost in every_sum():
        match kind:
            case "stored":
                stored[key] = cost
            case "submission":
                summed[submission_scope(UUID(key))] = cost
            case "account":
                summed[account_scope(int(key), day)] = cost
            case _:
                summed[site_scope(day)] = cost
    return [
        (
            f"{scope}: {print_money(stored[scope])} is stored, the ledger says "
            f"{print_money(summed[scope])}"
        )
        for scope in sorted(stored.keys() | summed.keys())
        if stored[scope] != summed[scope]
    ]


def every_sum() -> QuerySet[Any, tuple[str, str, str, int]]:
    """(kind, key, day, cost) of the stored sums and of those of the ledger."""
    text = CharField()
    day = Cast(TruncDate("started", tzinfo=UTC), text)
    calls = JudgeCall.objects.order_by()
    submission, owner = "judgement__run__submission_id", "judgement__run__submission__owner_id"
    sums = [
        calls.filter(judgement__isnull=False).values_list(
            Value("submission"), Cast(submission, text), Value("")
        ),
        calls.filter(**{f"{owner}__isnull": False}).values_list(
            Value("account"), Cast(owner, text), day
        ),
        calls.values_list(Value("site"), Value(""), day),
    ]
    stored = Spend.objects.order_by().values_list(Value("stored"), "scope", Value(""), "cost")
    return stored.union(*(found.annotate(total=Sum("cost")) for found in sums), all=True)


# --- scopes and their locks -----------------------------------------------------------------------


def charged_to(run: JudgeRun) -> tuple[UUID, int | None, datetime]:
    """Submission and owner of the run, and the time of the database."""
    found = JudgeRun.objects.filter(pk=run.pk).values_list(
        "submission_id", "submission__owner_id", Now()
    )
    submission, owner, now = found.get()
    return submission, owner, now


def submission_scope(submission: UUID) -> str:
    return f"submission/{submission}"


def account_scope(owner: int, day: str) -> str:
    return f"account/{owner}/{day}"


def site_scope(day: str) -> str:
    return f"site/{day}"


def day_of(moment: datetime) -> str:
    return moment.astimezone(UTC).date().isoformat()


def scopes_of(submission: UUID, owner: int | None, at: datetime) -> list[str]:
    """Narrowest first. What the system itself submits is on nobody's account."""
    day = day_of(at)
    accounts = [] if owner is None else [account_scope(owner, day)]
    return [submission_scope(submission), *accounts, site_scope(day)]


def budgets_at(scopes: Iterable[str], spent: Mapping[str, int]) -> list[Budget]:
    kinds = {
        "submission": ("the budget of this submission", "BUDGET_SUBMISSION"),
        "account": ("today's budget of this account", "BUDGET_ACCOUNT_DAY"),
        "site": ("today's budget of this site", "BUDGET_SITE_DAY"),
    }
    budgets = []
    for scope in scopes:
        title, setting = kinds[scope.partition("/")[0]]
        cap = math.ceil(round(getattr(settings, setting) * MICRO, 3))
        budgets.append(Budget(title, cap, spent.get(scope, 0)))
    return budgets


def lock_spends(scopes: Sequence[str]) -> dict[str, int]:
    """What was spent in each scope, its row locked until the transaction ends.

    One statement makes or locks them one after the other, and everybody's in one order: submission,
    site, account. The submission comes first so that whoever corrects yesterday and then today
    never waits for someone who waits for it. Rows made first and locked later would do just that on
    the first call of a day.
    """
    ordered = [Spend(scope=scope) for scope in sorted(scopes, reverse=True)]
    Spend.objects.bulk_create(
        ordered, update_conflicts=True, unique_fields=["scope"], update_fields=["scope"]
    )
    return dict(Spend.objects.filter(scope__in=scopes).values_list("scope", "cost"))
