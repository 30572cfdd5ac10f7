"""What is kept to find skills, on the admin site."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from skills.admin.look import Look
from skills.models import LayerVector, Passage, PassageTerms, Term, TermDelta


@admin.register(Passage)
class PassageAdmin(Look[Passage]):
    """Passages."""

    list_display = ("skill", "ordinal", "where", "page", "tokens", "start", "end")
    search_fields = ("text", "skill__name")
    list_select_related = ("skill",)

    @admin.display(description=_("headings"))
    def where(self, row: Passage) -> str:
        """The headings above it."""
        return row.heading


@admin.register(LayerVector)
class LayerVectorAdmin(Look[LayerVector]):
    """Vectors, without their numbers."""

    list_display = ("skill", "level", "passage", "space")
    list_filter = ("level", "space")
    search_fields = ("skill__name",)
    list_select_related = ("skill", "passage", "space")
    exclude = ("vector",)


@admin.register(PassageTerms)
class PassageTermsAdmin(Look[PassageTerms]):
    """The words of passages, as hashes."""

    list_display = ("passage", "skill", "key_count")
    search_fields = ("skill__name",)
    list_select_related = ("skill", "passage__skill")
    exclude = ("weights",)

    @admin.display(description=_("keys"))
    def key_count(self, row: PassageTerms) -> int:
        """How many keys its words have."""
        return len(row.keys)


@admin.register(Term)
class TermAdmin(Look[Term]):
    """Document frequencies; hash 0 counts the passages."""

    of_skill = ""
    list_display = ("hash", "df")
    search_fields = ("=hash",)
    ordering = ("-df",)


@admin.register(TermDelta)
class TermDeltaAdmin(Look[TermDelta]):
    """Words not yet counted in."""

    of_skill = ""
    list_display = ("id", "sign")
    list_filter = ("sign",)
