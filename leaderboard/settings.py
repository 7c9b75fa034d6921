"""Every setting of Assay, read from the environment (and from `.env`, which `make setup` writes).

The defaults run the whole site on one machine without any server. A wrong value stops start-up with
a sentence.
"""

from pathlib import Path
from typing import Any

import dj_database_url
from csp.constants import NONE, SELF
from environs import EnvError

from leaderboard.project.environment import (
    PROJECT,
    are_waits,
    between,
    check_budgets,
    check_default_judge,
    check_names,
    check_secret_keys,
    env,
    given,
    is_address,
    is_broker,
    is_name,
    is_site_address,
    make_folder,
    one_of,
    read_endpoints,
    sentence_of,
    site_address,
    stop,
)
from leaderboard.project.mail_address import TIMEOUT_SECONDS, read_mail_address
from leaderboard.project.sign_in_sites import read_sign_in_sites

BASE_DIR = PROJECT
# A process that is frozen inside a transaction must not hold what everyone waits for. Compiling a
# query costs more than it saves: on 360,000 judgements PostgreSQL's default made a look for runs to
# score 2.8 s of CPU instead of 1.5 s.
SESSION_OPTIONS = "-c idle_in_transaction_session_timeout=20000 -c jit=off"


def read_database(url: str) -> dict[str, Any]:
    """The database of `url`; SQLite gets WAL, immediate transactions and a busy timeout."""
    try:
        database: dict[str, Any] = dict(
            dj_database_url.parse(url, conn_max_age=60, conn_health_checks=True)
        )
    except (ValueError, KeyError) as error:
        stop(
            f"DATABASE_URL is not a database address ({error}). Example: "
            "postgres://user:password@host:5432/assay"
        )
    if database["ENGINE"] == "django.db.backends.sqlite3":
        database["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY"
            ),
        }
        database["CONN_HEALTH_CHECKS"] = False
    elif database["ENGINE"] != "django.db.backends.postgresql":
        stop(
            "DATABASE_URL must name SQLite or PostgreSQL. Example: "
            "postgres://user:password@host:5432/assay"
        )
    else:
        database.setdefault("OPTIONS", {}).setdefault("options", SESSION_OPTIONS)
    return database


