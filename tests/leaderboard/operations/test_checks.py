"""What `check --deploy` says of settings that start and should be meant."""

import pytest

from leaderboard.operations.checks import site_warnings


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
