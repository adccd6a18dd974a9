"""All settings, each from one environment variable.

`make setup` writes a `.env` with new secrets for the embedded default; variables of the environment
override it. A missing secret or a value of the wrong type stops the start with one line that gives
the variable.
"""

import importlib.util
import os
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured
from environs import Env, EnvError, ValidationError, validate

from config import languages
from config.instance_lock import chosen_by_serve
from config.private import OTHER_USERS
from config.version import VERSION

# All files that our processes write are readable only by the user who runs Fivefold, because they
# contain answers. Use chmod to share a file.
os.umask(OTHER_USERS)
BASE_DIR = Path(__file__).resolve().parent.parent
env = Env()
env.read_env(BASE_DIR / ".env", recurse=False)
AT_LEAST_ONE = validate.Range(min=1)
AT_LEAST_TWO = validate.Range(min=2)  # seconds: PostgreSQL's library takes 1 for 2
POSITIVE = validate.Range(min=0, min_inclusive=False)
NOT_NEGATIVE = validate.Range(min=0)
PRICE = validate.Range(min=0, max=10_000)
GIVEN = validate.Length(min=1)
WEB_ADDRESS = validate.URL(schemes={"http", "https"}, require_tld=False)
BROKERS = validate.Regexp(
    r"(filesystem|rediss?|redis\+socket|sentinel|amqps?)://",
    error="Not the address of a known kind of broker.",
)
# Tokens are sent there, so only this machine may be asked without encryption.
PROLIFIC_ADDRESS = validate.Regexp(
    r"https://[^\s]|http://(localhost|127\.0\.0\.1|\[::1\])[:/]",
    error="Neither an https address nor one of this machine.",
)
NAMES = validate.Regexp(
    r"([a-z][a-z0-9_]{0,39}(,|$))*$", error="Not small letters, digits and underscores."
)


def READABLE_FILE(path: str) -> None:  # noqa: N802  # one of the checks of variables
    """Raises ValidationError if there is a path, but no file to read."""
    if path and not (Path(path).is_file() and os.access(path, os.R_OK)):
        raise ValidationError("No file that can be read.")


EMAIL_ENCRYPTION = validate.OneOf(["tls", "starttls", "none"])
LOG_LEVELS = validate.OneOf(["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"])

