"""An answer as it is kept: its text, what was done, and the passages it cites as they were."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from chat import citations
from chat.frames import Draft, Frame
from chat.journal import write
from chat.models import Citation, Conversation, Message
from chat.sources import Source
from kbsite.sent import as_id
from kbsite.text import storable
from skills.models import Skill, SkillUse
from skills.use import record_use


def citation_payload(source: Source) -> dict[str, Any]:
    """A citation as programs get it."""
    plain = source.as_dict()
    names = ("text", "heading", "page", "start", "end")
    return {
        **{k: plain[k] for k in ("n", "skill_id", "document_id", "passage_id", "uri", "title")},
        "passage": {name: plain[name] for name in names},
    }


def citation_of(row: Citation) -> dict[str, Any]:
    """The same of a saved citation."""
    return {
        "n": row.n,
        "skill_id": str(row.skill_id) if row.skill_id else None,
        "document_id": str(row.document_id) if row.document_id else None,
        "passage_id": str(row.passage_id) if row.passage_id else None,
        "uri": row.uri,
        "title": row.title,
        "passage": {
            "text": row.text,
            "heading": row.heading,
            "page": row.page,
            "start": row.start,
            "end": row.end,
        },
    }


@transaction.atomic
def save(
    message_id: UUID,
    status: Message.Status,
    content: str,
    draft: Draft,
    cited: Sequence[Source],
    usage: dict[str, Any],
    latency_ms: int,
    last: Frame,
) -> None:
    """Close a running message together with its last frame, and count the skills that were used.

    A message that was deleted or swept meanwhile is left as it is.
    """
    message = Message.objects.select_for_update().filter(pk=message_id).first()
    if message is None or message.status != Message.Status.STREAMING:
        return
    message.status = status
    message.content = storable(content)
    message.reasoning = storable(draft.reasoning.strip())
    message.steps = [{k: v for k, v in step.items() if k != "id"} for step in draft.steps]
    message.usage = usage
    message.error = last.payload if last.type == "error" else {}
    message.latency_ms = latency_ms
    message.save()
    known = set(Skill.objects.filter(pk__in={s.skill_id for s in cited}).values_list("pk", flat=True))
    Citation.objects.bulk_create(_citation(message, source, source.skill_id in known) for source in cited)
    Conversation.objects.filter(pk=message.conversation_id).update(updated_at=timezone.now())
    write([(message_id, last)])
    read = {
        UUID(s["skill_id"]) for step in draft.steps if step["kind"] == "read" for s in step.get("skills", ())
    }
    record_use(known, SkillUse.Kind.CITED)
    record_use(read - known, SkillUse.Kind.READ)


def _citation(message: Message, source: Source, known: bool) -> Citation:
    return Citation(
        message=message,
        n=source.n,
        skill_id=source.skill_id if known else None,
        document_id=source.document_id,
        passage_id=source.passage_id,
        uri=source.uri,
        title=storable(source.title)[:300],
        text=storable(source.text),
        heading=storable(source.heading),
        page=source.page,
        start=source.start,
        end=source.end,
    )


@transaction.atomic
def interrupt(message_id: UUID, draft: Draft) -> bool:
    """Close a message whose process ends or has died; what has come is kept. Whether it was open."""
    message = Message.objects.select_for_update().filter(pk=message_id).first()
    if message is None or message.status != Message.Status.STREAMING:
        return False
    message.status = Message.Status.INTERRUPTED
    message.content = storable(citations.tidy(draft.content, draft.cited).strip())
    message.reasoning = storable(draft.reasoning.strip())
    message.steps = [{k: v for k, v in step.items() if k != "id"} for step in draft.steps]
    message.save()
    sources = [_source(payload) for payload in draft.cited.values()]
    known = set(Skill.objects.filter(pk__in={s.skill_id for s in sources}).values_list("pk", flat=True))
    Citation.objects.bulk_create(_citation(message, source, source.skill_id in known) for source in sources)
    return True


def _source(payload: dict[str, Any]) -> Source:
    passage = payload["passage"]
    return Source(
        n=payload["n"],
        skill_id=UUID(payload["skill_id"]),
        document_id=as_id(payload["document_id"]),
        passage_id=as_id(payload["passage_id"]),
        uri=payload["uri"],
        title=payload["title"],
        text=passage["text"],
        heading=passage["heading"],
        page=passage["page"],
        start=passage["start"],
        end=passage["end"],
    )