try:
    SECRET_KEY = env.str("SECRET_KEY")
    SECRET_KEY_FALLBACKS: list[str] = env.list("SECRET_KEY_FALLBACKS", [])
    DEBUG = env.bool("DEBUG", False)
    ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
    CSRF_TRUSTED_ORIGINS: list[str] = env.list("CSRF_TRUSTED_ORIGINS", [])
    HTTPS = env.bool("HTTPS", False)
    TRUSTED_PROXIES = env.int("TRUSTED_PROXIES", 0, validate=between(0, 10))
    STAFF_SECOND_FACTOR = env.bool("STAFF_SECOND_FACTOR", True)
    VAR_DIR = BASE_DIR / env.path("VAR_DIR", Path("var"))  # wherever a process starts
    STATIC_DIR = env.path("STATIC_DIR", VAR_DIR / "static")
    DATABASES = {
        "default": read_database(env.str("DATABASE_URL", f"sqlite:///{VAR_DIR / 'assay.sqlite3'}"))
    }
    BROKER_URL = env.str("BROKER_URL", "", validate=is_broker)
    JUDGE_PRIVATE_ENDPOINTS: list[str] = env.list("JUDGE_PRIVATE_ENDPOINTS", [])
    JUDGE_ENDPOINTS = read_endpoints(
        env.pairs("JUDGE_ENDPOINTS", {}, example="main=https://api.example.org/v1"),
        private=[alias.strip() for alias in JUDGE_PRIVATE_ENDPOINTS if alias.strip()],
    )
    JUDGE_TIMEOUT_SECONDS = env.float("JUDGE_TIMEOUT_SECONDS", 60.0, validate=between(0.1, 3600))
    JUDGE_CONCURRENCY = env.int("JUDGE_CONCURRENCY", 64, validate=between(1, 10_000))
    JUDGE_LEASE_SECONDS = env.float("JUDGE_LEASE_SECONDS", 30.0, validate=between(2, 3600))
    JUDGE_RETRY_SECONDS: list[float] = env.list(
        "JUDGE_RETRY_SECONDS", [2.0, 15.0, 300.0, 1500.0], subcast=float, validate=are_waits
    )
    JUDGE_PROCESSES_PER_RUN = env.int("JUDGE_PROCESSES_PER_RUN", 2, validate=between(1, 1000))
    JUDGE_DEADLINE_DAYS = env.int("JUDGE_DEADLINE_DAYS", 14, validate=between(1, 3650))
    CANARY_HOURS = env.float("CANARY_HOURS", 0.0, validate=between(0, 87_600))
    BUDGET_SUBMISSION = env.float("BUDGET_SUBMISSION", 0.0, validate=between(0, 1_000_000_000))
    BUDGET_ACCOUNT_DAY = env.float("BUDGET_ACCOUNT_DAY", 0.0, validate=between(0, 1_000_000_000))
    BUDGET_SITE_DAY = env.float("BUDGET_SITE_DAY", 0.0, validate=between(0, 1_000_000_000))
    QUOTA_SUBMISSIONS_DAY = env.int("QUOTA_SUBMISSIONS_DAY", 3, validate=between(0, 1_000_000))
    QUOTA_UNFINISHED = env.int("QUOTA_UNFINISHED", 1, validate=between(0, 1_000_000))
    QUOTA_FILES = env.int("QUOTA_FILES", 50, validate=between(0, 1_000_000))
    QUOTA_DRY_RUNS_DAY = env.int("QUOTA_DRY_RUNS_DAY", 5, validate=between(0, 1_000_000))
    VISITOR_SHARE = env.float("VISITOR_SHARE", 0.1, validate=between(0, 1))
    PROGRESS_STREAMS = env.int("PROGRESS_STREAMS", 1, validate=between(0, 1000))
    DEFAULT_JUDGE = env.str("DEFAULT_JUDGE", "rules")
    SWEEP_SECONDS = env.float("SWEEP_SECONDS", 2.0, validate=between(0.1, 3600))
    EMAIL = read_mail_address(env.str("EMAIL_URL", "console:"))
    LOG_LEVEL = env.str(
        "LOG_LEVEL", "INFO", validate=one_of("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
    ).upper()
    DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", "Assay <assay@localhost>")
    OPERATOR_EMAILS: list[str] = env.list("OPERATOR_EMAILS", [])
    SITE_NAME = env.str("SITE_NAME", "Assay", validate=is_name).strip()
    CONTACT_EMAIL = env.str("CONTACT_EMAIL", "", validate=is_address).strip()
    SIGN_IN_ORIGINS, SOCIALACCOUNT_PROVIDERS = read_sign_in_sites(
        {
            "GITHUB": (env.str("GITHUB_CLIENT_ID", ""), env.str("GITHUB_CLIENT_SECRET", "")),
            "HUGGINGFACE": (
                env.str("HUGGINGFACE_CLIENT_ID", ""),
                env.str("HUGGINGFACE_CLIENT_SECRET", ""),
            ),
            "ORCID": (env.str("ORCID_CLIENT_ID", ""), env.str("ORCID_CLIENT_SECRET", "")),
        }
    )
    SITE_URL = site_address(
        env.str("SITE_URL", "", validate=is_site_address),
        origins=CSRF_TRUSTED_ORIGINS,
        hosts=ALLOWED_HOSTS,
        https=HTTPS,
    )
except (EnvError, ValueError) as error:
    stop(sentence_of(error))

check_default_judge(DEFAULT_JUDGE, JUDGE_ENDPOINTS)
check_budgets(JUDGE_ENDPOINTS, [BUDGET_SUBMISSION, BUDGET_ACCOUNT_DAY, BUDGET_SITE_DAY])
check_names(given(), aliases=JUDGE_ENDPOINTS, known=globals())
check_secret_keys(SECRET_KEY, SECRET_KEY_FALLBACKS)
make_folder(VAR_DIR, is_ours=VAR_DIR == BASE_DIR / "var")

PROTOCOLS = [
    "benchmarks.protocols.touchstone",
    "benchmarks.protocols.touchstone_hallucination",
    "benchmarks.protocols.hallusionbench",
    "benchmarks.protocols.tiny_lvlm_ehub",
    "benchmarks.protocols.tiny_lvlm_ehub_ability",
]

INSTALLED_APPS = [
    "leaderboard",
    "judging.panel",
    "judging",
    "benchmarks.submissions",
    "benchmarks",
    # leaderboard/urls.py loads its pages: workers and most commands show none
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.sitemaps",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    # always, so that migrations do not depend on settings; leaderboard/people/accounts/urls.py
    # decides
    "allauth.socialaccount",
    "allauth.socialaccount.providers.github",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.socialaccount.providers.orcid",
    "allauth.usersessions",
    "rest_framework",
    "drf_spectacular",
    "django_htmx",
    "csp",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "leaderboard.project.middleware.private_pages.PermissionsPolicyMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "leaderboard.project.middleware.compression.CompressionMiddleware",
    # above all that looks at who asks, below what compresses and what every answer is given
    "leaderboard.web.caching.middleware.SharedPagesMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "leaderboard.project.middleware.private_pages.PrivatePagesMiddleware",
    "django.middleware.common.CommonMiddleware",
    # before the next one, which reads forms
    "leaderboard.project.middleware.request_bodies.BodyLimitMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "leaderboard.people.accounts.second_factor.SecondFactorMiddleware",
    "leaderboard.project.middleware.admin_filters.AdminFiltersMiddleware",
    "leaderboard.web.board.not_stored.BoardNotStoredMiddleware",
    "leaderboard.project.middleware.refusals.RefusalPagesMiddleware",
]

CSRF_FAILURE_VIEW = "leaderboard.project.middleware.failures.form_too_old"
ROOT_URLCONF = "leaderboard.urls"
FORCE_SCRIPT_NAME = ""  # the site is all of its host, whatever a server or a header says of it
WSGI_APPLICATION = "leaderboard.wsgi.application"
ASGI_APPLICATION = "leaderboard.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "leaderboard.people.notices.unread.unread_notices",
                "leaderboard.web.pages.site.board_menu.board_menu",
            ],
        },
    }
]

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
    )
]
AUTH_PASSWORD_VALIDATORS += [
    {"NAME": "leaderboard.people.accounts.passwords.VisiblePasswordValidator"},
    {"NAME": "leaderboard.people.accounts.passwords.OthersLeaveWithThePassword"},
]
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_CONFIRM_EMAIL_ON_GET = False
ACCOUNT_EMAIL_NOTIFICATIONS = True  # whoever is not the one who changed it shall know
ACCOUNT_ADAPTER = "leaderboard.people.accounts.sign_in.AccountAdapter"
ACCOUNT_FORMS = {
    "signup": "leaderboard.people.accounts.sign_in.SignupForm",
    "reset_password": "leaderboard.people.accounts.sign_in.ResetPasswordForm",
}
ACCOUNT_RATE_LIMITS = {
    # leaderboard/people/accounts/sign_in.py says what counts where. A person mistypes a few times;
    # a hundred an hour, which is what NIST SP 800-63B allows an account, guesses nothing that the
    # list of common passwords lets through.
    "login_failed": "10/m/ip,5/5m/key",
    "login_failed_everywhere": "100/h/key",
    "login_failed_known_browser": "10/5m/key",
}
SOCIALACCOUNT_ADAPTER = "leaderboard.people.accounts.other_sites.SocialAccountAdapter"
SOCIALACCOUNT_FORMS = {
    "disconnect": "leaderboard.people.accounts.other_sites.DisconnectForm",
    "signup": "leaderboard.people.accounts.other_sites.SignupForm",
}
SOCIALACCOUNT_AUTO_SIGNUP = False  # or who has an account by another address gets a second one
SOCIALACCOUNT_EMAIL_AUTHENTICATION = False  # an address alone opens nobody's account
SOCIALACCOUNT_REAUTHENTICATION_REQUIRED = True  # another way in is given by who knows the first
MFA_ADAPTER = "leaderboard.people.accounts.second_factor.MfaAdapter"
MFA_TOTP_ISSUER = "Assay"
MFA_TOTP_TOLERANCE = 1  # a phone whose clock is half a minute off still signs in
ALLAUTH_TRUSTED_PROXY_COUNT = TRUSTED_PROXIES
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if HTTPS else "http"
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "my-entries"
ACCOUNT_LOGOUT_REDIRECT_URL = "home"

