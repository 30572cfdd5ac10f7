"""A conversation as the page shows it: turns with their answers, steps and sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils.safestring import SafeString

from chat import steps
from chat.frames import Draft
from chat.journal import draft_of
from chat.models import Conversation, Message
from chat.stream import interrupted
from kbsite.llm.models import Purpose, PurposeModel
from kbsite.markdown import render

TURNS = 30


def source_url(conversation_id: UUID, message_id: UUID, n: int) -> str:
    """The page with that source open."""
    page = reverse("chat:conversation", args=[conversation_id])
    return f"{page}?answer={message_id}&source={n}#source-{n}"


@dataclass
class AnswerView:
    """An answer, running or saved. ``numbers`` are the sources it may cite."""

    message: Message
    content: str
    reasoning: str
    step_rows: Sequence[Mapping[str, Any]]
    numbers: Sequence[int]
    error: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, message: Message) -> AnswerView:
        """The view of a saved answer, or of a running one as far as it has come."""
        if message.status == Message.Status.STREAMING:
            return cls.of_draft(message, draft_of(message.pk))
        numbers = [row.n for row in message.citations.all()]
        error = message.error
        if message.status == Message.Status.INTERRUPTED:
            error = interrupted()
        return cls(message, message.content, message.reasoning, message.steps, numbers, error)

    @classmethod
    def of_draft(cls, message: Message, draft: Draft) -> AnswerView:
        """The view of what has come so far."""
        return cls(message, draft.content, draft.reasoning, draft.steps, list(draft.cited))

    @property
    def is_running(self) -> bool:
        """Whether more comes."""
        return self.message.status == Message.Status.STREAMING

    def links(self) -> dict[int, str]:
        """Where each number leads."""
        ids = self.message.conversation_id, self.message.pk
        return {n: source_url(*ids, n) for n in self.numbers}

    @cached_property
    def html(self) -> SafeString:
        """The answer rendered and cleaned."""
        return render(self.content, citations=self.links(), prefix=f"m{self.message.pk.hex[-6:]}-")

    @property
    def summary(self) -> str:
        """What was done, in a line."""
        seconds = None if self.message.latency_ms is None else self.message.latency_ms / 1000
        return steps.summary(self.step_rows, seconds, bool(self.content))

    @property
    def now(self) -> str:
        """What goes on."""
        return steps.now(self.step_rows, bool(self.content))

    @property
    def step_sentences(self) -> list[str]:
        """Each step in a sentence."""
        return [steps.sentence(step) for step in self.step_rows]

    @property
    def sources_url(self) -> str:
        """The page with the sources of this answer beside it."""
        page = reverse("chat:conversation", args=[self.message.conversation_id])
        return f"{page}?answer={self.message.pk}"

    @property
    def rating(self) -> str:
        """What its reader thought of it, or nothing."""
        feedback = getattr(self.message, "feedback", None)
        return feedback.rating if feedback else ""


@dataclass(frozen=True)
class TurnView:
    """A question and its answer."""

    question: Message
    answer: AnswerView | None
    is_first: bool = False


def turns(conversation: Conversation, before: UUID | None = None) -> tuple[list[TurnView], UUID | None]:
    """The newest turns in order (those before a question if given), and where earlier ones go on.

    Four queries, whatever their number.
    """
    asked = conversation.messages.filter(role=Message.Role.USER)
    if before is not None:
        asked = asked.filter(pk__lt=before)
    newest = list(asked.order_by("-pk")[: TURNS + 1])
    questions = newest[:TURNS][::-1]
    answers = {
        a.question_id: a
        for a in Message.objects.filter(question__in=questions, superseded=False)
        .select_related("feedback")
        .prefetch_related("citations")
    }
    has_earlier = len(newest) > TURNS
    views = [
        TurnView(q, AnswerView.of(answers[q.pk]) if q.pk in answers else None, not has_earlier and i == 0)
        for i, q in enumerate(questions)
    ]
    return views, questions[0].pk if has_earlier else None


def turn_of(answer: Message) -> TurnView:
    """The one turn that ``answer`` belongs to."""
    question = answer.question
    if question is None:
        raise ValueError(f"{answer.pk} is no answer")
    earlier = Message.objects.filter(
        conversation_id=answer.conversation_id, role=Message.Role.USER, pk__lt=question.pk
    )
    return TurnView(question, AnswerView.of(answer), not earlier.exists())


def has_model() -> bool:
    """Whether a language model is connected; without one answers quote."""
    return PurposeModel.objects.filter(purpose=Purpose.CHAT).exists()
