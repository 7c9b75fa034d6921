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


def test_each_setting_that_should_be_meant_is_told(well, subtests):
    assert list(site_warnings()) == []
    for name, wrong, right, warning in (
        ("STAFF_SECOND_FACTOR", False, True, "leaderboard.W002"),
        ("TRUSTED_PROXIES", 0, 1, "leaderboard.W003"),
    ):
        with subtests.test(name):
            setattr(well, name, wrong)
            assert [found.id for found in site_warnings()] == [warning]
            setattr(well, name, right)
    well.VAR_DIR.chmod(0o755)
    assert [found.id for found in site_warnings()] == ["leaderboard.W001"]


def test_an_address_of_the_examples_is_told_by_its_variable(well, subtests):
    for variable, value in (
        ("ALLOWED_HOSTS", ["assay.example.org"]),
        ("ALLOWED_HOSTS", ["assay.edu", ".example.com"]),
        ("CSRF_TRUSTED_ORIGINS", ["https://assay.example.org:8443"]),
        ("EMAIL_HOST", "mail.example.org"),
        ("DEFAULT_FROM_EMAIL", "Assay <assay@example.org>"),
        ("OPERATOR_EMAILS", ["you@Example.net "]),
        ("CONTACT_EMAIL", "me@site.test"),
        ("JUDGE_ENDPOINTS", {"main": {"url": "https://api.example.org/v1"}}),
    ):
        with subtests.test(f"{variable} {value}"):
            before = getattr(well, variable)
            setattr(well, variable, value)
            (warning,) = site_warnings()
            assert warning.id == "leaderboard.W004"
            assert warning.msg.startswith(variable.replace("EMAIL_HOST", "EMAIL_URL"))
            setattr(well, variable, before)


def test_an_address_that_only_looks_like_an_example_is_left_alone(well, subtests):
    for host in ("example.edu", "myexample.org", "test.eu", "10.0.0.5", "[::1]"):
        with subtests.test(host):
            well.ALLOWED_HOSTS, well.CONTACT_EMAIL = [host], f"me@{host}"
            well.JUDGE_ENDPOINTS = {"main": {"url": f"https://{host}/example.org"}}
            assert list(site_warnings()) == []


def test_each_example_address_of_the_shipped_file_is_told(start, well):
    read = start(**example("site.env.example") | {"SECRET_KEY": "a-key-of-a-test" * 4})
    for name in ("ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "EMAIL_HOST", "DEFAULT_FROM_EMAIL"):
        setattr(well, name, read[name])
    (warning,) = site_warnings()
    assert "ALLOWED_HOSTS, CSRF_TRUSTED_ORIGINS, EMAIL_URL, DEFAULT_FROM_EMAIL:" in warning.msg