EMAIL_BACKEND = "leaderboard.operations.mail.outbox.OutboxBackend"
MAIL_BACKEND = EMAIL["EMAIL_BACKEND"]  # that of workers, who send what the outbox keeps
EMAIL_HOST = EMAIL.get("EMAIL_HOST", "localhost")
EMAIL_PORT = EMAIL.get("EMAIL_PORT", 25)
EMAIL_HOST_USER = EMAIL.get("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = EMAIL.get("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS = EMAIL.get("EMAIL_USE_TLS", False)
EMAIL_USE_SSL = EMAIL.get("EMAIL_USE_SSL", False)
EMAIL_FILE_PATH = EMAIL.get("EMAIL_FILE_PATH")
EMAIL_TIMEOUT = TIMEOUT_SECONDS
EMAIL_SUBJECT_PREFIX = ACCOUNT_EMAIL_SUBJECT_PREFIX = f"[{SITE_NAME}] "
SERVER_EMAIL = DEFAULT_FROM_EMAIL
ADMINS = [("", address.strip()) for address in OPERATOR_EMAILS]

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

STATIC_URL = "static/"
STATIC_ROOT = STATIC_DIR
STATICFILES_DIRS = [BASE_DIR / "static", ("guides", BASE_DIR / "docs/annotator/pictures")]
MEDIA_ROOT = VAR_DIR / "figures"
STORAGES = {
    # All that is in it is named by a digest: what comes again takes the place of what is there.
    "default": {
        "BACKEND": "benchmarks.common.file_storage.WholeFileStorage",
        "OPTIONS": {"allow_overwrite": True},
    },
    "uploads": {
        "BACKEND": "benchmarks.common.file_storage.WholeFileStorage",
        "OPTIONS": {"location": VAR_DIR / "uploads"},
    },
    "exports": {
        "BACKEND": "benchmarks.common.file_storage.WholeFileStorage",
        "OPTIONS": {"location": VAR_DIR / "exports"},
    },
    "staticfiles": {"BACKEND": "leaderboard.project.style_sheets.CompressedSheetsStorage"},
}

CACHES = {
    # Limits of sign-in and used codes. In the database, which every process shares and without
    # which nobody signs in anyway: a cache server would be one more thing that can be away. A full
    # table loses limits that still hold, and an address makes at most forty rows a minute, none of
    # which lasts longer than an hour.
    "default": {
        "BACKEND": "leaderboard.web.caching.limits_cache.LimitsCache",
        "LOCATION": "shared_cache",
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    },
    # Shared pages as they are sent (leaderboard/web/caching/), and estimates. Files, which the web
    # processes of a host share: no server that may be away or full, and none whose memory the
    # broker needs. 1,500 files take 60 MB; beyond, a third goes. Listing them takes 2 ms of each
    # page that is made.
    "pages": {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": VAR_DIR / "pages",
        "OPTIONS": {"MAX_ENTRIES": 1_500},
    },
    # What a visitor has used of a processor, in each web process on its own: reading a page writes
    # nothing that others wait for. 20,000 of them take 10 MB.
    "budgets": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 20_000},
    },
}