try:
    SECRET_KEY = env.str("SECRET_KEY", validate=GIVEN)
    DEBUG = env.bool("DEBUG", False)
    DATA_DIR = Path(env.str("DATA_DIR", str(BASE_DIR / "data"), validate=GIVEN))
    _served = chosen_by_serve(DATA_DIR / "serve.env")
    # The public address determines the allowed hosts and whether HTTPS is required.
    SITE_URL = env.str(
        "SITE_URL", _served.get("SITE_URL") or "http://localhost:8000", validate=WEB_ADDRESS
    ).rstrip("/")
    _site = urlsplit(SITE_URL)
    HTTPS = _site.scheme == "https"
    # Whether our proxy is in front of the web processes and gives the clients' addresses.
    BEHIND_PROXY = env.bool("BEHIND_PROXY", HTTPS)
    ALLOWED_HOSTS = env.list(
        "ALLOWED_HOSTS", list({_site.hostname or "", "localhost", "127.0.0.1", "[::1]"})
    )
    CSRF_TRUSTED_ORIGINS = [SITE_URL]
    DATABASES = {
        "default": env.dj_db_url("DATABASE_URL", f"sqlite:///{DATA_DIR / 'fivefold.sqlite3'}")
    }
    # PostgreSQL: time limits of a page for its data, and of any process for a connection.
    DATABASE_SECONDS = env.float("DATABASE_SECONDS", 15.0, validate=POSITIVE)
    DATABASE_CONNECT_SECONDS = env.int("DATABASE_CONNECT_SECONDS", 5, validate=AT_LEAST_TWO)
    CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", "filesystem://localhost", validate=BROKERS)
    # Anyone with this key can send simulated raters with simulated times.
    SIMULATION_KEY = env.str("SIMULATION_KEY", SECRET_KEY, validate=GIVEN)
    # Encrypts the Prolific tokens of accounts. With another key they must be connected again.
    PROLIFIC_TOKEN_KEY = env.str("PROLIFIC_TOKEN_KEY", SECRET_KEY, validate=GIVEN)
    PROLIFIC_URL = env.str(
        "PROLIFIC_URL",
        _served.get("PROLIFIC_URL") or "https://api.prolific.com/api/v1",
        validate=PROLIFIC_ADDRESS,
    ).rstrip("/")
    JUDGE_BASE_URL = env.str("JUDGE_BASE_URL", "https://openrouter.ai/api/v1")
    JUDGE_MODEL = env.str("JUDGE_MODEL", "meta-llama/llama-4-maverick")
    JUDGE_API_KEY = env.str("JUDGE_API_KEY", "")
    # The endpoint is `judge/standin.py`: its scores are labelled as a stand-in's everywhere.
    JUDGE_STAND_IN = env.bool("JUDGE_STAND_IN", False)
    # `manage.py serve` starts one, also beside an endpoint with a key.
    JUDGE_STAND_IN_URL = _served.get("JUDGE_STAND_IN_URL") or ""
    if not JUDGE_API_KEY and JUDGE_STAND_IN_URL:
        JUDGE_BASE_URL, JUDGE_STAND_IN = JUDGE_STAND_IN_URL, True
        JUDGE_MODEL = JUDGE_API_KEY = "stand-in"
    # Maximum number of requests in flight, over all workers.
    JUDGE_CONCURRENCY = env.int("JUDGE_CONCURRENCY", 6, validate=AT_LEAST_ONE)
    # What its models do not accept of a request (`judge/traits.py`); empty: found out by asking.
    JUDGE_TRAITS = env.str("JUDGE_TRAITS", "")
    # Further endpoints by their names in studies, such as `openai`; each has its own settings, such
    # as JUDGE_OPENAI_BASE_URL.
    JUDGE_ENDPOINTS: dict[str, Any] = {
        name: {
            "base_url": env.str(f"JUDGE_{name.upper()}_BASE_URL", validate=GIVEN),
            "api_key": env.str(f"JUDGE_{name.upper()}_API_KEY", ""),
            "model": env.str(f"JUDGE_{name.upper()}_MODEL", JUDGE_MODEL),
            "concurrency": env.int(
                f"JUDGE_{name.upper()}_CONCURRENCY", JUDGE_CONCURRENCY, validate=AT_LEAST_ONE
            ),
            "stated_traits": env.str(f"JUDGE_{name.upper()}_TRAITS", ""),
        }
        for name in env.str("JUDGE_ENDPOINTS", "", validate=NAMES).split(",")
        if name
    }
    JUDGE_TIMEOUT_SECONDS = env.float("JUDGE_TIMEOUT_SECONDS", 60.0, validate=POSITIVE)
    # Calls of a worker that shows no sign of life for so long are given to another one.
    JUDGE_LEASE_SECONDS = env.float("JUDGE_LEASE_SECONDS", 30.0, validate=POSITIVE)
    JUDGE_MAX_ATTEMPTS = env.int("JUDGE_MAX_ATTEMPTS", 8, validate=AT_LEAST_ONE)
    JUDGE_BACKOFF_SECONDS = env.float("JUDGE_BACKOFF_SECONDS", 1.0, validate=NOT_NEGATIVE)
    # What automatic metrics may use in every study: folders, and models at endpoints of judges.
    METRICS_WORDNET = env.str("METRICS_WORDNET", "")
    METRICS_MODEL = env.str("METRICS_MODEL", "")
    METRICS_EMBEDDINGS_ENDPOINT = env.str("METRICS_EMBEDDINGS_ENDPOINT", "")
    METRICS_EMBEDDINGS_MODEL = env.str("METRICS_EMBEDDINGS_MODEL", "")
    METRICS_PERPLEXITY_ENDPOINT = env.str("METRICS_PERPLEXITY_ENDPOINT", "")
    METRICS_PERPLEXITY_MODEL = env.str("METRICS_PERPLEXITY_MODEL", "")
    METRICS_PERPLEXITY_GIVEN_PROMPT = env.bool("METRICS_PERPLEXITY_GIVEN_PROMPT", False)
    REWRITER_ENDPOINT = env.str("REWRITER_ENDPOINT", "")
    REWRITER_MODEL = env.str("REWRITER_MODEL", "")
    # Null: the endpoint's own.
    REWRITER_TEMPERATURE = env.float("REWRITER_TEMPERATURE", 0.0, validate=NOT_NEGATIVE)
    # US dollars for a million tokens, if its endpoint does not say what an answer costs.
    REWRITER_PRICE_INPUT = env.float("REWRITER_PRICE_INPUT", None, validate=PRICE)
    REWRITER_PRICE_OUTPUT = env.float("REWRITER_PRICE_OUTPUT", None, validate=PRICE)
    # A job (an analysis, …) whose worker shows no sign of life for so long is given to another.
    JOB_LEASE_SECONDS = env.float("JOB_LEASE_SECONDS", 300.0, validate=POSITIVE)
    # A worker that takes longer for one job ends it as failed.
    ANALYSIS_MAX_MINUTES = env.float("ANALYSIS_MAX_MINUTES", 240.0, validate=POSITIVE)
    PLAN_MAX_MINUTES = env.float("PLAN_MAX_MINUTES", 60.0, validate=POSITIVE)
    PACKAGE_MAX_MINUTES = env.float("PACKAGE_MAX_MINUTES", 360.0, validate=POSITIVE)
    JOB_MAX_MINUTES = env.float("JOB_MAX_MINUTES", 1440.0, validate=POSITIVE)  # of any other kind
    # How often to look for lost work and to update results of running studies.
    SWEEP_SECONDS = env.float("SWEEP_SECONDS", 30.0, validate=POSITIVE)
    # How many requests a token (or a logged-in researcher) may send to the API in a minute.
    API_REQUESTS_PER_MINUTE = env.int("API_REQUESTS_PER_MINUTE", 600, validate=AT_LEAST_ONE)
    # How long a zip that was prepared for sharing can be downloaded.
    PACKAGE_DAYS = env.float("PACKAGE_DAYS", 7.0, validate=POSITIVE)
    # How many new participants without a signed link a study takes from one address in an hour; 0:
    # any number.
    NEW_PARTICIPANTS_PER_ADDRESS = env.int(
        "NEW_PARTICIPANTS_PER_ADDRESS", 100, validate=NOT_NEGATIVE
    )
    # The end of the link by which a phone shows that it reaches the site; none leads to a page.
    REACHABLE_TOKEN = env.str("REACHABLE_TOKEN", "")
    # The mail server by which researchers are told of their studies; without one, nothing is sent.
    EMAIL_HOST = env.str("EMAIL_HOST", "")
    EMAIL_PORT = env.int("EMAIL_PORT", 587, validate=validate.Range(min=1, max=65535))
    EMAIL_HOST_USER = env.str("EMAIL_HOST_USER", "")
    EMAIL_HOST_PASSWORD = env.str("EMAIL_HOST_PASSWORD", "")
    EMAIL_TIMEOUT = 15  # seconds
    # How the connection is encrypted: from its start, after STARTTLS, or not at all.
    _email = env.str("EMAIL_ENCRYPTION", "starttls", validate=EMAIL_ENCRYPTION)
    EMAIL_USE_SSL, EMAIL_USE_TLS = _email == "tls", _email == "starttls"
    DEFAULT_FROM_EMAIL = env.str("EMAIL_FROM", f"fivefold@{_site.hostname}", validate=GIVEN)

    # Researchers are logged out after so long without a request, and so long after their login.
    SESSION_IDLE_HOURS = env.float("SESSION_IDLE_HOURS", 12.0, validate=POSITIVE)
    SESSION_DAYS = env.float("SESSION_DAYS", 7.0, validate=POSITIVE)
    # Whether researchers must set up a second factor before they see any other page.
    REQUIRE_SECOND_FACTOR = env.bool("REQUIRE_SECOND_FACTOR", False)
    # A file of passwords that nobody may choose, one a line; in addition to Django's list.
    BREACHED_PASSWORDS = env.str("BREACHED_PASSWORDS", "", validate=READABLE_FILE)
    WORKER_PROCESSES = env.int("WORKER_PROCESSES", 2, validate=AT_LEAST_ONE)
    LOG_LEVEL = env.str("LOG_LEVEL", "WARNING", validate=LOG_LEVELS)
