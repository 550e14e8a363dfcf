"""Settings of every process, read from the environment. Both profiles (embedded, production) use this one file."""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

from accounts.group_roles import ROLES, read_group_roles
from blobs.kinds import PIXELS_DEFAULT, PIXELS_RANGE
from config.service_urls import broker_url, database_of, mail_server, plain_url
from core.version import VERSION
from worker_programs.confinement import usual_memory

env = environ.Env()
BASE_DIR = Path(__file__).resolve().parents[2]
VAR_DIR = Path(env.str("MOTHERLODE_VAR", str(BASE_DIR / "var")))

SECRET_KEY = env.str("MOTHERLODE_SECRET_KEY")
if len(SECRET_KEY) < 32:
    raise ImproperlyConfigured("MOTHERLODE_SECRET_KEY is too short: make one with `openssl rand -hex 32`.")
DEBUG = False
ALLOWED_HOSTS = env.list("MOTHERLODE_ALLOWED_HOSTS", default=["127.0.0.1", "localhost"])
CSRF_TRUSTED_ORIGINS = env.list("MOTHERLODE_TRUSTED_ORIGINS", default=[])
HTTPS = env.bool("MOTHERLODE_HTTPS", False)
# Behind a TLS proxy that is the only way in from outside: it sets this header on every request.
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_celery_beat",
    "config",
    "core",
    "accounts",
    "blobs",
    "jobs",
    "jobs.lifecycle",
    "garbage_collection",
    "publishing",
    "catalog",
    "labeling",
    "registry",
    # The highest level first, because a refusal names first what people know: a round rather than its mining job.
    "pipelines",
    "mining_jobs",
    "backtests",
    "maps",
    "lakes",
    "similarity",
    "sweeps",
    "notifications",
]
MIDDLEWARE = [
    "core.observing.ObserveRequests",
    "accounts.rights.BeginAsNobody",
    "accounts.audit.RememberRequest",
    "core.middleware.DrainRefusedBody",
    "core.write_threads.KeepThreadsForReads",
    "django.middleware.security.SecurityMiddleware",
    "core.middleware.SecurityHeaders",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "core.middleware.RefuseChunkedBody",
    "core.middleware.Problems",
    "core.middleware.RefuseUntilMigrated",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "core.middleware.RefusePreconditions",
    "core.query_parameters.RefuseUnknownParameters",
    "core.middleware.RefuseWritesWithoutSpace",
    "core.middleware.Idempotency",
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
# Threads of each web process, as granian itself is told them: slow writes leave THREADS_FOR_READS of them to others.
WEB_THREADS = env.int("GRANIAN_BLOCKING_THREADS", 8)
THREADS_FOR_READS = 3
# Writes are refused while the disk with VAR_DIR has fewer free bytes than this; 0: not checked.
MIN_FREE_BYTES = env.int("MOTHERLODE_MIN_FREE_BYTES", 128 << 20)
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]
APPEND_SLASH = False
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "accounts.User"
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True

# -- database: SQLite in WAL mode, or PostgreSQL --
# Seconds that a write waits for a lock of the database.
LOCK_SECONDS = env.float("MOTHERLODE_LOCK_SECONDS", 30.0)
_database = env.str("MOTHERLODE_DATABASE_URL", f"sqlite:///{VAR_DIR / 'db.sqlite3'}")
DATABASES = {"default": database_of("MOTHERLODE_DATABASE_URL", _database)}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["ENGINE"] = "core.sqlite"
    DATABASES["default"]["OPTIONS"] = {
        "timeout": LOCK_SECONDS,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-65536; "
        "PRAGMA mmap_size=268435456;",
    }
else:
    from core.postgres.cursor import KeepingCursor

    DATABASES["default"]["ENGINE"] = "core.postgres"
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
    DATABASES["default"]["OPTIONS"] = {
        **DATABASES["default"]["OPTIONS"],
        "server_side_binding": True,
        "cursor_factory": KeepingCursor,
        "prepare_threshold": 0,
    }
# Opening a connection takes longer than a short request.
DATABASES["default"]["CONN_MAX_AGE"] = 60
# Seconds without an answer from PostgreSQL after which another connection checks it; 0: wait without a limit.
DATABASE_PATIENCE = env.float("MOTHERLODE_DATABASE_PATIENCE", 0.0)

