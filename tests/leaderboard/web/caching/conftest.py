import pytest
from django.core.cache import caches


@pytest.fixture(autouse=True)
def shared(settings):
    """The cache as a site has it, and empty."""
    settings.SHARED_PAGES = True
    caches["pages"].clear()
    caches["budgets"].clear()
