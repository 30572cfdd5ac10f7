"""What beat asks of the chat."""

from __future__ import annotations

from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from chat.answer import sweep
from chat.conversations import purge
from chat.models import Event, Message

EVENTS_KEPT = timedelta(hours=1)


@shared_task(name="chat.sweep")
def sweep_chat() -> None:
    """Close answers whose process died; drop frames nobody resumes from, and deleted conversations."""
    sweep()
    old = Event.objects.filter(at__lt=timezone.now() - EVENTS_KEPT)
    old.exclude(message__status=Message.Status.STREAMING).delete()
    purge()