# -- object store: `blobs.store` and the programs read MOTHERLODE_S3_*; browsers may load images from it --
S3_PUBLIC_ENDPOINT = plain_url(
    "MOTHERLODE_S3_PUBLIC_ENDPOINT", env.str("MOTHERLODE_S3_PUBLIC_ENDPOINT", "")
) or env.str("MOTHERLODE_S3_ENDPOINT", "")

# -- the URL at which git and DVC clients reach this platform: every published repository contains it --
PUBLIC_URL = plain_url("MOTHERLODE_PUBLIC_URL", env.str("MOTHERLODE_PUBLIC_URL", "http://127.0.0.1:8000")).rstrip("/")

# -- Celery is only a wake-up: rows are the truth, so a lost or doubled message is harmless --
CELERY_BROKER_URL = broker_url("MOTHERLODE_BROKER_URL", env.str("MOTHERLODE_BROKER_URL", "redis://127.0.0.1:6379/0"))
CELERY_TASK_IGNORE_RESULT = True
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_LOST_WAIT = 1.0  # seconds until a killed process's place is given to another message
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A training outlives its broker: the message may come twice, but only one worker can claim the shard.
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
QUEUE_PREFIX = env.str("MOTHERLODE_QUEUE_PREFIX", "")  # for several platforms on one broker
CELERY_TASK_DEFAULT_QUEUE = f"{QUEUE_PREFIX}default"
# The sweeps have a queue and a worker of their own, so that no job can hold them up. They start what takes long.
CELERY_TASK_ROUTES = {
    task: {"queue": f"{QUEUE_PREFIX}clock"}
    for task in ("jobs.sweep", "publishing.sweep", "rounds.sweep", "rounds.start_due", "sweeps.look")
}
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0, "interval_step": 0.2}
CELERY_BROKER_CONNECTION_TIMEOUT = 2.0
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {
        "visibility_timeout": 3600,
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        "socket_timeout": 3.0,
        "socket_connect_timeout": 3.0,
    }
    if CELERY_BROKER_URL.startswith("redis")
    else {"confirm_publish": True}
    if CELERY_BROKER_URL.startswith("amqp")
    else {}
)
CELERY_BEAT_SCHEDULER = "config.beat:Scheduler"
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_MAX_LOOP_INTERVAL = 5

# The Redis that counts the requests of projects with a request quota; without it no such quota can be set.
COUNTERS_URL = env.str("MOTHERLODE_COUNTERS_URL", CELERY_BROKER_URL if CELERY_BROKER_URL.startswith("redis") else "")

# Seconds that a worker keeps a claimed shard without a heartbeat, and the seconds between heartbeats.
JOB_LEASE_SECONDS = env.float("MOTHERLODE_JOB_LEASE_SECONDS", 15.0)
JOB_RENEW_SECONDS = JOB_LEASE_SECONDS / 4
JOB_MAX_ATTEMPTS = env.int("MOTHERLODE_JOB_MAX_ATTEMPTS", 5)  # runs of a shard that end in an error
JOB_MAX_CLAIMS = env.int(
    "MOTHERLODE_JOB_MAX_CLAIMS", 10
)  # runs that end without a result: a shard must not kill workers for ever
JOB_BACKOFF_SECONDS = env.float("MOTHERLODE_JOB_BACKOFF_SECONDS", 2.0)
JOB_REWAKE_SECONDS = env.float("MOTHERLODE_JOB_REWAKE_SECONDS", 15.0)
# Seconds between a worker's reports that it is alive, and seconds of silence after which it counts as gone.
WORKER_BEAT_SECONDS = 5.0
WORKER_GONE_SECONDS = 60.0
# A worker that has had no work for so many seconds ends; 0: it stays. For pods that an autoscaler starts.
WORKER_IDLE_SECONDS = env.float("MOTHERLODE_WORKER_IDLE_SECONDS", 0.0)
# Seconds that a worker which is told to stop (SIGTERM) gives to its shards; what they have not finished then is given
# back, and costs no attempt.
WORKER_GRACE_SECONDS = env.float("MOTHERLODE_WORKER_GRACE_SECONDS", 20.0)
# Resources that a worker offers to shards; 0, empty or unset: those of the machine, or of its control group. Declare
# GPUs that NVIDIA's library does not show by their number and their memory in bytes.
WORKER_CORES = env.int("MOTHERLODE_WORKER_CORES", 0)
WORKER_MEMORY = env.int("MOTHERLODE_WORKER_MEMORY", 0)
WORKER_ARCHITECTURE = env.str("MOTHERLODE_WORKER_ARCHITECTURE", "")
WORKER_GPUS = env.int("MOTHERLODE_WORKER_GPUS", None)
WORKER_GPU_MEMORY = env.int("MOTHERLODE_WORKER_GPU_MEMORY", 0)
WORKER_GPU_NAME = env.str("MOTHERLODE_WORKER_GPU_NAME", "GPU")
# How long a round waits after the last answer before it commits, unless its pipeline says otherwise.
COMMIT_GRACE_SECONDS = env.int("MOTHERLODE_COMMIT_GRACE_SECONDS", 30)
LABEL_LEASE_SECONDS = env.float("MOTHERLODE_LABEL_LEASE_SECONDS", 600.0)
# Unreferenced objects are deleted when nobody has asked for them for this many hours; a pack is rewritten when less
# than this share of it is still referenced.
GC_GRACE_HOURS = env.float("MOTHERLODE_GC_GRACE_HOURS", 24.0)
GC_LIVE_SHARE = env.float("MOTHERLODE_GC_LIVE_SHARE", 0.5)
# Read where images are decoded (`blobs.kinds`), in processes without Django too; here it is only checked.
MAX_IMAGE_PIXELS = env.int("MOTHERLODE_MAX_IMAGE_PIXELS", PIXELS_DEFAULT)
if not PIXELS_RANGE[0] <= MAX_IMAGE_PIXELS <= PIXELS_RANGE[1]:
    raise ImproperlyConfigured(f"MOTHERLODE_MAX_IMAGE_PIXELS must be from {PIXELS_RANGE[0]:,} to {PIXELS_RANGE[1]:,}.")
