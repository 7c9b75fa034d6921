"""What follows when staff take a step of a release, in sentences with counts."""

from collections.abc import Sequence

from django.db.models import Sum

from benchmarks.models import Release
from benchmarks.submissions.models import Submission
from benchmarks.submissions.staff_steps import counted
from judging.desk.labels.corrections import outdated_labels
from judging.panel.models import Study
from leaderboard.models import BoardEdition

Chosen = Sequence[Release]


def entries_sentence(chosen: Chosen) -> str:
    handed_in = Submission.objects.not_withdrawn().filter(release__in=chosen)
    public = handed_in.filter(visibility="public").count()
    private = handed_in.filter(visibility="private").count()
    return f"{counted(public, 'public entry', 'public entries')} and {private:,} private ones stay."


def boards_sentence(chosen: Chosen) -> str:
    boards = BoardEdition.objects.filter(release__in=chosen, replaced__isnull=True).count()
    return f"Boards that stay as they are, in menus and by their addresses: {boards:,}."


def drafts_sentence(chosen: Chosen) -> str:
    drafts = Submission.objects.not_withdrawn().filter(release__in=chosen, confirmed__isnull=True)
    return f"{counted(drafts.count(), 'file')} not yet confirmed can no longer be confirmed."


def texts_sentence(chosen: Chosen) -> str:
    questions = sum(release.question_count for release in chosen)
    return (
        f"Descriptions and references of {counted(questions, 'question')} get no new versions,"
        " where no other open release has the question."
    )


def studies_sentences(chosen: Chosen) -> list[str]:
    """Nothing where no study is open."""
    count = Study.objects.filter(release__in=chosen, state=Study.State.OPEN).count()
    if not count:
        return []
    return [
        f"{counted(count, 'study', 'studies')} in which people now rate its entries can continue."
        " Once such a study is closed, its ratings count on these boards. To prevent that, close or"
        " withdraw the study first."
    ]


def after_closing(chosen: Chosen) -> list[str]:
    return [
        "It accepts no more submissions, by page or API.",
        drafts_sentence(chosen),
        texts_sentence(chosen),
        entries_sentence(chosen),
        boards_sentence(chosen),
        *studies_sentences(chosen),
    ]


def after_opening(chosen: Chosen) -> list[str]:
    questions = sum(release.question_count for release in chosen)
    return [
        f"{counted(questions, 'question')} with their figures become public, if they were a draft,"
        " and can never change again.",
        "Files can be submitted, and are judged and paid for.",
        entries_sentence(chosen),
        *labels_sentences(chosen),
    ]


def labels_sentences(chosen: Chosen) -> list[str]:
    """Nothing where no label was corrected while it was closed."""
    count = sum(len(outdated_labels(release)) for release in chosen)
    if not count:
        return []
    return [
        f"Labels corrected in other releases since it was closed: {count:,}. From now on they count"
        " here too, and its entries are scored again."
    ]


def after_publishing(chosen: Chosen) -> list[str]:
    questions = sum(release.question_count for release in chosen)
    return [
        f"References of {counted(questions, 'question')} become public, with every version of them,"
        " and what models and judges say about them.",
        judged_sentence(chosen, "are told to everybody"),
        "Later submitters may have read them: consider another release instead.",
    ]


def after_publishing_verdicts(chosen: Chosen) -> list[str]:
    questions = sum(release.question_count for release in chosen)
    return [
        f"Verdicts on all answers to {counted(questions, 'question')} become public. Readers can "
        f"work out the labels from them.",
        entries_sentence(chosen),
        "They are scored again, within minutes, and shown with all their figures.",
    ]


def after_hiding_verdicts(chosen: Chosen) -> list[str]:
    questions = sum(release.question_count for release in chosen)
    return [
        f"Verdicts on single answers to {counted(questions, 'question')} are shown only to staff "
        f"who review judgements.",
        "Entries have one rounded score, without intervals, tables or differences.",
    ]


def after_hiding(chosen: Chosen) -> list[str]:
    questions = sum(release.question_count for release in chosen)
    return [
        f"References of {counted(questions, 'question')} are shown only to staff from now on. "
        f"People who read or copied them still have them.",
        judged_sentence(chosen, "are hidden"),
    ]


def judged_sentence(chosen: Chosen, what: str) -> str:
    """Of stored boards: what their entries have is not counted while a page is made."""
    boards = BoardEdition.objects.filter(release__in=chosen, replaced__isnull=True)
    entries = boards.aggregate(total=Sum("entries"))["total"] or 0
    return f"Replies of judges about {counted(entries, 'scored entry', 'scored entries')} {what}."
