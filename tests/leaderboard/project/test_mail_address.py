"""EMAIL_URL: what the documents name works, and what does not is refused before the first mail is
lost."""

import re
import ssl

import pytest
from django.core.mail.backends.smtp import EmailBackend

from tests.site import PROJECT

SMTP = "django.core.mail.backends.smtp.EmailBackend"
DOCUMENTS = (
    "docs/operator/mail.md",
    "docs/operator/settings.md",
    "deploy/site.env.example",
)
ADDRESS = re.compile(
    r"(?:`|^EMAIL_URL=')((?:smtp\+?\w*|file|console):[^\s`'…]*)(?:`|'$)", re.MULTILINE
)


def documented() -> set[str]:
    return {url for name in DOCUMENTS for url in ADDRESS.findall((PROJECT / name).read_text())}


def test_every_address_of_the_documents_is_taken(start):
    addresses = documented()
    assert {url.partition(":")[0] for url in addresses} >= {"smtp+tls", "smtp", "console"}
    for url in addresses:
        assert start(EMAIL_URL=url)["MAIL_BACKEND"]


def test_an_address_of_a_server_is_read(start):
    servers = {
        "smtp+tls://me:word@mail.example.org:587": ("mail.example.org", 587, True, False),
        "smtp+tls://me:word@mail.example.org": ("mail.example.org", 587, True, False),
        "smtp+ssl://me:word@mail.example.org": ("mail.example.org", 465, False, True),
        "SMTP+SSL://me:word@[2001:db8::1]:4650/": ("2001:db8::1", 4650, False, True),
        "smtp://127.0.0.1:2525": ("127.0.0.1", 2525, False, False),
        "smtp://mail": ("mail", 25, False, False),
    }
    names = ("EMAIL_HOST", "EMAIL_PORT", "EMAIL_USE_TLS", "EMAIL_USE_SSL")
    for url, server in servers.items():
        found = start(EMAIL_URL=url)
        assert tuple(found[name] for name in names) == server
        assert found["MAIL_BACKEND"] == SMTP
        assert 0 < found["EMAIL_TIMEOUT"] <= 30  # no answer is waited for without end
    found = start(EMAIL_URL="smtp+tls://me%40example.org:a%2Fb%23c@mail.example.org")
    assert (found["EMAIL_HOST_USER"], found["EMAIL_HOST_PASSWORD"]) == ("me@example.org", "a/b#c")


@pytest.mark.parametrize("use", [{"use_tls": True}, {"use_ssl": True}])
def test_the_certificate_of_a_server_is_verified(use):
    context = EmailBackend(**use).ssl_context
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)


def test_without_a_server_mail_goes_to_the_console_or_a_folder(start, tmp_path):
    for url in ("", "  ", "console:", "console://"):
        assert start(EMAIL_URL=url)["MAIL_BACKEND"].endswith(".console.EmailBackend")
    found = start(EMAIL_URL=f"file://{tmp_path}")
    assert found["MAIL_BACKEND"].endswith(".filebased.EmailBackend")
    assert found["EMAIL_FILE_PATH"] == str(tmp_path)


WRONG = (
    "smpt://mail.example.org",
    "smtps://me:hunter2@mail.example.org",
    "https://mail.example.org",
    "mail.example.org",
    "smtp+tls",
    "smtp+tls:mail.example.org",
    "smtp+tls://",
    "smtp+tls://:587",
    "smtp+tls://me@mail.example.org",
    "smtp+tls://:hunter2@mail.example.org",
    "smtp+tls://me:hunter2@mail.example.org:port",
    "smtp+tls://me:hunter2@mail.example.org:0",
    "smtp+tls://me:hunter2@mail.example.org:99999",
    "smtp+tls://me:hunter2#x@mail.example.org:587",
    "smtp+tls://me:hunter2/x@mail.example.org:587",
    "smtp+tls://me:hunter2?x@mail.example.org:587",
    "smtp+tls://me:hunter2@mail example.org",
    "smtp://mail.example.org?tls=true",
    "smtp+tls://[::1",
    "file:",
    "file://folder",
    "console:hunter2",
)


def test_another_address_is_refused_with_an_example_and_not_repeated(refuses):
    example = "Example: smtp+tls://user:password@mail.example.org:587"
    refuses(*(({"EMAIL_URL": url}, example) for url in WRONG))


def test_a_password_goes_in_plain_text_only_to_this_machine(refuses, start):
    said = "EMAIL_URL would send a password without protection; say smtp+tls://"
    refuses(({"EMAIL_URL": "smtp://me:hunter2@mail.example.org"}, said))
    assert start(EMAIL_URL="smtp://me:word@localhost:1025")["EMAIL_HOST_USER"] == "me"