except EnvError as error:
    reason = str(error).rstrip(".")
    raise ImproperlyConfigured(
        f"{reason}. Set it in the environment or in .env; `make setup` writes a .env."
    ) from None

# Web processes share it: the API counts requests in it. It needs no server, so none can be down.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": str(DATA_DIR / "cache"),
    }
}
# Web processes and workers share this folder.
PACKAGES_DIR = DATA_DIR / "packages"
CORPORA_DIR = DATA_DIR / "corpora"
REACHED_FILE = DATA_DIR / "reached"

INSTALLED_APPS = [
    "survey",
    "judge",
    "corpus",
    "analysis",
    "dashboard",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "django_tables2",
    "axes",
    "allauth",
    "allauth.account",
    "allauth.mfa",
]

MIDDLEWARE = [
    "config.deadline.database_deadline",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.headers.content_security_policy",
    "config.languages.language_of_browser",
    "config.bodies.refuse_large_bodies",
    "allauth.account.middleware.AccountMiddleware",
    "dashboard.accounts.requirement.require_second_factor",
    "dashboard.shared.access.RefuseUndeclared",
    "dashboard.shared.log.keep_log",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
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
                "dashboard.shared.stand_in.stand_in",
                "dashboard.shared.access.may",
            ],
        },
    }
]

