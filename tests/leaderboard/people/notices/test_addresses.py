"""Programs of people are asked on the public internet alone, and whatever is written as their
address is refused in words or kept: by the page, by the API and where it is delivered to."""

import http.server
import json
import socket
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import RequestFactory
from django.utils import timezone
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from rest_framework.test import force_authenticate

from benchmarks.submissions.models import AccessToken
from leaderboard.models.notices import Webhook, WebhookDelivery
from leaderboard.people.notices.addresses import (
    AddressRefusedError,
    check_address,
    is_allowed,
    look_up,
    resolve,
    target_of,
)
from leaderboard.people.notices.messenger import send_due
from leaderboard.web.api.webhooks import Webhooks
from leaderboard.web.pages.people.notices import webhooks

PRIVATE = (
    *("127.0.0.1", "10.0.0.5", "172.16.3.4", "192.168.1.1", "169.254.169.254", "0.0.0.0"),
    *("100.64.0.1", "192.0.2.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "240.0.0.1"),
    *("198.51.100.1", "203.0.113.1", "192.88.99.1", "198.19.255.255", "172.31.255.255"),
    *("::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1", "2001:db8::1", "2001:4::1"),
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1", "2002:7f00:1::"),
    # in no list of Python 3.11, or not in every one
    *("fec0::1", "192.0.0.192", "192.0.0.8", "192.0.0.9", "168.63.129.16", "3fff::1", "5f00::1"),
    *("64:ff9b:1::1", "64:ff9b::808:808", "::ffff:8.8.8.8", "::8.8.8.8", "::ffff:0:808:808"),
    *("2002:808:808::1", "2001::1", "2001:2::1", "2001:10::1", "2001:20::1", "2001:1::1"),
    *("100::1", "100:0:0:1::1", "3ffe::1", "4000::1", "2606:4700::1111%1", "8.8.8.8%eth0"),
    *("100.100.100.200", "fd00:ec2::254", "fd20:ce::254", "169.254.170.2", "169.254.0.23"),
)
PUBLIC = (
    "8.8.8.8",
    "2606:4700::1111",
    "168.63.129.15",
    "2001:200::1",
    "223.255.255.254",
    "1.1.1.1",
)
REFUSED = (
    *("http://a.example/", "ftp://a.example/", "https://", "https:///x", "//a.example", "x", ""),
    *("https://user:word@a.example/", "https://a.example/#x", "https://a.example:22/"),
    *("https://a.example:99999/", "https://a.example/\r\nX: y", "https://a b/", "https://[x]/"),
    *("https://a.example/" + "x" * 500, "https://a_b..example/", "https://é.example/"),
    # what UnicodeError was raised of
    *("https://a..b/", f"https://{'a' * 64}.example/", f"https://{'a.' * 127}b/", "https://a./"),
    *("https://.a/", "https://-a.example/", "https://a-.example/", f"https://xn--{'a' * 60}.b/"),
    # numbers that getaddrinfo reads
    *("https://0x7f.1/", "https://2130706433/", "https://127.1/", "https://0177.0.0.1/"),
    *("https://127.0.0.0x1/", "https://0x/", "https://127.0.0.1./", "https://1.2.3.4.5/"),
    *("https://[::1%25eth0]/", "https://[::1%eth0]/", "https://[v1.a]/", "https://x[::1]/"),
    *("https://[::1]x/", "https://[::1/", "https://::1/", "https://[127.0.0.1]/", "https://[]/"),
    *("https://%61.example/", "https://a%2eb/", "https://a.example%00/", "https://a\\b.example/"),
    *("https://a.example:/", "https://a.example:0/", "https://a.example:-1/", "https://a:b/"),
    *(f"https://a.example:{'9' * 450}/", "https://a.example:+443/", "https://a.example:4_43/"),
    *(
        "https://a.example:\u0664\u0664\u0663/",
        "https://\u0661\u0662\u0667.0.0.1/",
        "https://a\x00b/",
    ),
    *(
        "https://a\u3002example/",
        "https://\ud800.example/",
        "https://a\u200d.example/",
        "https://@a/",
    ),
)
ODD_HOSTS = (
    *(
        "a..b",
        "a" * 64 + ".example",
        "a.example.",
        "xn--" + "a" * 59,
        "xn--a",
        "xn--.xn--",
        "xn--0",
    ),
    *("0x7f.1", "127.1", "2130706433", "%31", "A.EXAMPLE", "localhost", "[::1]", "[fe80::1%25lo]"),
    *(
        "\u0661.example",
        "stra\u00dfe.example",
        "a\u3002b",
        "\u202ea",
        "\ud800",
        "a_b.example",
        "-a",
        "",
    ),
)
host_texts = st.one_of(
    st.sampled_from(ODD_HOSTS),
    st.text(st.sampled_from("aA0x1.-_:%[]@#\\\u00df\u3002\u200d\ud800\x00\r\n "), max_size=80),
    st.ip_addresses().map(lambda one: f"[{one}]" if one.version == 6 else str(one)),
    st.lists(st.text("ab-1", min_size=0, max_size=70), max_size=8).map(".".join),
)
urls = st.one_of(
    st.text(max_size=60),
    st.tuples(
        st.sampled_from(("https://", "HTTPS://", "http://", "https:", "https:/\\", "//")),
        host_texts,
        st.one_of(st.just(""), st.text(max_size=6).map(":{}".format), st.just(":443")),
        st.text(max_size=40).map("/{}".format)
        | st.sampled_from(("", "?", "?a=\x00", "/%0d%0aX: y")),
    ).map("".join),
)
FORM = "application/x-www-form-urlencoded"
each_alone = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
"""Each example deletes what it made."""
answers: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from((*PRIVATE, *PUBLIC)).map(lambda address: [address]),
    st.just([]),
    st.sampled_from((socket.gaierror(), TimeoutError())),
)


