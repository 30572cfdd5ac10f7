"""Making the database and the files ready for this version of the code, at every start."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from typing import Any

import psycopg
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from pgmq.install import get_embedded_install_sql, get_embedded_sql_version

from kbsite import catalogues
from kbsite.celery import QUEUE
from kbsite.quick_setup.first_admin import ensure_first_admin
from kbsite.start import CannotStart
from skills.system.load import load

log = logging.getLogger(__name__)

LOCK = 0x6B62_7072
OLDEST_POSTGRESQL = 16
OLDEST_VECTOR = (0, 8)


def prepare() -> None:
    """Run every step; each does nothing when its work is done already.

    Two processes that start at once, on one machine or on several, take turns.
    """
    with _connect() as turn:
        turn.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        for step in STEPS:
            step()
    connection.close()


def check_database() -> None:
    """Raises :class:`CannotStart` when the database is too old or has no pgvector."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('server_version_num')::int, current_setting('server_version'),"
            " (SELECT default_version FROM pg_available_extensions WHERE name = 'vector')"
        )
        number, version, vector = cursor.fetchone()
    if number < OLDEST_POSTGRESQL * 10000:
        raise CannotStart(
            f"The database is PostgreSQL {version}; Skill-Know needs {OLDEST_POSTGRESQL} or later."
        )
    if vector is None or tuple(int(part) for part in vector.split(".")[:2]) < OLDEST_VECTOR:
        raise CannotStart(
            f"The database has pgvector {vector or 'not at all'}; Skill-Know needs "
            f"{'.'.join(map(str, OLDEST_VECTOR))} or later. Install it on the database server."
        )


def migrate() -> None:
    """Bring the tables up to this version of the code."""
    executor = MigrationExecutor(connection)
    pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if pending:
        log.info("Bringing the database up to date: %d migrations.", len(pending))
        call_command("migrate", interactive=False, verbosity=0)


def prepare_queue() -> None:
    """Have PGMQ of the bundled version, and our queue, in the database.

    PGMQ's SQL can't upgrade itself. The queue carries nothing but the ids of rows, and the sweep
    sends those again, so another version is laid anew. A PGMQ extension is left alone.
    """
    if settings.CELERY_BROKER_URL:
        return
    version = f"skill-know {get_embedded_sql_version()}"
    with psycopg.connect(settings.DATABASE_URL) as link:
        extension = link.execute("SELECT 1 FROM pg_extension WHERE extname = 'pgmq'").fetchone()
        noted = link.execute(
            "SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = 'pgmq'"
        ).fetchone()
        if not extension and (noted is None or noted[0] != version):
            link.execute("DROP SCHEMA IF EXISTS pgmq CASCADE")
            link.execute(get_embedded_install_sql().encode())
            link.execute(f"COMMENT ON SCHEMA pgmq IS '{version}'".encode())
        known = link.execute("SELECT 1 FROM pgmq.meta WHERE queue_name = %s", [QUEUE]).fetchone()
        if not known:
            link.execute("SELECT pgmq.create(%s)", [QUEUE])


def load_system_skills() -> None:
    """Have the skills that ship with this version in the database; a worker indexes what changed."""
    load()


def _connect() -> psycopg.Connection[tuple[Any, ...]]:
    try:
        return psycopg.connect(settings.DATABASE_URL, autocommit=True, connect_timeout=10)
    except psycopg.OperationalError as error:
        raise CannotStart(
            f"The database does not answer: {error}\nCheck DATABASE_URL, or unset it to use the embedded one."
        ) from error


def collect_static() -> None:
    """Gather static files in ``KB_HOME/static`` when any has changed since the last time."""
    seen = hashlib.sha256()
    for finder in get_finders():
        for path, storage in finder.list([]):
            seen.update(f"{path}\0{storage.get_modified_time(path)}\0{storage.size(path)}\n".encode())
    stamp = settings.STATIC_ROOT.with_suffix(".stamp")
    if stamp.exists() and stamp.read_text(encoding="ascii") == seen.hexdigest():
        return
    call_command("collectstatic", interactive=False, verbosity=0)
    stamp.write_text(seen.hexdigest(), encoding="ascii")


def compile_catalogues() -> None:
    """Compile translations that are newer than their compiled form."""
    catalogues.compile_all()


STEPS: tuple[Callable[[], None], ...] = (
    check_database,
    migrate,
    prepare_queue,
    ensure_first_admin,
    load_system_skills,
    compile_catalogues,
    collect_static,
)
