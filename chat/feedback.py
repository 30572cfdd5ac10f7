"""What readers think of answers."""

from __future__ import annotations

from django.utils import timezone
from django.utils.translation import gettext as _

from chat.models import Feedback, Message
from kbsite.exceptions import InvalidInput
from kbsite.text import storable


def rate(answer: Message, rating: str, comment: str = "") -> Feedback | None:
    """Keep what the reader thinks of ``answer``, in place of what they thought before.

    An empty ``rating`` takes it back. Raises InvalidInput for a word that is no rating, and
    for a question.
    """
    if answer.role != Message.Role.ASSISTANT:
        raise InvalidInput(_("Only answers can be rated."))
    if not rating:
        Feedback.objects.filter(message=answer).delete()
        return None
    if rating not in Feedback.Rating.values:
        raise InvalidInput(_("An answer is helpful, inaccurate or incomplete."), code="unknown_rating")
    feedback, _made = Feedback.objects.update_or_create(
        message=answer,
        defaults={"rating": rating, "comment": storable(comment)[:4000], "at": timezone.now()},
    )
    return feedback
