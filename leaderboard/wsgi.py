"""The WSGI entry point for servers."""

import os

from django.core.wsgi import get_wsgi_application

from leaderboard.middleware.slow_senders import SlowSenders

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
application = SlowSenders(get_wsgi_application())
