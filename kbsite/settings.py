"""Every setting of the site. Each environment variable is documented in docs/configuration.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import django_stubs_ext
import environ
from django.utils.csp import CSP
from django.utils.translation import gettext_lazy as _

from kbsite import embedded
from kbsite.hosts import allowed_hosts
from kbsite.secret import secret_key

# Lets generic classes such as ModelAdmin[Skill] be written where mypy wants them.
django_stubs_ext.monkeypatch()

env = environ.Env()

BASE_DIR = Path(__file__).resolve().parent.parent
KB_HOME: Path = embedded.home()

# ── Serving ──────────────────────────────────────────────────────────────────────────────────
DEBUG = env.bool("KB_DEBUG", default=False)
KB_BIND: str = env("KB_BIND", default="127.0.0.1")
KB_PORT: int = env.int("KB_PORT", default=8000)
KB_WEB_PROCESSES: int = env.int("KB_WEB_PROCESSES", default=1)
KB_TRUSTED_PROXIES: str = env("KB_TRUSTED_PROXIES", default="127.0.0.1")
KB_MIN_FREE_MB: int = env.int("KB_MIN_FREE_MB", default=500)
KB_URL: str = env("KB_URL", default="").rstrip("/")
ALLOWED_HOSTS = allowed_hosts(KB_BIND, KB_URL, env.list("KB_ALLOWED_HOSTS", default=[]))
CSRF_TRUSTED_ORIGINS: list[str] = ["{0.scheme}://{0.netloc}".format(urlsplit(KB_URL))] if KB_URL else []
SECRET_KEY = env("KB_SECRET_KEY", default="") or secret_key(KB_HOME)
ROOT_URLCONF = "kbsite.urls"
ASGI_APPLICATION = "kbsite.asgi.application"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if KB_URL.startswith("https") else None
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = KB_URL.startswith("https")
SESSION_COOKIE_NAME = "kb_session"
CSRF_COOKIE_NAME = "kb_csrf"
CSRF_FAILURE_VIEW = "kbsite.errors.csrf_failure"
X_FRAME_OPTIONS = "DENY"
SECURE_CSP = {
    "default-src": [CSP.SELF],
    "script-src": [CSP.SELF],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF, "data:"],
    "connect-src": [CSP.SELF],
    "object-src": [CSP.NONE],
    "base-uri": [CSP.NONE],
    "form-action": [CSP.SELF],
    "frame-ancestors": [CSP.NONE],
}

INSTALLED_APPS = [
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django_htmx",
    "ninja",
    "tree_queries",
    "kbsite",
    "kbsite.accounts",
    "kbsite.llm",
    "kbsite.prompts",
    "documents",
    "skills",
    "search",
    "chat",
    "kbsite.quick_setup",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "kbsite.accounts.middleware.PreferencesMiddleware",
    "kbsite.quick_setup.middleware.FirstVisitMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "kbsite.middleware.PartsMiddleware",
    "kbsite.toasts.ToastsMiddleware",
    "kbsite.errors.ErrorPagesMiddleware",
]

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
                "kbsite.context.shell",
            ],
            "builtins": ["kbsite.templatetags.kb"],
        },
    }
]

# ── Rows ─────────────────────────────────────────────────────────────────────────────────────


def database(url: str) -> dict[str, Any]:
    """Django's settings for a ``postgresql://`` URL; ``?host=`` names a socket directory."""
    parts = urlsplit(url)
    query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    # Only the web process has threads that share connections; a pool must not be carried over a fork.
    pool = {"min_size": 1, "max_size": env.int("KB_DB_POOL", default=16), "timeout": 10}
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")) or "postgres",
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": query.pop("host", "") or (parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {
            **({"pool": pool} if env("KB_PART", default="") == "web" else {}),
            "options": "-c plan_cache_mode=force_custom_plan -c jit=off"
            " -c max_parallel_workers_per_gather=0"
            " -c hnsw.ef_search=100 -c hnsw.iterative_scan=relaxed_order",
            **query,
        },
        "TEST": {"NAME": env("KB_TEST_DATABASE", default=None)},
    }


