"""What we learned: skills in three layers, what they rest on, their history and relations."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models.functions import Upper
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from documents.faults import SENTENCES
from documents.models import DocumentVersion, Folder
from kbsite.ids import new_id
from kbsite.text import folded, said_again
from skills.querysets import SkillQuerySet

RELATION_WORDS = {
    "duplicate": _("same as"),
    "subset": _("part of"),
    "superset": _("contains"),
    "conflict": _("conflicts"),
    "complement": _("adds to"),
}


class NameKeyField(models.CharField[str, str]):
    """The name, folded for comparing; worked out whenever the skill is saved."""

    def pre_save(self, model_instance: models.Model, add: bool) -> str:
        """The key of the instance's name, also set on it."""
        key = folded(getattr(model_instance, "name", ""))[: self.max_length]
        setattr(model_instance, self.attname, key)
        return key


class Skill(models.Model):
    """Knowledge in three layers: ``abstract`` (L0), ``overview`` (L1), ``content`` (L2).

    ``uri`` is ``sk://skills/{slug}`` and never changes. ``priority``: smaller first. ``folder``
    null means unfiled. ``version`` counts saves, for refusing a lost update. ``layers_stale``: the
    abstract and overview are to be written again before the next indexing. ``trashed_with``: the
    document that took it to the trash and brings it back.
    """

    class Type(models.TextChoices):
        SYSTEM = "system", _("System")
        DOCUMENT = "document", _("Document")
        USER = "user", _("User")

    class Category(models.TextChoices):
        SEARCH = "search", _("Search")
        PROMPT = "prompt", _("Prompt")
        RETRIEVAL = "retrieval", _("Retrieval")
        TOOL = "tool", _("Tool")
        WORKFLOW = "workflow", _("Workflow")
        KNOWLEDGE = "knowledge", _("Knowledge")

    class Status(models.TextChoices):
        PENDING = "pending", _("Pending")
        PROCESSING = "processing", _("Processing")
        APPROVED = "approved", _("Approved")
        CHECKED = "checked", _("Checked")
        REJECTED = "rejected", _("Rejected")

    class Index(models.TextChoices):
        """Whether what can be found is what is written."""

        QUEUED = "queued", _("queued")
        RUNNING = "running", _("running")
        READY = "ready", _("ready")
        FAILED = "failed", _("failed")

    FINDABLE = (Status.APPROVED, Status.CHECKED)

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    slug = models.CharField(max_length=140, unique=True, editable=False)
    name = models.CharField(_("name"), max_length=100)
    name_key = NameKeyField(max_length=300, editable=False, default="", db_default="")
    description = models.TextField(_("description"), blank=True)
    type = models.CharField(_("type"), max_length=8, choices=Type, default=Type.USER)
    category = models.CharField(_("category"), max_length=10, choices=Category, default=Category.KNOWLEDGE)
    abstract = models.TextField(_("abstract"), blank=True)
    overview = models.TextField(_("overview"), blank=True)
    content = models.TextField(_("content"), blank=True)
    language = models.CharField(_("language"), max_length=10, blank=True)
    folder = models.ForeignKey(
        Folder, null=True, blank=True, on_delete=models.SET_NULL, related_name="skills"
    )
    placed_by_hand = models.BooleanField(default=False)
    priority = models.IntegerField(_("priority"), default=100)
    tags = ArrayField(models.CharField(max_length=60), default=list, blank=True)
    trigger_keywords = ArrayField(models.CharField(max_length=100), default=list, blank=True)
    trigger_intents = ArrayField(models.CharField(max_length=200), default=list, blank=True)
    always_apply = models.BooleanField(default=False)
    config = models.JSONField(default=dict, blank=True)
    status = models.CharField(_("status"), max_length=10, choices=Status, default=Status.PENDING)
    is_active = models.BooleanField(_("active"), default=True)
    version = models.PositiveIntegerField(default=1)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    merged_into = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="merged"
    )
    layers_by_hand = models.BooleanField(default=False)
    layers_stale = models.BooleanField(default=False)
    active_count = models.PositiveIntegerField(_("uses"), default=0)
    last_used_at = models.DateTimeField(null=True, blank=True)
    helpful = models.PositiveIntegerField(default=0)
    harmful = models.PositiveIntegerField(default=0)
    index_state = models.CharField(max_length=8, choices=Index, default=Index.QUEUED)
    index_reason = models.TextField(blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)
    deleted_at = models.DateTimeField(null=True, blank=True, editable=False)
    deleted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        editable=False,
    )
    trashed_with = models.UUIDField(null=True, blank=True, editable=False)

    objects = SkillQuerySet.as_manager()

    class Meta:
        verbose_name = _("skill")
        verbose_name_plural = _("skills")
        ordering = ["-updated_at", "-id"]
        indexes = [
            models.Index(fields=["-updated_at", "-id"], name="skill_newest"),
            models.Index(
                fields=["heartbeat_at"],
                condition=models.Q(index_state__in=["queued", "running"]),
                name="skill_open",
            ),
            models.Index(
                fields=["folder", "priority", "name", "id"],
                condition=models.Q(deleted_at=None),
                name="skill_in_order",
            ),
            models.Index(fields=["name", "id"], condition=models.Q(deleted_at=None), name="skill_by_name"),
            # For the numbers in the folder tree; the second one for readers.
            models.Index(
                fields=["folder"],
                condition=models.Q(deleted_at=None) & ~models.Q(type="system"),
                name="skill_counted",
            ),
            models.Index(
                fields=["folder"],
                condition=models.Q(status__in=["approved", "checked"], is_active=True, deleted_at=None)
                & ~models.Q(type="system"),
                name="skill_counted_findable",
            ),
            models.Index(Upper("name"), name="skill_name_upper"),
            # What lists are narrowed by besides words: tags, and the rare states.
            GinIndex(fields=["tags"], name="skill_tags"),
            models.Index(
                fields=["index_state"],
                condition=models.Q(index_state__in=["queued", "running", "failed"]),
                name="skill_not_ready",
            ),
            models.Index(
                fields=["status"],
                condition=models.Q(status__in=["pending", "processing", "rejected"]),
                name="skill_not_found",
            ),
            models.Index(fields=["name_key"], opclasses=["varchar_pattern_ops"], name="skill_name_key"),
            GinIndex(fields=["name_key"], opclasses=["gin_trgm_ops"], name="skill_name_parts"),
            models.Index(
                fields=["-deleted_at", "-id"],
                condition=models.Q(deleted_at__isnull=False),
                name="skill_in_trash",
            ),
            models.Index(
                fields=["trashed_with"],
                condition=models.Q(trashed_with__isnull=False),
                name="skill_trashed_with",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def uri(self) -> str:
        """``sk://skills/{slug}``."""
        return f"sk://skills/{self.slug}"

    @property
    def type_label(self) -> str:
        """The type in the reader's language; quicker on long lists than Django's own."""
        return str(self.Type(self.type).label)

    @property
    def status_label(self) -> str:
        """The status in the reader's language."""
        return str(self.Status(self.status).label)

    @property
    def is_editable(self) -> bool:
        """System skills are read, never changed."""
        return self.type != self.Type.SYSTEM

    @property
    def votes(self) -> int:
        """How many people said whether it helped."""
        return self.helpful + self.harmful

    @property
    def index_why(self) -> str:
        """Why it could not be indexed, in the reader's language."""
        return said_again(self.index_reason, [SENTENCES["went_wrong"], SENTENCES["worker_lost"]])

    @property
    def is_findable(self) -> bool:
        """Whether search may return it."""
        return self.status in self.FINDABLE and self.is_active and self.deleted_at is None


class Source(models.Model):
    """Which part of which document version a skill rests on: characters of its Markdown."""

    skill = models.ForeignKey(Skill, on_delete=models.CASCADE, related_name="sources")
    version = models.ForeignKey(DocumentVersion, on_delete=models.CASCADE, related_name="sources")
    start = models.PositiveIntegerField(default=0)
    end = models.PositiveIntegerField(default=0)

    class Meta:
        verbose_name = _("source")
        verbose_name_plural = _("sources")
        constraints = [models.UniqueConstraint(fields=["skill", "version", "start"], name="one_source_each")]

    def __str__(self) -> str:
        return f"{self.skill} ← {self.version}"


class Revision(models.Model):
    """A skill as it was after a change, by whom and why; any can be restored.

    ``reason`` is kept in English; :attr:`why` is what people read.
    """

    READ = gettext_noop("Read from “%(file)s”")
    NEW_VERSION = gettext_noop("Version %(n)d of “%(file)s”")
    RESTORED = gettext_noop("Revision %(n)d restored")
    MERGED = gettext_noop("“%(name)s” merged into it")
    UNMERGED = gettext_noop("“%(name)s” taken out again")
    SHIPPED = gettext_noop("Shipped with version %(version)s")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    skill = models.ForeignKey(Skill, on_delete=models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    reason = models.CharField(_("reason"), max_length=200)
    snapshot = models.JSONField(default=dict)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("revision")
        verbose_name_plural = _("revisions")
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["skill", "number"], name="one_of_each_revision")]

    def __str__(self) -> str:
        return f"{self.skill} r{self.number}"

    @property
    def why(self) -> str:
        """The reason, in the reader's language."""
        known = (self.READ, self.NEW_VERSION, self.RESTORED, self.SHIPPED, self.MERGED, self.UNMERGED)
        return said_again(self.reason, known)


class Relation(models.Model):
    """A directed, typed relation; always written both ways.

    ``type`` is duplicate, subset, superset, conflict, complement or a new lower_snake word.
    """

    source = models.ForeignKey(Skill, on_delete=models.CASCADE, related_name="relations")
    target = models.ForeignKey(Skill, on_delete=models.CASCADE, related_name="related_from")
    type = models.CharField(_("type"), max_length=40, db_index=True)
    reason = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("relation")
        verbose_name_plural = _("relations")
        constraints = [
            models.UniqueConstraint(fields=["source", "target", "type"], name="one_relation_each"),
            models.CheckConstraint(
                condition=~models.Q(source=models.F("target")), name="no_relation_to_itself"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source} {self.type} {self.target}"

    @property
    def type_word(self) -> str:
        """The type in the reader's language; a new one with its underscores as blanks."""
        return str(RELATION_WORDS.get(self.type) or self.type.replace("_", " "))
