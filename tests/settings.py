"""Settings of the test suite: the project's own, with what must not depend on this machine's
environment set first.

Each process of the suite keeps its files in a folder of its own, so that a test can say what was
stored.
"""

import atexit
import os
import shutil
import tempfile

os.environ.setdefault("SECRET_KEY", "tests-only-key-that-protects-nothing-at-all")
os.environ["VAR_DIR"] = tempfile.mkdtemp(prefix="assay-tests-")
atexit.register(shutil.rmtree, os.environ["VAR_DIR"], ignore_errors=True)
os.environ["DEBUG"] = "false"
os.environ["EMAIL_URL"] = "memory:"
os.environ["OPERATOR_EMAILS"] = ""
os.environ.pop("HTTPS", None)
for quota in (
    "SUBMISSIONS_DAY",
    "UNFINISHED",
    "FILES",
    "DRY_RUNS_DAY",
):  # tests of quotas set the site's own
    os.environ[f"QUOTA_{quota}"] = "0"

from leaderboard.settings import *
from leaderboard.settings import DATABASES, VAR_DIR
from leaderboard.settings import PROTOCOLS as REAL_PROTOCOLS
from leaderboard.settings import STORAGES as REAL_STORAGES

PROTOCOLS = [*REAL_PROTOCOLS, "tests.tiny_protocol"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    **REAL_STORAGES,
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_AUTOREFRESH = True
BOARD_MENU_SECONDS = 0  # tests of the menu set it
SHARED_PAGES = False  # tests of the cache turn it on
VISITOR_SHARE = 0.0  # the suite is one visitor who never rests; tests of limits set it
PROGRESS_STREAMS = 0  # a stream lasts; tests of streams set it
STAFF_SECOND_FACTOR = False
ACCOUNT_RATE_LIMITS = False  # type: ignore[assignment]  # allauth's word for no limit at all
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # In a file, as a site has it: two threads on SQLite in memory meet "table is locked" instead of
    # waiting.
    DATABASES["default"]["TEST"] = {"NAME": VAR_DIR / "test.sqlite3"}