DATABASE_URL: str = env("DATABASE_URL", default="postgresql:///postgres")
DATABASES = {"default": database(DATABASE_URL)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "/login/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/login/"

# ── The first admin without a browser ───────────────────────────────────────────────────────
KB_ADMIN_EMAIL: str = env("KB_ADMIN_EMAIL", default="")
KB_ADMIN_PASSWORD: str = env("KB_ADMIN_PASSWORD", default="")

# ── Queue ────────────────────────────────────────────────────────────────────────────────────
CELERY_BROKER_URL: str = env("CELERY_BROKER_URL", default="")
KB_WORKER_CONCURRENCY: int = env.int("KB_WORKER_CONCURRENCY", default=2)
KB_WORKER_MEMORY_MB: int = env.int("KB_WORKER_MEMORY_MB", default=1500)
KB_TASK_SECONDS: int = env.int("KB_TASK_SECONDS", default=1800)
KB_HEARTBEAT_SECONDS: int = env.int("KB_HEARTBEAT_SECONDS", default=20)
KB_STUCK_AFTER_SECONDS: int = env.int("KB_STUCK_AFTER_SECONDS", default=300)
KB_MAX_ATTEMPTS: int = env.int("KB_MAX_ATTEMPTS", default=3)
KB_FOLDER_PAGES: bool = env.bool("KB_FOLDER_PAGES", default=True)
KB_FOLDER_PAGE_QUIET_SECONDS: int = env.int("KB_FOLDER_PAGE_QUIET_SECONDS", default=60)

# ── Files ────────────────────────────────────────────────────────────────────────────────────
MEDIA_ROOT = KB_HOME / "media"
STATIC_URL = "/static/"
STATIC_ROOT = KB_HOME / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": env("KB_STORAGE", default="django.core.files.storage.FileSystemStorage")},
    "staticfiles": {"BACKEND": "kbsite.staticfiles.Storage"},
}
KB_MAX_FILE_MB: int = env.int("KB_MAX_FILE_MB", default=200)
KB_MAX_PAGES: int = env.int("KB_MAX_PAGES", default=5000)
KB_PARSE_SECONDS: int = env.int("KB_PARSE_SECONDS", default=300)
KB_PARSE_MEMORY_MB: int = env.int("KB_PARSE_MEMORY_MB", default=2048)
DATA_UPLOAD_MAX_NUMBER_FILES = 1000
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000
DATA_UPLOAD_MAX_MEMORY_SIZE = 32 * 1024 * 1024
FILE_UPLOAD_TEMP_DIR = KB_HOME / "tmp"
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o700
KB_TRASH_DAYS: int = env.int("KB_TRASH_DAYS", default=30)

# ── Passages and retrieval (shared formulas: docs/architecture.md) ──────────────────────────
KB_PASSAGE_TOKENS: int = env.int("KB_PASSAGE_TOKENS", default=300)
KB_WINDOW_TOKENS: int = env.int("KB_WINDOW_TOKENS", default=480)
KB_HOTNESS_WEIGHT: float = env.float("KB_HOTNESS_WEIGHT", default=0.2)
KB_HALF_LIFE_DAYS: float = env.float("KB_HALF_LIFE_DAYS", default=7.0)
KB_RAW_COSINE: bool = env.bool("KB_RAW_COSINE", default=False)

# ── Models ───────────────────────────────────────────────────────────────────────────────────
KB_ENCRYPTION_KEYS: list[str] = env.list("KB_ENCRYPTION_KEYS", default=[])
KB_MODEL_TIMEOUT_SECONDS: float = env.float("KB_MODEL_TIMEOUT_SECONDS", default=60.0)
KB_EMBEDDER_ENGINE: str = env("KB_EMBEDDER_ENGINE", default="auto")
KB_EMBEDDER_THREADS: int = env.int("KB_EMBEDDER_THREADS", default=0)
KB_MODELS = Path(env("KB_MODELS", default="") or KB_HOME / "models")

# ── Language ─────────────────────────────────────────────────────────────────────────────────
LANGUAGE_CODE = env("KB_LANGUAGE", default="en")
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGE_COOKIE_NAME = "kb_language"
USE_I18N = True
TIME_ZONE = env("KB_TIME_ZONE", default="UTC")
USE_TZ = True

# ── What is printed ─────────────────────────────────────────────────────────────────────────
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "format": "{asctime} {levelname} {name}: {message}",
            "style": "{",
            "datefmt": "%Y-%m-%d %H:%M:%S",
        }
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env("KB_LOG_LEVEL", default="INFO")},
    "loggers": {
        # One line for every request, task and message would bury those that matter.
        "httpx": {"level": "WARNING"},
        "httpx2": {"level": "WARNING"},
        "pgmq": {"level": "WARNING"},
        "celery.beat": {"level": "WARNING"},
        "celery.app.trace": {"level": "WARNING"},
        "celery.worker.strategy": {"level": "WARNING"},
        "django.request": {"level": "ERROR"},
    },
}
