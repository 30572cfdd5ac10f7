"""The queue: Celery over PGMQ in the same PostgreSQL, or whatever ``CELERY_BROKER_URL`` names."""

from __future__ import annotations

import os

from celery import Celery
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbsite.settings")

app = Celery("kbsite")
app.conf.update(
    broker_url=settings.CELERY_BROKER_URL or "pgmq://",
    broker_transport_options={}
    if settings.CELERY_BROKER_URL
    else {
        "conn_string": settings.DATABASE_URL,
        "init_extension": False,
        "wait_time_seconds": 2,
        "poll_interval_ms": 50,
        "polling_interval": 0.05,
        "visibility_timeout": 3600,
    },
    task_ignore_result=True,
    task_acks_late=True,
    worker_prefetch_multiplier=1,
    task_default_queue="kb",
    broker_connection_retry_on_startup=True,
    worker_hijack_root_logger=False,
    timezone="UTC",
)
app.autodiscover_tasks()
