import pytest

from benchmarks.wake import wake

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("broker", "messages"), [("", 0), ("memory://", 1)])
def test_workers_are_woken_where_there_is_a_broker(
    settings, django_capture_on_commit_callbacks, broker, messages
):
    settings.BROKER_URL = broker
    with django_capture_on_commit_callbacks() as callbacks:
        wake()
    assert len(callbacks) == messages