BOARD_MENU_SECONDS = 60
"""For how long a web process shows the menu of boards as it read it, and a page made with it stays
for as long again; 0 reads none, for tests that count queries."""

SHARED_PAGES = True
"""Tests alone turn it off, whose rows change past triggers."""

WEBHOOKS_TO_LOOPBACK = False
"""Tests alone set it: their programs listen on this machine."""

UPLOAD_LIMIT_BYTES = 20 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
FILE_UPLOAD_HANDLERS = [
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "benchmarks.submissions.files.upload_handler.UnnamedFileUploadHandler",
]

CELERY_BROKER_URL = BROKER_URL or "memory://"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Nothing a broker does ends a worker, which judges without it: not an absence beyond a hundred
# tries (three quarters of an hour), not a Redis without memory, whose refusals are no loss of
# connection.
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_CHANNEL_ERROR_RETRY = True
# A broker that is away or deaf holds up whoever sends a wake-up message, an upload for one: it is
# tried once, at once, and for so many seconds at most.
CELERY_BROKER_CONNECTION_TIMEOUT = 2
CELERY_BROKER_TRANSPORT_OPTIONS = {"max_retries": 1, "interval_start": 0, "interval_step": 0}
if BROKER_URL.startswith(("redis", "unix")):
    CELERY_BROKER_TRANSPORT_OPTIONS |= {
        "visibility_timeout": 600,
        "socket_keepalive": True,
        "socket_connect_timeout": 2,
        "socket_timeout": 5,
    }