# Images that a shard scores: lower it for large images or a slow model, so that more workers share one pool.
SHARD_SAMPLES = env.int("MOTHERLODE_SHARD_SAMPLES", 10_000)
if SHARD_SAMPLES < 1:
    raise ImproperlyConfigured("MOTHERLODE_SHARD_SAMPLES must be at least 1.")
COMPUTE_SLOTS = env.int("MOTHERLODE_COMPUTE_SLOTS", 2)
PROGRAM_THREADS = env.int("MOTHERLODE_PROGRAM_THREADS", 1)
# Programs that import torch are forked from a process that has it loaded (`jobs.preloading`).
PRELOAD_PROGRAMS = env.bool("MOTHERLODE_PRELOAD_PROGRAMS", True)
# Limits of one program that a worker starts (`worker_programs.confinement`): bytes of memory, seconds, bytes written.
PROGRAM_MEMORY = env.int("MOTHERLODE_PROGRAM_MEMORY", usual_memory(COMPUTE_SLOTS))
PROGRAM_SECONDS = env.float("MOTHERLODE_PROGRAM_SECONDS", 6 * 3600.0)
TRAINING_SECONDS = env.float("MOTHERLODE_TRAINING_SECONDS", 7 * 24 * 3600.0)
PROGRAM_OUTPUT = env.int("MOTHERLODE_PROGRAM_OUTPUT", 16 << 30)
# How long the web waits for a model's answer to a request.
PREDICT_SECONDS = env.float("MOTHERLODE_PREDICT_SECONDS", 60.0)

# -- uploads: all files of a request in one temporary file beyond 1 MiB, never read whole into memory --
FILE_UPLOAD_HANDLERS = ["core.uploads.SpooledUploads"]
DATA_UPLOAD_MAX_MEMORY_SIZE = 64 << 20
DATA_UPLOAD_MAX_NUMBER_FILES = 20_000
DATA_UPLOAD_MAX_NUMBER_FIELDS = 20_000
# Hosts that images may be fetched from by URL, and private networks that are allowed for it; none: off.
IMPORT_HOSTS = env.list("MOTHERLODE_IMPORT_HOSTS", default=[])

# -- sessions: the browser's own, same site only --
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
CSRF_FAILURE_VIEW = "core.problems.csrf_failure"
# -- signing in with an identity provider (OpenID Connect); without an issuer: with tokens alone --
OIDC_ISSUER = plain_url("MOTHERLODE_OIDC_ISSUER", env.str("MOTHERLODE_OIDC_ISSUER", ""))
OIDC_CLIENT_ID = env.str("MOTHERLODE_OIDC_CLIENT_ID", "")
OIDC_CLIENT_SECRET = env.str("MOTHERLODE_OIDC_CLIENT_SECRET", "")
if OIDC_ISSUER and not (OIDC_CLIENT_ID and OIDC_CLIENT_SECRET):
    raise ImproperlyConfigured("MOTHERLODE_OIDC_ISSUER needs MOTHERLODE_OIDC_CLIENT_ID and _CLIENT_SECRET too.")
