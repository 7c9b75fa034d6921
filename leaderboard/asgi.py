"""The ASGI entry point for servers."""

import os

from django.core.asgi import get_asgi_application

from leaderboard.results.versions.code import page_code

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
application = get_asgi_application()
page_code()  # of the files that this process runs, before others come