elif BROKER_URL:
    CELERY_BROKER_TRANSPORT_OPTIONS |= {"read_timeout": 5, "write_timeout": 5}
CELERY_TASK_PUBLISH_RETRY = False  # messages are hints: a sweep finds what one of them did not tell
CELERY_BEAT_SCHEDULE = {
    # Workers sweep by themselves as well; a message that waited for 30 s is worth nothing any more.
    "sweep": {"task": "assay.sweep", "schedule": 30.0, "options": {"expires": 30.0}},
}
EACH_MINUTE = [
    "leaderboard.people.notices.each_minute.tell_and_mail",
    "leaderboard.web.evidence.archive.make_evidence_archives",
    "leaderboard.operations.files.data_exports.make_exports",
    "judging.panel.studies.lifecycle.settle_late_votes",
    "leaderboard.results.studies.stored.refresh_reports",
    "leaderboard.operations.files.stored_files.check_files",
]
"""What the sweeping thread of a worker does beside its sweeps, of rooms that stand above it."""
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "beat-schedule")
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_TIME_LIMIT = 300
CELERY_TASK_SOFT_TIME_LIMIT = 270
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# Whoever judges goes on without a broker, and what it asks is paid for: ended with its connection,
# each call under way stays open and is asked again. A message that comes a second time finds a run
# whose judgements are leased, and shares what is left of it.
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "benchmarks.submissions.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticatedOrReadOnly"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_PAGINATION_CLASS": "benchmarks.api.pagination.NewestFirst",
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["benchmarks.api.documents.JSONParser"],
    "EXCEPTION_HANDLER": "benchmarks.api.problem_details.problem_response",
    "URL_FORMAT_OVERRIDE": None,  # ?format= means nothing here; Accept does
    "ALLOWED_VERSIONS": ["1"],  # or the schema's ?version= is written into a header as it comes
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Assay",
    "DESCRIPTION": "Boards, entries, releases and submissions of the Assay leaderboard.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "leaderboard.web.api.examples.add_examples",
        "leaderboard.web.api.links.add_links",
    ],
}

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "base-uri": [NONE],
        "object-src": [NONE],
        "frame-ancestors": [NONE],
        "form-action": [SELF, *SIGN_IN_ORIGINS],  # Chromium asks it of where a form leads, too
    }
}
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
COOKIE_PREFIX = "__Host-" if HTTPS else ""  # no other host of the domain can set such a cookie
SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = f"{COOKIE_PREFIX}sessionid", f"{COOKIE_PREFIX}csrftoken"
if HTTPS:
    SECURE_SSL_REDIRECT = True
    SECURE_REDIRECT_EXEMPT = [r"^health/"]  # asked beside the proxy, without TLS
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 31_536_000
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SILENCED_SYSTEM_CHECKS = [
    "security.W021"
]  # preloading binds a whole domain for years: its owner's to wish

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {
        "django": {"handlers": []},  # or a mail to operators for every page that fails
    },
}