_issuer = urlsplit(OIDC_ISSUER)
if OIDC_ISSUER and _issuer.scheme != "https" and _issuer.hostname not in {"127.0.0.1", "localhost", "::1"}:
    raise ImproperlyConfigured("MOTHERLODE_OIDC_ISSUER must begin with https://, unless it is on this machine.")
OIDC_NAME = env.str("MOTHERLODE_OIDC_NAME", "") or _issuer.hostname or ""
# The role, and its project, for people whom nobody added; none: they are refused.
OIDC_NEW_ROLE = env.str("MOTHERLODE_OIDC_NEW_ROLE", "")
if OIDC_NEW_ROLE not in {"", *ROLES} - {"owner"}:
    raise ImproperlyConfigured("MOTHERLODE_OIDC_NEW_ROLE must be viewer, annotator, reviewer or engineer, or empty.")
OIDC_NEW_PROJECT = env.str("MOTHERLODE_OIDC_NEW_PROJECT", "")
# Roles by the provider's groups: `{"group": "role", "other": ["project:role"]}`; none: roles are given only here.
try:
    OIDC_GROUPS = read_group_roles(env.str("MOTHERLODE_OIDC_GROUPS", ""))
except ValueError as error:
    raise ImproperlyConfigured(f"MOTHERLODE_OIDC_GROUPS: {error}") from error
OIDC_GROUPS_CLAIM = env.str("MOTHERLODE_OIDC_GROUPS_CLAIM", "") or "groups"
OIDC_SESSION_HOURS = env.float("MOTHERLODE_OIDC_SESSION_HOURS", 12.0)
SESSION_COOKIE_AGE = 30 * 24 * 3600
# After so many wrong tokens, or secrets of one webhook, an address waits: a minute, then longer, at most this many
# seconds; 0 tries: it never waits.
SIGN_IN_TRIES = env.int("MOTHERLODE_SIGN_IN_TRIES", 10)
SIGN_IN_WAIT = env.int("MOTHERLODE_SIGN_IN_WAIT", 900)
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

# -- the web application, built by Vite, which hashes its file names itself --
STATIC_URL = "/static/"
FRONTEND_DIST = BASE_DIR / "frontend" / "dist"
STATICFILES_DIRS = [FRONTEND_DIST] if FRONTEND_DIST.is_dir() else []
STATIC_ROOT = VAR_DIR / "static"
FILE_UPLOAD_PERMISSIONS = None  # by the umask
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedStaticFilesStorage"},
}
WHITENOISE_IMMUTABLE_FILE_TEST = r"^.+/assets/.+-[0-9A-Za-z_-]{8}\.\w+$"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.authentication.TokenAuthentication",
        "accounts.authentication.BrowserSession",
    ],
    "DEFAULT_PERMISSION_CLASSES": [
        "accounts.permissions.HasRole",
        "jobs.lifecycle.guard.WritesNothingArchived",
    ],
    "DEFAULT_RENDERER_CLASSES": ["core.rendering.OrjsonRenderer"],
    "DEFAULT_PARSER_CLASSES": ["core.rendering.OrjsonParser"],
    "DEFAULT_SCHEMA_CLASS": "config.openapi.Schema",
    "EXCEPTION_HANDLER": "core.problems.exception_handler",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Motherlode",
    "DESCRIPTION": "Active-learning data and model lifecycle: mine, label, commit, train, prove, promote, mine again.",
    "VERSION": VERSION,
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SCHEMA_PATH_PREFIX": "/",
    "ENUM_NAME_OVERRIDES": {
        "TokenScopeEnum": "accounts.models.Scope",
        "LabelSourceEnum": "catalog.models.Label.Source",
        "JobStateEnum": "jobs.models.Job.State",
        "QueueStateEnum": "labeling.models.Queue.State",
        "QueueKindEnum": "labeling.models.Queue.Kind",
        "QueueModeEnum": "labeling.models.Queue.Mode",
        "TaskStateEnum": "labeling.models.Task.State",
        "ReviewStateEnum": "labeling.models.Review.State",
        "ReviewReasonEnum": "labeling.models.Review.Reason",
        "LabelReviewStateEnum": "catalog.serializers.labelling.REVIEW_STATES",
        "RoundStateEnum": "pipelines.models.Round.State",
        "ExportFormatEnum": "catalog.serializers.exports.FORMATS",
        "UploadFormatEnum": "catalog.serializers.commits.UPLOAD_FORMATS",
        "NearDuplicateDecisionEnum": "catalog.intake.ingest.NEAR_DUPLICATES",
        "MapMethodEnum": "maps.models.EmbeddingMap.Method",
        "LakeSourceEnum": "lakes.models.LakePart.Source",
        "SweepStateEnum": "sweeps.models.Sweep.State",
        "TrialStateEnum": "sweeps.models.Trial.State",
        "PipelineStateEnum": "pipelines.serializers.pipelines.PIPELINE_STATES",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "catalog.serializers.filters.add_filter_schema",
        "catalog.serializers.labels.add_label_schemas",
        "config.openapi.add_problem_response",
    ],
    "SERVE_PERMISSIONS": ["rest_framework.permissions.IsAuthenticated"],
}

