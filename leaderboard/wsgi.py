"""The WSGI entry point for servers."""

import os

from django.core.wsgi import get_wsgi_application

from leaderboard.operations.processes.lent_connections import lend_to_requests
from leaderboard.project.middleware.slow_senders import SlowSenders
from leaderboard.project.middleware.utf8_requests import Utf8Request
from leaderboard.results.versions.code import page_code

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
handler = get_wsgi_application()
lend_to_requests()
page_code()  # of the files that this process runs, before others come
handler.request_class = Utf8Request
application = SlowSenders(handler)
