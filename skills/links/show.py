"""Where the links of a text lead for somebody who looks at it."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from django.db.models import Count
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from documents.models import Document
from documents.querysets import visible_folders
from kbsite.accounts.models import User
from kbsite.markdown.links import Target, Written
from skills.links.extract import found_in
from skills.links.resolve import LEAN, Found, resolve
from skills.models import Link, Skill


def links_in(texts: str | Iterable[str], skill: Skill | None, user: User) -> dict[str, Target]:
    """Where the links of ``texts`` lead for ``user``, by key, for ``render(text, links=…)``.

    ``skill`` is the one whose texts they are (None: not saved yet): what its links were found to mean
    stays, also when the target is renamed. What ``user`` may not see is as if it did not exist: an
    editor is offered to write it, for a reader it is plain words. At most seven queries, none without
    links.
    """
    written = found_in(*([texts] if isinstance(texts, str) else texts))
    if not written:
        return {}
    keys = [link.key for link in written]
    kept = _kept(skill, keys, user)
    rest = [key for key in keys if key not in kept.skills and key not in kept.documents]
    found = resolve(rest, skill.folder_id if skill else None, user) if rest else Found()
    skills = {**kept.skills, **found.skills}
    documents = {**kept.documents, **found.documents}
    several = _several(skills, user)
    shown = {key: _to_skill(target, several.get(key, 0)) for key, target in skills.items()}
    shown |= {key: _to_document(document) for key, document in documents.items()}
    broken = [link for link in written if link.key not in shown]
    return shown | _broken(broken, skill, user)


def _kept(skill: Skill | None, keys: list[str], user: User) -> Found:
    """What the skill's links were found to mean when it was written, as far as ``user`` may see it."""
    if skill is None:
        return Found()
    rows = Link.objects.filter(source_id=skill.pk, key__in=keys).values_list(
        "key", "target_id", "document_id"
    )
    targets = {key: target for key, target, _document in rows if target is not None}
    files = {key: document for key, _target, document in rows if document is not None}
    seen = _seen(set(targets.values()), user) if targets else {}
    read = _read(set(files.values()), user) if files else {}
    return Found(
        {key: seen[target] for key, target in targets.items() if target in seen},
        {key: read[document] for key, document in files.items() if document in read},
    )


def _seen(ids: set[uuid.UUID], user: User) -> dict[uuid.UUID, Skill]:
    return Skill.objects.visible_to(user).select_related("folder").only(*LEAN).in_bulk(ids)


def _read(ids: set[uuid.UUID], user: User) -> dict[uuid.UUID, Document]:
    return Document.objects.visible_to(user).only("id", "title", "filename").in_bulk(ids)


def _several(skills: dict[str, Skill], user: User) -> dict[str, int]:
    """How many skills have a name that means one of them, where there is more than one."""
    names = [key for key, skill in skills.items() if key == skill.name_key]
    if not names:
        return {}
    counted = Skill.objects.visible_to(user).filter(name_key__in=names).order_by().values("name_key")
    rows = counted.annotate(n=Count("pk")).filter(n__gt=1)
    return {row["name_key"]: row["n"] for row in rows}


def _to_skill(skill: Skill, several: int) -> Target:
    title = ""
    if several:
        title = ngettext(
            "%(n)d skill has this name. This is the one in “%(folder)s”.",
            "%(n)d skills have this name. This is the one in “%(folder)s”.",
            several,
        ) % {"n": several, "folder": skill.folder.shown if skill.folder else _("Unfiled")}
    return Target(reverse("skills:skill", args=[skill.slug]), skill.name, title)


def _to_document(document: Document) -> Target:
    return Target(reverse("documents:document", args=[document.pk]), document.title or document.filename)


def _broken(links: list[Written], skill: Skill | None, user: User) -> dict[str, Target]:
    if not links or not user.can_edit:
        return {}
    gone = _in_the_trash([link.key for link in links], skill, user)
    return {link.key: _missing(link, link.key in gone) for link in links}


def _in_the_trash(keys: list[str], skill: Skill | None, user: User) -> set[str]:
    """Those whose target is in the trash, and would be seen by ``user`` outside it."""
    if skill is None:
        return set()
    rows = Link.objects.filter(source_id=skill.pk, key__in=keys, target__deleted_at__isnull=False)
    return set(rows.filter(visible_folders(user, "target__folder_id")).values_list("key", flat=True))


def _missing(link: Written, is_in_trash: bool) -> Target:
    if is_in_trash:
        return Target("", title=_("This skill is in the trash."), broken=True)
    if link.key.startswith("sk://"):
        return Target("", title=_("There is nothing at this address."), broken=True)
    href = f"{reverse('skills:new')}?{urlencode({'name': link.label[:100]})}"
    return Target(href, title=_("No skill of that name. Write it."), broken=True)