# -- logs: lines for people, or JSON for programs, which alone has a record of every request --
LOG_FORMAT = env.str("MOTHERLODE_LOG_FORMAT", "line")
if LOG_FORMAT not in {"line", "json"}:
    raise ImproperlyConfigured("MOTHERLODE_LOG_FORMAT must be `line` or `json`.")
LOG_LEVEL = env.str("MOTHERLODE_LOG_LEVEL", "INFO")
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"()": "core.logs.LineFormatter", "format": "%(asctime)s %(levelname)s %(name)s %(message)s"},
        "json": {"()": "core.logs.JsonFormatter"},
    },
    # The process's own stderr: celery turns what is written to `sys.stderr` into records, which end here again.
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "stream": "ext://sys.__stderr__", "formatter": LOG_FORMAT}
    },
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
    "loggers": {
        "dulwich": {"level": "WARNING"},  # it logs every request
        "core.observing": {"level": LOG_LEVEL if LOG_FORMAT == "json" else "WARNING"},
        "_granian": {"handlers": ["stderr"], "propagate": False},
    },
}
# The port at which a worker tells Prometheus of its own host; 0: none (web processes that share its MOTHERLODE_VAR tell
# of it).
WORKER_METRICS_PORT = env.int("MOTHERLODE_WORKER_METRICS_PORT", 0)
# -- notifications: mail to each person who has an address, and a webhook for the team --
_mail = mail_server("MOTHERLODE_SMTP_URL", smtp) if (smtp := env.str("MOTHERLODE_SMTP_URL", "")) else {}
EMAIL_HOST, EMAIL_PORT = _mail.get("EMAIL_HOST", ""), _mail.get("EMAIL_PORT") or 25
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _mail.get("EMAIL_HOST_USER", ""), _mail.get("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS, EMAIL_USE_SSL = _mail.get("EMAIL_USE_TLS", False), _mail.get("EMAIL_USE_SSL", False)
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = env.str("MOTHERLODE_MAIL_FROM", "")
if EMAIL_HOST and not DEFAULT_FROM_EMAIL:
    raise ImproperlyConfigured("MOTHERLODE_MAIL_FROM is missing: set the address that mail comes from.")
NOTIFICATIONS_WEBHOOK = env.str("MOTHERLODE_NOTIFICATIONS_WEBHOOK", "")

# The bearer token with which a scraper may read GET /metrics, as owners may; empty: no scraper.
METRICS_TOKEN = env.str("MOTHERLODE_METRICS_TOKEN", "")
if METRICS_TOKEN and len(METRICS_TOKEN) < 32:
    raise ImproperlyConfigured("MOTHERLODE_METRICS_TOKEN is too short: make one with `openssl rand -hex 32`.")

# -- which class runs which kind of job --
JOB_HANDLERS = {
    "collect": "garbage_collection.handlers.CollectHandler",
    "delete": "jobs.lifecycle.deletion.DeleteHandler",
    "erase": "catalog.erasure.handler.EraseHandler",
    "ingest": "catalog.intake.handlers.IngestHandler",
    "adopt": "catalog.publication.adoption.AdoptHandler",
    "publish": "publishing.handlers.PublishHandler",
    "materialise": "publishing.materialising.MaterialiseHandler",
    "commit": "catalog.intake.handlers.CommitHandler",
    "edit": "catalog.curation.edit_jobs.EditHandler",
    "revert": "catalog.curation.edit_jobs.RevertHandler",
    "near_duplicate_check": "catalog.curation.checking.NearDuplicateCheckHandler",
    "import": "catalog.intake.handlers.ImportHandler",
    "export": "catalog.exports.jobs.ExportHandler",
    "train": "registry.handlers.TrainHandler",
    "adopt_model": "registry.handlers.UploadHandler",
    "join_models": "registry.handlers.EnsembleHandler",
    "prove_precisions": "registry.handlers.PrecisionsHandler",
    "prepare_training": "registry.preparing.PreparingHandler",
    "mine": "mining_jobs.handlers.MineHandler",
    "leak_check": "maps.leak_checks.LeakCheckHandler",
    "backtest": "backtests.handlers.BacktestHandler",
    "map": "maps.handlers.MapHandler",
    "lake_add": "lakes.filling.AddHandler",
    "lake_fill": "lakes.filling.FillHandler",
    "lake_scan": "lakes.handlers.ScanHandler",
    "embed": "similarity.handlers.EmbedHandler",
    "adopt_encoder": "similarity.handlers.EncoderHandler",
    "fetch_encoder": "similarity.handlers.FetchEncoderHandler",
}
# Kinds of jobs that may be resumed after they failed: nothing irreversible follows from their failure, and their inputs
# still exist.
JOB_RETRIED = {
    "train", "mine", "leak_check", "near_duplicate_check", "export", "erase", "delete", "import", "materialise", "map",
    "embed", "lake_scan", "fetch_encoder",
}  # fmt: skip
# Kinds of jobs that store more bytes: none starts in a project at its storage limit (`jobs.storage`). Jobs
# that take in uploads are not among them: their commits state the size.
JOB_STORING = {
    "import", "export", "train", "adopt_model", "join_models", "adopt_encoder", "fetch_encoder", "mine", "embed",
    "backtest", "lake_scan",
}  # fmt: skip
# The phase from which a kind of job can no longer be cancelled.
JOB_NO_RETURN = {"delete": 1}
LIFECYCLE_KINDS = {
    "dataset": "catalog.lifecycle.Datasets",
    "queue": "labeling.lifecycle.Queues",
    "model": "registry.lifecycle.Models",
    "pipeline": "pipelines.lifecycle.Pipelines",
    "backtest": "backtests.lifecycle.Backtests",
    "sweep": "sweeps.lifecycle.Sweeps",
}
# The web application's page for each kind of job: the row that belongs to the job, with the relations to load with it
# (`row__model`; empty for the job itself), and the page's path.
JOB_PAGES = {
    "train": ("run", "/runs/{row.pk}"),
    "mine": ("mining", "/mining/{row.pk}"),
    "backtest": ("backtest", "/backtests/{row.pk}"),
    "join_models": ("", "/models/{row.params[model]}"),
    "adopt_model": ("", "/models/{row.params[model]}"),
    "prove_precisions": ("precisions_of__model", "/models/{row.model.name}/{row.number}"),
    "map": ("embedding_map", "/datasets/{row.dataset_id}/map?map={row.pk}"),
    "lake_add": ("lake_part", "/datasets/{row.dataset_id}/lake"),
    "lake_fill": ("lake_part", "/datasets/{row.dataset_id}/lake"),
    "lake_scan": ("lake_scan", "/datasets/{row.dataset_id}/lake"),
}
# The function that names the samples with certain bytes: for images that a job could not read.
SAMPLE_NAMES = "catalog.reading.keys_of_bytes.named"

# -- the sources of versions that are published as commits: by kind of repository --
PUBLICATION_SOURCES = {
    "datasets": "catalog.publication.source.DatasetSource",
    "models": "registry.publication.ModelSource",
}

# -- the HTTP status of errors raised by code without HTTP; the first match counts --
PROBLEM_STATUS = {
    "blobs.errors.TooManyPixels": 413,
    "blobs.errors.BlobRefused": 400,
    "blobs.errors.StoreUnavailable": 503,
    "blobs.errors.BlobFault": 500,
    "formats.errors.FormatError": 400,
    "versioning.serving.RequestMalformed": 400,
    "versioning.errors.ListingMalformed": 400,
    "versioning.errors.VersioningError": 500,
    "training.extensions.ArchitecturesBrokenError": 503,
}
