"""Store: a document's version becomes a skill, or the next state of the skill it already made."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from documents.models import Document, DocumentVersion, IngestRun
from kbsite.exceptions import Conflict
from skills import heart, revisions
from skills.analyze import Layers
from skills.fields import LONGEST_NAME
from skills.models import Revision, Skill, Source
from skills.signals import skill_written
from skills.slugs import free_slug


def short_name(title: str) -> str:
    """A document's title as a skill's name: on one line, at most 100 characters."""
    name = " ".join(title.split()) or _("Untitled")
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1].rstrip() + "…"


@transaction.atomic
def store_version(version: DocumentVersion, layers: Layers) -> Skill:
    """The skill that rests on ``version``, saved with its source and a revision.

    Running it again changes nothing. Raises Conflict when the document was deleted, or a newer
    version of it was stored, meanwhile.
    """
    document = Document.objects.select_for_update(of=("self",)).get(pk=version.document_id)
    if document.deleted_at is not None:
        raise Conflict(_("The document was deleted while it was being read."), code="deleted")
    source = (
        Source.objects.filter(version__document=document, skill__deleted_at=None)
        .select_related("version")
        # What was merged into another keeps its document: that one is read anew, not the target.
        .order_by("-version__number", F("skill__merged_into").asc(nulls_last=True))
        .first()
    )
    if source is None:
        return _create(document, version, layers)
    if source.version.number > version.number:
        raise Conflict(_("A newer version of this document was read already."), code="superseded")
    # Together with what it was merged into, which loses its part: in the order in which a merge holds them.
    both = Q(pk=source.skill_id) | Q(pk__in=Skill.objects.filter(merged=source.skill_id).values("pk"))
    list(Skill.objects.filter(both).held().values_list("pk"))
    skill = Skill.objects.get(pk=source.skill_id)
    if source.version_id == version.pk:
        return _again(skill, layers)
    return _update(skill, document, version, layers)


def _create(document: Document, version: DocumentVersion, layers: Layers) -> Skill:
    name = short_name(document.title)
    skill = Skill(
        slug=free_slug(name),
        name=name,
        type=Skill.Type.DOCUMENT,
        folder_id=document.folder_id,
        tags=document.tags,
        content=version.markdown,
        language=version.language,
        author_id=document.added_by_id,
        status=Skill.Status.PROCESSING,
        abstract=layers.abstract,
        overview=layers.overview,
    )
    _take(skill)
    skill.save(force_insert=True)
    _rest_on(skill, version)
    reason = Revision.READ % {"file": document.filename}
    revisions.record(skill, document.added_by, reason)
    skill_written.send(Skill, skill=skill, user=document.added_by, what="read", was={})
    return skill


def _update(skill: Skill, document: Document, version: DocumentVersion, layers: Layers) -> Skill:
    was = {"content": skill.content}
    skill.content, skill.language = version.markdown, version.language
    _write_layers(skill, layers)
    skill.version += 1
    skill.updated_at = timezone.now()
    _take(skill)
    skill.save()
    Source.objects.filter(skill=skill, version__document=document).delete()
    _rest_on(skill, version)
    reason = Revision.NEW_VERSION % {"n": version.number, "file": document.filename}
    revisions.record(skill, document.added_by, reason)
    skill_written.send(Skill, skill=skill, user=document.added_by, what="version", was=was)
    return skill


def _again(skill: Skill, layers: Layers) -> Skill:
    """An earlier attempt stored it; a person may have changed it since."""
    if not (skill.abstract and skill.overview):
        _write_layers(skill, layers)
    _take(skill)
    skill.save()
    return skill


def _write_layers(skill: Skill, layers: Layers) -> None:
    if not skill.layers_by_hand or not skill.abstract:
        skill.abstract = layers.abstract
    if not skill.layers_by_hand or not skill.overview:
        skill.overview = layers.overview
    skill.layers_stale = False


def _take(skill: Skill) -> None:
    """The ingest run indexes it next; no other worker needs to."""
    heart.make_due(skill)
    skill.index_state = Skill.Index.RUNNING


def _rest_on(skill: Skill, version: DocumentVersion) -> None:
    Source.objects.create(skill=skill, version=version, start=0, end=len(version.markdown))


@transaction.atomic
def store_layers(skill: Skill, layers: Layers) -> bool:
    """Save newly written layers of ``skill``; False when it was saved meanwhile (nothing changes).

    What a person wrote stays; only what is missing of it is filled in.
    """
    row = Skill.objects.filter(pk=skill.pk, deleted_at=None).held().first()
    if row is None or row.version != skill.version:
        return False
    _write_layers(skill, layers)
    skill.save(update_fields=["abstract", "overview", "layers_stale", "language"])
    revisions.record_layers(skill, gettext_noop("Abstract and overview written"))
    return True


def note_failure(run: IngestRun) -> None:
    """After ``run`` failed for good: its skill, if it got that far, says why it can't be found."""
    if run.status != IngestRun.Status.FAILED:
        return
    unfinished = Skill.objects.filter(sources__version=run.version, index_state=Skill.Index.RUNNING)
    unfinished.update(index_state=Skill.Index.FAILED, index_reason=run.reason)


def page_starts(skill: Skill) -> list[int]:
    """Where pages start in the skill's content, in characters; empty where that is not known.

    Known while the content is, or begins with, what was read from its one source.
    """
    sources = list(skill.sources.select_related("version"))
    if len(sources) != 1 or not sources[0].version.page_starts:
        return []
    version = sources[0].version
    return list(version.page_starts) if skill.content.startswith(version.markdown) else []