def test_public_addresses_alone_may_be_asked():
    assert [address for address in PRIVATE if is_allowed(address)] == []
    assert [address for address in PUBLIC if not is_allowed(address)] == []


@given(st.ip_addresses())
def test_no_address_may_be_asked_that_python_knows_not_to_be_public(address):
    """Its own lists lack some; what they have is in ours."""
    if is_allowed(str(address)):
        assert address.is_global
        assert not address.is_multicast
        assert not address.is_reserved


def is_refused(check: Callable[[str], object], url: str) -> bool:
    try:
        check(url)
    except AddressRefusedError:
        return True
    return False


def test_addresses_of_another_form_are_refused():
    assert [url for url in REFUSED if not is_refused(target_of, url)] == []


def test_host_port_and_path_are_understood_as_they_are_written():
    hosts = {
        "https://A.Example/x?y=1": "a.example",
        f"https://{'a' * 63}.example:8443/": f"{'a' * 63}.example",
        "https://xn--bcher-kva.example": "xn--bcher-kva.example",
        "HTTPS://[2606:4700:0::1111]:65535/": "2606:4700::1111",
        "https://8.8.8.8/": "8.8.8.8",
        "https://1.example/": "1.example",
    }
    assert {url: target_of(url).host for url in hosts} == hosts
    target = target_of("https://a.example:8443/a//b;c?d=%20&e")
    assert (target.port, target.path, target.is_plain) == (8443, "/a//b;c?d=%20&e", False)


@pytest.mark.parametrize("found", [["8.8.8.8", "10.0.0.1"], []])
def test_a_host_with_one_private_address_or_none_is_refused(found):
    with pytest.raises(AddressRefusedError):
        resolve(target_of("https://a.example/"), lambda host, port: found)


def test_the_system_looks_up_what_an_address_says():
    assert set(look_up("localhost", 443)) <= {"127.0.0.1", "::1"}
    assert look_up("8.8.8.8", 443) == ["8.8.8.8"]


