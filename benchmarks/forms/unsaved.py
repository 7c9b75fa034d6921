"""What somebody typed and has not saved.

A form of the admin sends its text while it is written (keep-text.js), and carries a ticket, which
says whose form it is. So what is sent after the sign-in ended, or with an old CSRF token, waits for
the same person behind the sign-in. What the site does not have yet is in the browser, sealed with a
key that its page carries: other people use the machine, too, and descriptions can be secret.
"""

import base64
import hashlib
from collections.abc import Callable, Collection, Mapping
from datetime import timedelta
from functools import wraps
from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.core import signing
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase, UnreadablePostError
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac

from benchmarks.models import UnsavedText

WORDS = ("text", "comment", "reference", "reason", "answer")
"""Fields that somebody types into, of any form that is kept."""
FIELDS = (*WORDS, "base_version")
MAX_CHARACTERS = 200_000
"""Of a form; ten times what a description may have, so that one that is far too long can be
shortened."""
KEPT_DAYS = 30
TICKET_SECONDS = KEPT_DAYS * 86_400
SENT = "sent_texts"
MOST_SENT = 20  # forms of a session of which is known what was sent: a copy is found soon or never
SALT = "benchmarks.unsaved"  # not the name of this module: forms that people have open name it


def ticket_for(*, user: User, path: str, title: str) -> str:
    """For a hidden field "ticket" of the form at this address, as this person sees it."""
    return signing.dumps([user.pk, path, title[:300]], salt=SALT)


def browser_key(user: User) -> str:
    """32 bytes in base64: what this person's browsers seal unsent texts with (browser-copy.js).
    The same at every sign-in, and of nobody else; what an older secret key of the site made stays
    sealed."""
    made = salted_hmac(f"{SALT}.browser", str(user.pk), algorithm="sha256")
    return base64.b64encode(made.digest()).decode()


def texts_of(user: User, path: str) -> QuerySet[UnsavedText]:
    """No form has a NUL in its address; whoever asks for one finds none, as in any text column."""
    return UnsavedText.objects.filter(user=user, path=path.replace("\0", "␀"))


def keeps_newer(*, user: User, path: str, age_seconds: int) -> bool:
    """Whether what is kept of the form was typed after a text of that age."""
    then = timezone.now() - timedelta(seconds=age_seconds)
    return texts_of(user, path).filter(typed__gt=then).exists()


def unsaved_text(*, user: User, path: str) -> UnsavedText | None:
    return texts_of(user, path).first()


def keep_text(*, user_id: int, path: str, title: str, fields: Mapping[str, str]) -> bool:
    """The person finds the text in the form again, unless all of it was taken out. False where
    there is too much of it."""
    found = {name: fields[name].replace("\0", "") for name in FIELDS if name in fields}
    if not found or sum(len(text) for text in found.values()) > MAX_CHARACTERS:
        return False
    now = {"title": title[:300], "typed": timezone.now()}
    with transaction.atomic():
        rows = UnsavedText.objects.select_for_update()
        kept, is_new = rows.get_or_create(
            user_id=user_id, path=path, defaults={**now, "fields": found}
        )
        fields = {**kept.fields, **found}  # a page with the comment alone says nothing of the text
        if not any(fields.get(name, "").strip() for name in WORDS):
            kept.delete()
        elif not is_new:
            rows.filter(pk=kept.pk).update(**now, fields=fields)
    return True


def keep_posted(request: HttpRequest) -> str:
    """The address of the form whose ticket and text the request holds; the text is kept. "" where
    it is no such form."""
    try:
        user_id, path, title = signing.loads(
            request.POST.get("ticket", ""), salt=SALT, max_age=TICKET_SECONDS
        )
    except (signing.BadSignature, UnreadablePostError):  # or its sender went away
        return ""
    if not User.objects.filter(pk=user_id, is_active=True, is_staff=True).exists():
        return ""
    fields = {name: text for name, text in request.POST.items() if isinstance(text, str)}
    return path if keep_text(user_id=user_id, path=path, title=title, fields=fields) else ""


def note_sent(request: HttpRequest, path: str) -> None:
    """What this request holds of the form at this path arrived: a copy of it that the browser still
    has was sent. The form's page was left before the copy could be dropped."""
    kept: dict[str, list[str]] = request.session.get(SENT, {})
    others = [(one, marks) for one, marks in kept.items() if one != path][1 - MOST_SENT :]
    request.session[SENT] = {**dict(others), path: text_marks(request)}


def was_sent(request: HttpRequest, path: str) -> bool:
    """Whether these texts are a copy that a browser found, which has an `age`, and all arrived
    before, in this session."""
    known = request.session.get(SENT, {}).get(path) if "age" in request.POST else None
    return known is not None and set(text_marks(request)) <= set(known)


def text_marks(request: HttpRequest) -> list[str]:
    """Of each text that is not empty. A session is no place for the texts themselves."""
    return [
        hashlib.sha256(f"{name}={text}".replace("\r\n", "\n").encode()).hexdigest()[:16]
        for name in WORDS
        if (text := request.POST.get(name, "")).strip()
    ]


def discard_text(*, user: User, path: str, names: Collection[str] = FIELDS) -> None:
    """These fields of the form are kept no longer."""
    with transaction.atomic():
        rows = texts_of(user, path).select_for_update()
        for kept in rows:
            left = {name: text for name, text in kept.fields.items() if name not in names}
            if any(left.get(name, "").strip() for name in WORDS):
                rows.update(fields=left)
            else:
                rows.delete()


def delete_old_texts() -> None:
    UnsavedText.objects.filter(typed__lt=timezone.now() - timedelta(days=KEPT_DAYS)).delete()


def keeps_text(
    view: Callable[..., HttpResponseBase],
    may_enter: Callable[[HttpRequest], bool],
    *,
    lands: str = "",
) -> Callable[..., HttpResponseBase]:
    """The view, behind which a text sent by somebody who is signed in no more waits until they are
    again. `lands`: the name of the address at which they are then, where they sent no text."""

    @wraps(view)
    def keeping(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.method != "POST" or may_enter(request):
            return view(request, *args, **kwargs)
        path = keep_posted(request) or (reverse(lands) if lands else request.get_full_path())
        return redirect_to_login(path, reverse("admin:login"))

    return keeping