if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # IMMEDIATE takes the write lock at the start of a transaction, so a second writer waits instead
    # of failing at its first write. FULL makes an acknowledged answer survive a power cut. Deleted
    # data is overwritten, so nothing about a participant who withdrew stays in the file.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 30,
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-16000; "
            "PRAGMA secure_delete=ON;"
        ),
    }
else:
    DATABASES["default"]["ENGINE"] = "config.postgresql"
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
    # Both sides detect within a minute that the other machine is gone; the server then releases its
    # locks. DATABASE_URL can override this: ?name=….
    DATABASES["default"]["OPTIONS"] = {
        "connect_timeout": DATABASE_CONNECT_SECONDS,
        "keepalives_idle": 30,
        "keepalives_interval": 10,
        "keepalives_count": 3,
        "tcp_user_timeout": 30_000,
        "options": (
            "-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3 "
            "-c tcp_user_timeout=30000 -c client_connection_check_interval=10000 "
            # For SSDs, and what is in memory. With the usual 4, PostgreSQL reads all people of a
            # large study where an index has what is asked for.
            "-c random_page_cost=1.1"
        ),
        **DATABASES["default"].get("OPTIONS", {}),
    }
DATABASES["default"]["CONN_MAX_AGE"] = 600
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE = "en"
# A language of participants' pages is a file: locale/<language>/LC_MESSAGES/django.po. Only texts
# in these files are translated; all others, also Django's, are in English.
LOCALE_PATHS = [DATA_DIR / "locale"]
languages.compile_catalogs(BASE_DIR / "locale", LOCALE_PATHS[0])
LANGUAGES = languages.names(["en", *languages.catalogs(BASE_DIR / "locale")])
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
_plotly = importlib.util.find_spec("plotly")  # finds the folder without importing plotly
_sidecar = importlib.util.find_spec("drf_spectacular_sidecar")
assert _plotly and _plotly.submodule_search_locations
assert _sidecar and _sidecar.submodule_search_locations
STATICFILES_DIRS = [
    BASE_DIR / "static",
    ("plotly", Path(_plotly.submodule_search_locations[0]) / "package_data"),
    (
        "swagger-ui",
        Path(_sidecar.submodule_search_locations[0])
        / "static/drf_spectacular_sidecar/swagger-ui-dist",
    ),
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}

SESSION_ENGINE = "config.sessions"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "studies"
LOGOUT_REDIRECT_URL = "login"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
if HTTPS:
    # With this prefix, browsers take the cookie from this host alone, by HTTPS alone.
    SESSION_COOKIE_NAME = "__Host-sessionid"
# A participant may come back a day later to a page left open: its form must still be accepted.
CSRF_COOKIE_AGE = 60 * 60 * 24 * 365
CSRF_FAILURE_VIEW = "survey.views.arrival.csrf_failure"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None
SECURE_HSTS_SECONDS = 60 * 60 * 24 * 30 if HTTPS else 0
# The proxy redirects to HTTPS (W008); we do not decide about subdomains and browsers' preload lists
# of an institution's domain (W005, W021).
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W008", "security.W021"]
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
    "dashboard.shared.access.RolesBackend",
]
# After five failed logins, this name at this address must wait five minutes; other people of a lab
# with one address can still log in. After fifty, the whole address waits. So does the second factor
# of an account after five wrong codes, at any address. The database counts, so all web processes
# apply these limits. API tokens are too long to be guessed.
AXES_FAILURE_LIMIT = 5
ADDRESS_FAILURE_LIMIT = 50
AXES_COOLOFF_TIME = timedelta(minutes=5)
AXES_HANDLER = "dashboard.accounts.throttling.FailureLimits"
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False
AXES_SENSITIVE_PARAMETERS = ["code", "credential", "old_password", "new_password1", "new_password2"]
AXES_CLIENT_IP_CALLABLE = "config.clients.counted_address"
AXES_LOCKOUT_CALLABLE = "dashboard.accounts.views.locked_out"
_validators = "django.contrib.auth.password_validation"
_shortest = 12
AUTH_PASSWORD_VALIDATORS: list[dict[str, Any]] = [
    {"NAME": f"{_validators}.MinimumLengthValidator", "OPTIONS": {"min_length": _shortest}},
    {"NAME": f"{_validators}.CommonPasswordValidator"},
    {"NAME": f"{_validators}.UserAttributeSimilarityValidator"},
    {"NAME": "dashboard.accounts.passwords.SiteWordsValidator"},
]
if BREACHED_PASSWORDS:
    AUTH_PASSWORD_VALIDATORS.append(
        {
            "NAME": "dashboard.accounts.passwords.BreachedPasswordValidator",
            "OPTIONS": {"path": BREACHED_PASSWORDS, "shortest": _shortest},
        }
    )