class Answering(http.server.HTTPServer):
    """Says some bytes to whoever asks, and nothing else."""

    said = b""

    def finish_request(self, request, client_address):
        request.settimeout(5)
        request.recv(65_536)
        request.sendall(self.said)


@pytest.fixture
def program(settings):
    settings.WEBHOOKS_TO_LOOPBACK = True
    server = Answering(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def waiting_for(owner, url):
    """A delivery that is due, to an address as it was written once."""
    stored = url.encode("utf-8", "replace").decode().replace("\0", "")  # as PostgreSQL can hold it
    hook = Webhook.objects.create(owner=owner, url=stored)
    now = timezone.now() - timedelta(seconds=2)
    return WebhookDelivery.objects.create(
        webhook=hook, event="test", body="{}", created=now, next_try=now
    )


# --- whatever is written --------------------------------------------------------------------------


def asked_by(found):
    """A look-up that answers with `found`, and fails of what the system would fail of."""

    def look_up(host, port):
        assert host.encode("idna") == host.encode("ascii")  # TLS takes it through IDNA
        assert "%" not in host
        if isinstance(found, OSError):
            raise found
        return found

    return look_up


def test_what_says_itself_that_it_is_not_public_is_refused():
    hosts = (*PRIVATE, "localhost", "wiki", "a.local", "db.internal")
    urls = (f"https://[{host}]/" if ":" in host else f"https://{host}/" for host in hosts)
    assert [url for url in urls if not is_refused(check_address, url)] == []


@pytest.fixture
def silent_names(monkeypatch):
    """A name server that would never answer: whoever asks it fails."""

    def asked(*args, **options):
        pytest.fail("a name was looked up")

    monkeypatch.setattr(socket, "getaddrinfo", asked)


@each_alone
@given(urls)
@example("https://a..b/")
@example("https://hooks.example.org/")
@example(f"https://{'a' * 64}.example/")
def test_page_and_api_answer_whatever_is_written_and_look_nothing_up(owner, silent_names, url):
    sent = urlencode({"url": url, "on_paused": "1"}, errors="surrogatepass")
    request = RequestFactory().post("/webhooks/", sent, FORM)
    request.user = owner
    response = webhooks(request)
    assert response.status_code == (200 if Webhook.objects.exists() else 422)
    Webhook.objects.all().delete()
    request = RequestFactory().post(
        "/api/v1/webhooks/", json.dumps({"url": url}), "application/json"
    )
    token = AccessToken(owner=owner, scope=AccessToken.Scope.PUBLISH)
    force_authenticate(request, owner, token)  # type: ignore[arg-type]  # one of ours
    response = Webhooks.as_view()(request)
    assert response.status_code == (201 if Webhook.objects.exists() else 422)
    Webhook.objects.all().delete()


@each_alone
@given(urls, answers)
@example("https://a..b/", [])
@example(f"https://{'a' * 64}.example/", ["8.8.8.8"])
def test_a_delivery_ends_whatever_is_written(owner, url, found):
    """Also of what was kept before it was looked at as closely as today."""
    delivery = waiting_for(owner, url)
    if isinstance(found, list) and all(is_allowed(one) for one in found):
        found = ["10.0.0.1"]  # or it would be asked
    assert send_due(look_up=asked_by(found)) == 0
    delivery.refresh_from_db()
    assert delivery.outcome
    assert delivery.tries == 1
    Webhook.objects.all().delete()


@each_alone
@given(st.text(max_size=60), st.binary(max_size=200))
@example("a b", b"HTTP/1.1 200 OK\r\n\r\n")
@example("", b"HTTP/1.1 100 Continue\r\n\r\n" * 20)
@example("", b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 200)
@example("", b"HTTP/1.1 " + b"2" * 70_000)
def test_a_delivery_ends_whatever_is_answered(program, owner, path, said):
    program.said = said
    delivery = waiting_for(owner, f"http://some.example:{program.server_port}/{path}")
    send_due(look_up=asked_by(["127.0.0.1"]))
    delivery.refresh_from_db()
    assert delivery.outcome
    Webhook.objects.all().delete()
