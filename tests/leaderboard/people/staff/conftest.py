import pytest
from django.test import Client

from tests.api_clients import session_client


@pytest.fixture
def desk(admin_user) -> Client:
    """The browser of an admin."""
    return session_client(admin_user)
