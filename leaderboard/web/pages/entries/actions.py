"""What somebody is told before they change one of their entries: what follows, and whether it can
be undone.

`url_name` is of the address that is asked and posted to, and `value` what of it, as `field`;
`follows` is what the step brings about, a sentence each."""

from collections.abc import Callable
from typing import Any

from django import forms

from benchmarks.submissions.intake.quota import no_place
from benchmarks.submissions.models import REASON_LENGTH, Submission
from benchmarks.submissions.naming.names import is_unseen
from benchmarks.submissions.naming.public_names import handed_in_by
from judging.models import JudgeRun
from leaderboard.web.pages.entries.retry_offer import RetryOffer, retry_offer
from leaderboard.web.pages.submissions.submission import newer_version


class WithdrawalForm(forms.Form):
    reason = forms.CharField(
        required=False,
        max_length=REASON_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
        label="Why",
        help_text="A sentence for those who cited it",
    )

    def clean_reason(self) -> str:
        """In one line, of characters that are seen."""
        reason = " ".join(str(self.cleaned_data["reason"]).split())
        if unseen := next((c for c in reason if is_unseen(c)), ""):
            raise forms.ValidationError(
                f"A reason may not hold characters that nobody sees: U+{ord(unseen):04X}.",
                code="unseen",
            )
        return reason


class ReplacementForm(forms.Form):
    file = forms.FileField(allow_empty_file=True, max_length=10_000, label="The new file")
    client_token = forms.UUIDField(widget=forms.HiddenInput)


def publish_page(submission: Submission) -> dict[str, Any]:
    name = handed_in_by(submission)
    when = "within a minute" if submission.finished else "as soon as it is judged"
    follows = [
        f"It appears on the board {when}, with every answer and its verdict.",
        f"The board names {name} as the submitter.",
        "You can make it private again or withdraw it; boards cited in the meantime keep its "
        "place, without its name.",
    ]
    if submission.replaces_id and not submission.replacement_settled:
        follows.insert(
            1,
            "It replaces the earlier version, which is then withdrawn permanently.",
        )
    return {
        "submission": submission,
        "title": "Publish",
        "button": "Publish",
        "follows": follows,
        "url_name": "submission-visibility",
        "field": "visibility",
        "value": Submission.Visibility.PUBLIC,
    }


def private_page(submission: Submission) -> dict[str, Any]:
    return {
        "submission": submission,
        "title": "Make private",
        "button": "Make private",
        "follows": (
            "It disappears from the board, its page and every list within a minute; only its "
            "owner can see it.",
            "Cited boards of the past keep its place, without its name and score.",
            "You can publish it again.",
        ),
        "url_name": "submission-visibility",
        "field": "visibility",
        "value": Submission.Visibility.PRIVATE,
    }


def withdrawal_page(submission: Submission) -> dict[str, Any]:
    if not submission.confirmed:
        follows = [
            "The file is deleted. It does not count towards your limit.",
            "This cannot be undone.",
        ]
    else:
        follows = [
            "Removes it from all boards permanently and stops judging. Costs are not refunded.",
            "A line remains in your entries, so that the number of submissions stays correct.",
            "This cannot be undone.",
        ]
    if submission.visibility == Submission.Visibility.PUBLIC:
        follows.insert(
            1, "Its address still shows everyone the model, the date and the reason below."
        )
    if submission.replacement_settled:
        follows.insert(-1, "The version it replaced does not come back.")
    elif newer_version(submission):
        follows.insert(-1, "The new version under way is not affected.")
    return {
        "submission": submission,
        "title": "Withdraw",
        "button": "Withdraw permanently",
        "follows": follows,
        "url_name": "submission-withdraw",
        "is_final": True,
    }


def retry_page(submission: Submission, judge: str) -> dict[str, Any] | None:
    """Of the judge of that slug, or of the first with something to ask again; None where there is
    nothing."""
    runs = JudgeRun.objects.filter(submission=submission).select_related("judge_spec", "submission")
    offers = (retry_offer(run, is_owner=True) for run in runs.order_by("pk"))
    offer = next((one for one in offers if one and judge in ("", one.judge)), None)
    if offer is None:
        return None
    return {
        "submission": submission,
        "title": "Retry what failed",
        "button": "Retry failed judgements",
        "follows": retry_sentences(offer),
        "url_name": "submission-retry",
        "field": "judge",
        "value": offer.judge,
    }


def retry_sentences(offer: RetryOffer) -> tuple[str, ...]:
    judgements = "One judgement" if offer.count == 1 else f"{offer.count:,} judgements"
    return (
        f"{judgements} ended without a verdict: {offer.states}. Only these are judged again.",
        "It is free: rules decide." if offer.is_free else "Each is judged and paid for again.",
        "Existing verdicts stay, and this does not count as a submission.",
    )


def replace_page(submission: Submission, user: Any, **more: Any) -> dict[str, Any]:
    """`no_place`: why no file is welcome now. more: `wait`, why the
    file that was sent was not looked at where nothing is wrong with it, or `refused`."""
    refusal = no_place(user, submission.release_id, team=submission.team)
    is_public = submission.visibility == Submission.Visibility.PUBLIC
    return {
        "submission": submission,
        "follows": (
            "The new file is a submission of its own: it counts towards your daily limit and is "
            "read, confirmed and judged like any other.",
            "Until it is judged and public, this version stays as it is"
            + (", on the board too." if is_public else "."),
            "Then the new one replaces it, and this version is withdrawn permanently. The two "
            "link to each other, and the history of the board records it.",
        ),
        "no_place": refusal.sentence if refusal else "",
        **more,
    }


ASKED: dict[str, Callable[[Submission], dict[str, Any]]] = {
    Submission.Visibility.PUBLIC: publish_page,
    Submission.Visibility.PRIVATE: private_page,
}
"""By the visibility that is asked for."""
