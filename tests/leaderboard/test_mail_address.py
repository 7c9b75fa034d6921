"""EMAIL_URL: what the documents name works, and what does not is refused before the first mail is
lost."""

import re
import ssl

import pytest
from django.core.mail.backends.smtp import EmailBackend

from tests.site import PROJECT

SMTP = "django.core.mail.backends.smtp.EmailBackend"
DOCUMENTS = ("README.md", "docs/operating.md", "deploy/environment.md", "deploy/site.env.example")
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


@pytest.mark.parametrize(
    ("url", "host", "port", "tls", "is_ssl"),
    [
        ("smtp+tls://me:word@mail.example.org:587", "mail.example.org", 587, True, False),
        ("smtp+tls://me:word@mail.example.org", "mail.example.org", 587, True, False),
        ("smtp+ssl://me:word@mail.example.org", "mail.example.org", 465, False, True),
        ("SMTP+SSL://me:word@[2001:db8::1]:4650/", "2001:db8::1", 4650, False, True),
        ("smtp://127.0.0.1:2525", "127.0.0.1", 2525, False, False),
        ("smtp://mail", "mail", 25, False, False),
    ],
)
def test_an_address_of_a_server_is_read(start, url, host, port, tls, is_ssl):
    found = start(EMAIL_URL=url)
    names = ("EMAIL_HOST", "EMAIL_PORT", "EMAIL_USE_TLS", "EMAIL_USE_SSL")
    assert [found[name] for name in names] == [host, port, tls, is_ssl]
    assert found["MAIL_BACKEND"] == SMTP


def test_user_and_password_are_decoded(start):
    found = start(EMAIL_URL="smtp+tls://me%40example.org:a%2Fb%23c@mail.example.org")
    assert (found["EMAIL_HOST_USER"], found["EMAIL_HOST_PASSWORD"]) == ("me@example.org", "a/b#c")


def test_no_answer_is_waited_for_without_end(start):
    assert 0 < start(EMAIL_URL="smtp://mail")["EMAIL_TIMEOUT"] <= 30


@pytest.mark.parametrize("use", [{"use_tls": True}, {"use_ssl": True}])
def test_the_certificate_of_a_server_is_verified(use):
    context = EmailBackend(**use).ssl_context
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)


@pytest.mark.parametrize("url", ["", "  ", "console:", "console://"])
def test_without_an_address_mail_goes_to_the_console(start, url):
    assert start(EMAIL_URL=url)["MAIL_BACKEND"].endswith(".console.EmailBackend")


def test_mail_can_go_to_a_folder(start, tmp_path):
    found = start(EMAIL_URL=f"file://{tmp_path}")
    assert found["MAIL_BACKEND"].endswith(".filebased.EmailBackend")
    assert found["EMAIL_FILE_PATH"] == str(tmp_path)


@pytest.mark.parametrize(
    "url",
    [
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
    ],
)
def test_another_address_is_refused_with_an_example_and_not_repeated(refusal, url):
    said = refusal(EMAIL_URL=url)
    assert "EMAIL_URL must be" in said
    assert "Example: smtp+tls://user:password@mail.example.org:587" in said
    assert "hunter2" not in said


def test_a_password_goes_in_plain_text_only_to_this_machine(refusal, start):
    said = refusal(EMAIL_URL="smtp://me:hunter2@mail.example.org")
    assert "EMAIL_URL would send a password without protection; say smtp+tls://" in said
    assert "hunter2" not in said
    assert start(EMAIL_URL="smtp://me:word@localhost:1025")["EMAIL_HOST_USER"] == "me"
