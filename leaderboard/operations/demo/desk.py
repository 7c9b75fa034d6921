"""Work for the annotator and the reviewer of a demo: drafts whose figures have no description yet,
or one that waits or was sent back. No board is made of a draft, so what the demo shows stays judged
by approved texts alone.
"""

import io
import json
from collections.abc import Iterable

from django.contrib.auth.models import User
from django.db import transaction

from benchmarks.models import Description, Question, Release
from benchmarks.protocols.base import BenchmarkProtocol, PreparedRelease
from benchmarks.services.descriptions import DESCRIPTION_REVIEW, save_draft, submit_for_review
from benchmarks.services.importing import import_release

State = Description.State


def load_desk(
    *, families: Iterable[BenchmarkProtocol], annotator: User, reviewer: User
) -> list[Release]:
    """The drafts that ship with the families are there, those that were not with their texts; which
    were not. What people made of one since stays as it is."""
    loaded = []
    for protocol in families:
        draft = protocol.prepared
        if draft and not Release.objects.filter(slug=draft.slug).exists():
            loaded.append(load_draft(protocol, draft, annotator, reviewer))
    return loaded


@transaction.atomic
def load_draft(
    protocol: BenchmarkProtocol, draft: PreparedRelease, annotator: User, reviewer: User
) -> Release:
    """At once: one without its texts would count as loaded."""
    release = import_release(
        protocol=protocol,
        stream=io.BytesIO(draft.dataset.read_bytes()),
        images=draft.pictures,
        slug=draft.slug,
        title=draft.title,
        disclosure=Release.Disclosure.OPEN,
        terms=draft.terms,
        is_draft=True,
    ).release
    questions = Question.objects.filter(releases=release).select_related("figure")
    figures = {question.public_id: question.figure for question in questions}
    for entry in json.loads(draft.texts.read_text()):
        figure = figures[entry["question"]]
        assert figure is not None
        made = save_draft(
            figure=figure,
            language=release.language,
            text=entry["text"],
            author=annotator,
            base_version=0,
        )
        if entry["state"] != State.DRAFT:
            submit_for_review(description=made)
        if entry["state"] == State.SENT_BACK:
            comment = entry["comment"]
            DESCRIPTION_REVIEW.send_back(proposal=made, reviewer=reviewer, comment=comment)
    return release
