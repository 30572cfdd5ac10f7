"""What is kept to find skills: passages, vectors and words."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.utils.translation import gettext_lazy as _
from pgvector.django import HalfVectorField, SparseVectorField

from kbsite.ids import new_id
from kbsite.llm.models import EmbeddingSpace
from skills.models.skill import Skill
from skills.querysets import LayerVectorQuerySet, PassageTermsQuerySet

TERM_SPACE = 1_000_000_000


class Passage(models.Model):
    """A stretch of L2 of at most 300 tokens: ``content[start:end]``, in characters.

    ``prefix`` is what it needs to be read alone: a fence's opening line, a table's header.
    ``digest`` is of the text that was indexed; a passage whose digest stays keeps its vectors.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    skill = models.ForeignKey(Skill, on_delete=models.CASCADE, related_name="passages")
    ordinal = models.PositiveIntegerField()
    text = models.TextField()
    prefix = models.TextField(blank=True)
    digest = models.CharField(max_length=32, blank=True)
    heading_path = ArrayField(models.TextField(), default=list)
    page = models.PositiveIntegerField(null=True, blank=True)
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    tokens = models.PositiveIntegerField()

    class Meta:
        verbose_name = _("passage")
        verbose_name_plural = _("passages")
        ordering = ["skill", "ordinal"]
        indexes = [models.Index(fields=["skill", "ordinal"], name="passage_in_order")]

    def __str__(self) -> str:
        return f"{self.skill} #{self.ordinal}"

    @property
    def heading(self) -> str:
        """The headings above it, from the top, joined by “ › ”."""
        return " › ".join(self.heading_path)


class ListText(models.Model):
    """A skill's name, description, abstract and tags in capitals: where lists look for words.

    A trigger keeps it, whoever writes. It is apart from the skill's own row so that moving or using
    a skill does not write its trigrams again.
    """

    skill = models.OneToOneField(Skill, on_delete=models.CASCADE, primary_key=True, related_name="list_text")
    text = models.TextField()

    class Meta:
        verbose_name = _("text for lists")
        verbose_name_plural = _("texts for lists")
        indexes = [GinIndex(fields=["text"], opclasses=["gin_trgm_ops"], name="list_text_words")]

    def __str__(self) -> str:
        return self.text[:100]


class LayerVector(models.Model):
    """One embedded text: level 0 an abstract, 1 a window of an overview, 2 a passage.

    Narrow on purpose; each space has its own partial HNSW index per level.
    """

    class Level(models.IntegerChoices):
        ABSTRACT = 0, _("abstract")
        OVERVIEW = 1, _("overview")
        PASSAGE = 2, _("passage")

    space = models.ForeignKey(EmbeddingSpace, on_delete=models.CASCADE, related_name="+")
    skill = models.ForeignKey(Skill, on_delete=models.CASCADE, related_name="vectors")
    passage = models.ForeignKey(Passage, null=True, on_delete=models.CASCADE, related_name="vectors")
    level = models.SmallIntegerField(choices=Level)
    vector = HalfVectorField()

    objects = LayerVectorQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["skill", "level"], name="vector_of_skill")]

    def __str__(self) -> str:
        return f"{self.skill_id} L{self.level}"


class PassageTerms(models.Model):
    """A passage's words, for exact BM25.

    ``weights``: index = term hash in [1, 1e9], value = tf/(tf+K) with the length folded
    into K, so that its inner product with the query's idf is BM25. ``keys``: signed hashes
    for the GIN index that picks candidates.
    """

    passage = models.OneToOneField(Passage, on_delete=models.CASCADE, primary_key=True, related_name="terms")
    skill = models.ForeignKey(Skill, on_delete=models.CASCADE, related_name="terms")
    weights = SparseVectorField(dimensions=TERM_SPACE)
    keys = ArrayField(models.IntegerField())

    objects = PassageTermsQuerySet.as_manager()

    class Meta:
        indexes = [GinIndex(fields=["keys"], name="passage_keys", fastupdate=False)]

    def __str__(self) -> str:
        return str(self.passage_id)


class Term(models.Model):
    """In how many passages a term occurs. Row 0 counts the passages themselves."""

    hash = models.IntegerField(primary_key=True)
    df = models.IntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.hash}: {self.df}"


class TermDelta(models.Model):
    """Passages added (+1) or removed (−1), not yet folded into :class:`Term`.

    Those removed are written by a trigger on :class:`PassageTerms`, whoever deletes there.
    """

    sign = models.SmallIntegerField()
    hashes = ArrayField(models.IntegerField())

    def __str__(self) -> str:
        return f"{self.sign:+d} {len(self.hashes)}"
