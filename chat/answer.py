"""Asking: a question becomes two messages and a running answer; it can be stopped and asked again."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from chat import saving
from chat.journal import draft_of
from chat.models import Conversation, Message
from chat.places import checked
from chat.rows import hang_up
from chat.runner import LOOK_SECONDS, STALE_AFTER, runner
from chat.titles import trimmed
from kbsite.accounts.models import User
from kbsite.exceptions import Conflict, InvalidInput, NotFound
from kbsite.text import storable

LONGEST_QUESTION = 20_000
MOST_RUNNING = 10  # answers of one person at a time


def ask(
    user: User,
    question: str,
    conversation: Conversation | None = None,
    scope: Mapping[str, Any] | None = None,
    token: uuid.UUID | None = None,
) -> Message:
    """Ask ``question`` and return the answer, which is streaming.

    Without ``conversation`` a new one begins. ``scope`` ({folder_id?, document_ids?}) narrows
    where is looked, from now on; None leaves it. The same ``token`` from the same person gives
    the answer of the first time. Raises InvalidInput for an empty or overlong question or a
    scope that is not there, Conflict while the conversation's last answer still runs or ten others do.
    """
    text = storable(question).strip()
    if not text:
        raise InvalidInput(_("Write a question first."), code="empty_question")
    if len(text) > LONGEST_QUESTION:
        raise InvalidInput(
            _("This question is too long: at most %(n)s characters. Add long texts as documents.")
            % {"n": LONGEST_QUESTION},
            code="too_long",
        )
    place = checked(scope, user) if scope is not None else None
    key = uuid.uuid5(user.pk, str(token)) if token else None
    if key and (twin := _answer_to(key)):
        return twin
    try:
        answer = _written(user, text, conversation, place, key)
    except IntegrityError:
        if key and (twin := _answer_to(key)):
            return twin
        raise
    transaction.on_commit(lambda: runner.start(answer.pk, user))
    return answer


@transaction.atomic
def _written(
    user: User,
    text: str,
    conversation: Conversation | None,
    scope: dict[str, Any] | None,
    token: uuid.UUID | None,
) -> Message:
    _refuse_too_many(user)
    if conversation is None:
        conversation = Conversation.objects.create(
            user=user, title=trimmed(text), scope=scope or {}, narrowed_to=user.narrowed_to
        )
    else:
        conversation = _free(conversation, user)
        conversation.title = conversation.title or trimmed(text)
        conversation.scope = conversation.scope if scope is None else scope
        conversation.updated_at = timezone.now()
        conversation.save(update_fields=["title", "scope", "updated_at"])
    question = Message.objects.create(
        conversation=conversation, role=Message.Role.USER, content=text, token=token
    )
    return _begun(question)


def _refuse_too_many(user: User) -> None:
    running = Message.objects.filter(conversation__user=user, status=Message.Status.STREAMING)
    if running.count() >= MOST_RUNNING:
        sentence = _("Ten of your questions are being answered already. Wait for one of them, or stop it.")
        raise Conflict(sentence, code="too_many")


def _begun(question: Message) -> Message:
    return Message.objects.create(
        conversation=question.conversation,
        question=question,
        role=Message.Role.ASSISTANT,
        status=Message.Status.STREAMING,
        heartbeat_at=timezone.now(),
    )


def _free(conversation: Conversation, user: User) -> Conversation:
    """The conversation, locked, once nothing runs in it."""
    locked = Conversation.objects.visible_to(user).select_for_update().filter(pk=conversation.pk).first()
    if locked is None:
        raise NotFound(_("There is no such conversation."))
    sweep(conversation=locked)
    if locked.messages.filter(status=Message.Status.STREAMING).exists():
        raise Conflict(
            _("The last answer is still being written. Stop it, or wait for it."), code="answering"
        )
    return locked


def _answer_to(token: uuid.UUID) -> Message | None:
    return Message.objects.filter(question__token=token, superseded=False).first()


def wait(answer: Message, seconds: float) -> Message:
    """The answer once it is saved, or as it is after ``seconds``. No connection is held meanwhile."""
    deadline = time.monotonic() + seconds
    hang_up()
    runner.wait(answer.pk, seconds)
    answer.refresh_from_db()
    while answer.status == Message.Status.STREAMING and time.monotonic() < deadline:
        hang_up()
        time.sleep(LOOK_SECONDS)  # it runs in another process
        sweep(pk=answer.pk)
        answer.refresh_from_db()
    return answer


def stop(answer: Message) -> None:
    """End a running answer, in whatever process it runs; what has come is kept.

    Returns at once; the message's status follows within a second. A finished answer stays as
    it is.
    """
    Message.objects.filter(pk=answer.pk, status=Message.Status.STREAMING).update(stop_requested=True)
    runner.stop(answer.pk)


def regenerate(user: User, answer: Message) -> Message:
    """Ask the same question again and return the new answer, which is streaming.

    The old one is superseded. Raises Conflict while an answer of the conversation runs.
    """
    with transaction.atomic():
        _free(answer.conversation, user)
        question = answer.question
        if question is None:
            raise InvalidInput(_("Only an answer can be asked again."))
        Message.objects.filter(question=question).update(superseded=True)
        fresh = _begun(question)
    transaction.on_commit(lambda: runner.start(fresh.pk, user))
    return fresh


def sweep(*, now: datetime | None = None, **only: object) -> int:
    """Close answers whose process has died as interrupted, with what had come; how many there were.

    ``only`` narrows it to some messages, as in ``filter()``.
    """
    stale = (now or timezone.now()) - STALE_AFTER
    running = Message.objects.filter(status=Message.Status.STREAMING, heartbeat_at__lt=stale, **only)
    return sum(saving.interrupt(pk, draft_of(pk)) for pk in running.values_list("pk", flat=True))
