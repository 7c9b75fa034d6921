"""What `check --deploy` says of settings that start and should be meant."""

import pytest

from leaderboard.operations.checks import site_warnings
from tests.deploy.host import example


@pytest.fixture
def well(settings, tmp_path):
    tmp_path.chmod(0o700)
    settings.VAR_DIR = tmp_path
    settings.STAFF_SECOND_FACTOR = settings.HTTPS = True
    settings.TRUSTED_PROXIES = 1
    return settings


def test_a_site_as_it_should_be_is_told_nothing(well):
    assert list(site_warnings()) == []


def test_a_folder_that_others_enter_is_told(well):
    well.VAR_DIR.chmod(0o755)
    assert [warning.id for warning in site_warnings()] == ["leaderboard.W001"]


def test_an_admin_behind_passwords_alone_is_told(well):
    well.STAFF_SECOND_FACTOR = False
    assert [warning.id for warning in site_warnings()] == ["leaderboard.W002"]


def test_a_proxy_that_is_not_believed_is_told(well):
    well.TRUSTED_PROXIES = 0
    assert [warning.id for warning in site_warnings()] == ["leaderboard.W003"]


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ALLOWED_HOSTS", ["assay.example.org"]),
        ("ALLOWED_HOSTS", ["assay.edu", ".example.com"]),
        ("CSRF_TRUSTED_ORIGINS", ["https://assay.example.org:8443"]),
        ("EMAIL_HOST", "mail.example.org"),
        ("DEFAULT_FROM_EMAIL", "Assay <assay@example.org>"),
        ("OPERATOR_EMAILS", ["you@Example.net "]),
        ("CONTACT_EMAIL", "me@site.test"),
        ("JUDGE_ENDPOINTS", {"main": {"url": "https://api.example.org/v1"}}),
    ],
)
def test_an_address_of_the_examples_is_told_by_its_variable(well, variable, value):
    setattr(well, variable, value)
    (warning,) = site_warnings()
    assert warning.id == "leaderboard.W004"
    assert warning.msg.startswith(variable.replace("EMAIL_HOST", "EMAIL_URL"))


@pytest.mark.parametrize("host", ["example.edu", "myexample.org", "test.eu", "10.0.0.5", "[::1]"])
def test_an_address_that_only_looks_like_an_example_is_left_alone(well, host):
    well.ALLOWED_HOSTS, well.CONTACT_EMAIL = [host], f"me@{host}"
    well.JUDGE_ENDPOINTS = {"main": {"url": f"https://{host}/example.org"}}
    assert list(site_warnings()) == []


def test_each_example_address_of_the_shipped_file_is_told(start, well):
    read = start(**example("site.env.example") | {"SECRET_KEY": "a-key-of-a-test" * 4})
    for name in ("ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "EMAIL_HOST", "DEFAULT_FROM_EMAIL"):
        setattr(well, name, read[name])
    (warning,) = site_warnings()
    assert "ALLOWED_HOSTS, CSRF_TRUSTED_ORIGINS, EMAIL_URL, DEFAULT_FROM_EMAIL:" in warning.msg
