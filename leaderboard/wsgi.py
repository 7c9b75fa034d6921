"""The WSGI entry point for servers."""

import os

from django.core.wsgi import get_wsgi_application

from leaderboard.middleware.slow_senders import SlowSenders
from leaderboard.middleware.utf8_requests import Utf8Request
from leaderboard.operations.lent_connections import lend_to_requests
from leaderboard.versions.code import page_code

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
handler = get_wsgi_application()
lend_to_requests()
page_code()  # of the files that this process runs, before others come
handler.request_class = Utf8Request
application = SlowSenders(handler)
