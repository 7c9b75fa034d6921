"""What `make fresh-roots` reads of this machine and of pytest, and the table it prints. CI installs
in one root: that takes minutes."""

import pytest

from tests.deploy.bare_root import CERTIFICATES, MIRROR, lead_to_registries, mirror
from tests.fresh_roots import last_line, main, table

DEB822 = """Types: deb
# http://snapshot.example/archive/20250520T000000Z
URIs: http://mirror.example/debian/
Suites: bookworm
"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (DEB822, "http://mirror.example/debian"),
        ("deb [arch=amd64] https://mirror.example/d/ sid main", "https://mirror.example/d"),
        ("# deb http://old.example/d sid main\n", MIRROR),
    ],
)
def test_the_mirror_is_this_machine_s_and_no_comment_s(tmp_path, text, found):
    (tmp_path / "sources").write_text(text)
    assert mirror((tmp_path / "none", tmp_path / "sources")) == found


def test_registries_are_reached_as_on_this_machine_but_by_no_folder_of_it(tmp_path, monkeypatch):
    (tmp_path / "etc").mkdir()
    (tmp_path / "certificates").write_text("trusted")
    for name, value in {
        "PIP_INDEX_URL": "https://registry.example/simple",
        "UV_DEFAULT_INDEX": "https://registry.example/simple",
        "PIP_FIND_LINKS": "/opt/wheels",
        "PIP_EXTRA_INDEX_URL": "file:///opt/simple",
        "SSL_CERT_FILE": str(tmp_path / "certificates"),
        "SECRET_KEY": "of-a-site",
    }.items():
        monkeypatch.setenv(name, value)
    environment = lead_to_registries(tmp_path)
    assert environment["PIP_INDEX_URL"] == environment["UV_DEFAULT_INDEX"]
    assert environment["PIP_CERT"] == environment["SSL_CERT_FILE"] == CERTIFICATES
    assert (tmp_path / CERTIFICATES.lstrip("/")).read_text() == "trusted"
    assert not {"PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "SECRET_KEY"} & set(environment)


@pytest.mark.parametrize(
    ("said", "counts"),
    [
        ("....\n12 passed, 3 skipped in 4.56s\n", "12 passed, 3 skipped in 4.56s"),
        ("1 failed, 12 passed in 4s\nmake: *** [test] Error 1\n", "1 failed, 12 passed in 4s"),
        ("FAILED x - assert 1 passed\nno tests", "none"),
    ],
)
def test_the_counts_are_pytest_s_last_line(said, counts):
    assert last_line(said) == counts


def test_a_row_says_how_far_its_root_came():
    rows = [{"root": "sid", "Python": "3.14.1", "install s": "7"}, {"root": "trixie"}]
    assert table(rows).splitlines() == [
        "root    Python  install s  first page s  tests",
        "sid     3.14.1  7          -             -",
        "trixie  -       -          -             -",
    ]


def test_without_root_it_says_what_it_needs(monkeypatch, capsys):
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert main(["sid"]) == 2
    assert capsys.readouterr().err == "fresh_roots: needs root, to make a root of its own\n"