# Second factors. Our own page asks for the password, and axes counts what fails.
ACCOUNT_ADAPTER = "dashboard.accounts.adapters.AccountAdapter"
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_RATE_LIMITS = False
ACCOUNT_REAUTHENTICATION_TIMEOUT = 15 * 60  # seconds after which the password is asked for again
MFA_ADAPTER = "dashboard.accounts.adapters.SecondFactorAdapter"
MFA_ALLOW_UNVERIFIED_EMAIL = True  # accounts need no e-mail address
MFA_FORMS = {
    "authenticate": "dashboard.accounts.forms.CodeForm",
    "authenticate_webauthn": "dashboard.accounts.forms.PasskeyLoginForm",
    "activate_totp": "dashboard.accounts.forms.AppForm",
    "add_webauthn": "dashboard.accounts.forms.PasskeyForm",
    "edit_webauthn": "dashboard.accounts.forms.PasskeyNameForm",
}
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_TOTP_ISSUER = f"Fivefold {_site.hostname}"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "dashboard.accounts.tokens.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["dashboard.accounts.requirement.IsResearcher"],
    "DEFAULT_SCHEMA_CLASS": "dashboard.api.openapi.RouteSchema",
    "EXCEPTION_HANDLER": "dashboard.api.refusals.answer_to",
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_THROTTLE_CLASSES": ["dashboard.api.throttling.RequestsOfToken"],
    "DEFAULT_THROTTLE_RATES": {"api": f"{API_REQUESTS_PER_MINUTE}/min"},
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Fivefold",
    "DESCRIPTION": "What the pages show and do, as far as the role of the account goes. "
    "docs/api.md says how to begin.",
    "VERSION": VERSION,
    "SERVE_INCLUDE_SCHEMA": False,
    "ENUM_NAME_OVERRIDES": {
        "StateOfStudy": "survey.models.Study.State",
        "StateOfJob": "jobs.models.Job.State",
        "NameOfRole": "dashboard.shared.roles.Role",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "dashboard.api.openapi.describe_refusals",
        "dashboard.api.openapi.close_bodies",
    ],
}

CELERY_WORKER_CONCURRENCY = WORKER_PROCESSES
# KiB. A process that needed more for a task, such as an analysis, ends after it and is replaced:
# Python would not return the memory.
CELERY_WORKER_MAX_MEMORY_PER_CHILD = 256 * 1024
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "celerybeat-schedule")
# A sweep expires when the next is due. A busy worker would otherwise run old sweeps first, while
# tasks that people asked for wait.
CELERY_BEAT_SCHEDULE = {
    f"{app}-sweep": {
        "task": f"{app}.sweep",
        "schedule": SWEEP_SECONDS,
        "options": {"expires": SWEEP_SECONDS},
    }
    for app in ("survey", "judge", "corpus", "analysis", "dashboard")
}
if CELERY_BROKER_URL.startswith("filesystem:"):
    _broker_dir = DATA_DIR / "broker"
    try:
        for _name in ("messages", "processed", "control"):
            (_broker_dir / _name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(f"DATA_DIR can't be written to: {error}") from None
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(_broker_dir / "messages"),
        "data_folder_out": str(_broker_dir / "messages"),
        "control_folder": str(_broker_dir / "control"),
        "polling_interval": 0.2,
    }

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"once in a while": {"()": "config.logs.OnceInAWhile"}},
    "formatters": {
        "line": {
            "()": "config.logs.MaskingFormatter",
            "format": "{asctime} {levelname} {name}: {message}",
            "style": "{",
        }
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": "line",
            "filters": ["once in a while"],
        }
    },
    "loggers": {
        "django": {},  # without Django's handlers, which mask nothing
        "django.server": {"handlers": ["console"], "propagate": False},
        # It warns of each process that CELERY_WORKER_MAX_MEMORY_PER_CHILD replaces.
        "multiprocessing": {"level": "ERROR"},
        # It would log the form's address, which may be a private link.
        "django.security.csrf": {"level": "ERROR"},
    },
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
}
