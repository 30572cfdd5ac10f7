"""Skills as a zip of Markdown files with front matter, in folders as they lie here."""

from __future__ import annotations

import re
import uuid
import zipfile
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import Any

import yaml
from asgiref.sync import sync_to_async
from django.db.models import QuerySet
from django.db.models.functions import Length
from django.http import HttpResponseBase, StreamingHttpResponse
from django.utils import timezone
from django.utils.http import content_disposition_header

from kbsite.accounts import audit
from kbsite.accounts.models import User
from kbsite.filenames import Names
from kbsite.sent import as_id
from skills.models import Picture, Skill
from skills.paths import Step, paths

BUDGET = 4_000_000  # characters of text in memory at once
MOST_AT_ONCE = 100
PIECE = 1 << 20  # bytes
LONGEST_PATH = 2_000  # bytes of all folders of a path together
MATTER_LIMIT = 60_000  # characters of front matter that our own reader takes
PICTURES = "_pictures"
ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp"}
_PICTURE = re.compile(r"(\]\(\s*<?)/pictures/([0-9a-fA-F-]{36})/")


class _Dumper(yaml.SafeDumper):
    """YAML without aliases, texts of several lines as blocks."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def download(skills: QuerySet[Skill], user: User) -> HttpResponseBase:
    """The answer that carries :func:`export`, as a file to be saved. The audit trail says how many."""
    audit.record(user, "skill.exported", count=_seen(skills, user).count())
    response = StreamingHttpResponse(_pieces(export(skills, user)), content_type="application/zip")
    name = f"skills-{timezone.localdate():%Y-%m-%d}.zip"
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "private, no-store"
    return response


async def _pieces(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    following = sync_to_async(lambda: next(pieces, None))
    while (piece := await following()) is not None:
        yield piece


def export(skills: QuerySet[Skill], user: User) -> Iterator[bytes]:
    """A zip of those of ``skills`` that ``user`` may see, piece by piece; few texts in memory at once.

    Each is ``folder/…/name.md``; pictures they show are in ``_pictures``, links to them point there.
    """
    sink = _Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        writer = _Writer(archive, sink, user)
        for ids in _batches(_seen(skills, user)):
            yield from writer.write(ids)
    yield sink.drain()


def _seen(skills: QuerySet[Skill], user: User) -> QuerySet[Skill]:
    return Skill.objects.visible_to(user).filter(pk__in=skills.values("pk"))


def _batches(skills: QuerySet[Skill]) -> Iterator[list[uuid.UUID]]:
    """Ids in the list's order, so many at a time as fit in memory with their texts."""
    in_order = skills.order_by("folder__place", "priority", "name", "pk")
    batch: list[uuid.UUID] = []
    size = 0
    for skill_id, length in in_order.annotate(length=Length("content")).values_list("pk", "length"):
        if batch and (size + length > BUDGET or len(batch) == MOST_AT_ONCE):
            yield batch
            batch, size = [], 0
        batch.append(skill_id)
        size += length
    if batch:
        yield batch


class _Sink:
    """A file to write to that hands on what was written."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, data: bytes, /) -> int:
        self._pieces.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing is kept back."""

    def close(self) -> None:
        """Nothing is held open."""

    def drain(self) -> bytes:
        """What was written since the last time."""
        data = b"".join(self._pieces)
        self._pieces.clear()
        return data


class _Writer:
    """Writes skills into an archive; remembers which names and pictures it used."""

    def __init__(self, archive: zipfile.ZipFile, sink: _Sink, user: User) -> None:
        self._archive = archive
        self._user = user
        self._sink = sink
        self._folders: dict[tuple[uuid.UUID, ...], tuple[str, Names, Names]] = {}
        self._pictures: dict[uuid.UUID, str] = {}
        self._top = ("", Names(), Names())
        self._top[2].take(PICTURES)

    def write(self, ids: list[uuid.UUID]) -> Iterator[bytes]:
        found = Skill.objects.prefetch_related("pictures").in_bulk(ids)
        places = paths((skill.folder_id for skill in found.values()), self._user)
        for skill in (found[skill_id] for skill_id in ids if skill_id in found):
            steps = places[skill.folder_id]
            folder, files, _folders = self._folder(steps)
            for picture in skill.pictures.all():
                yield from self._picture(picture)
            name = folder + files.take(skill.name, ".md")
            text = front_matter(skill, steps) + self._linked(skill, depth=folder.count("/"))
            with self._archive.open(_member(name, skill.updated_at), "w") as file:
                file.write(text.encode("utf-8", "replace"))
            if piece := self._sink.drain():
                yield piece

    def _folder(self, steps: list[Step]) -> tuple[str, Names, Names]:
        """The folder's path with its slash, and the names of files and folders taken in it."""
        here = self._top
        way: tuple[uuid.UUID, ...] = ()
        longest = max(8, min(120, LONGEST_PATH // max(len(steps), 1)))
        for step in steps:
            way = (*way, step.id)
            if way not in self._folders:
                self._folders[way] = (f"{here[0]}{here[2].take(step.name, '', longest)}/", Names(), Names())
            here = self._folders[way]
        return here

    def _picture(self, picture: Picture) -> Iterator[bytes]:
        """Its bytes, once."""
        if picture.pk in self._pictures:
            return
        try:
            source = picture.file.open("rb")
        except FileNotFoundError:
            return  # The link stays as it is.
        self._pictures[picture.pk] = f"{PICTURES}/{picture.pk}{ENDINGS.get(picture.mime, '')}"
        member = _member(self._pictures[picture.pk], picture.created_at)
        member.compress_type = zipfile.ZIP_STORED
        with source, self._archive.open(member, "w") as file:
            while piece := source.read(PIECE):
                file.write(piece)
                yield self._sink.drain()

    def _linked(self, skill: Skill, depth: int) -> str:
        """The full text with links to its pictures as they lie in the archive."""
        own = {picture.pk for picture in skill.pictures.all()}

        def there(match: re.Match[str]) -> str:
            picture = as_id(match[2])
            known = self._pictures.get(picture) if picture in own else None
            return f"{match[1]}{'../' * depth}{known}" if known else match[0]

        return _PICTURE.sub(there, skill.content)


def front_matter(skill: Skill, steps: list[Step]) -> str:
    """What stands above the text: a YAML block that uploading the file reads again."""
    matter: dict[str, Any] = {
        "title": skill.name,
        "uri": skill.uri,
        "type": str(skill.type),
        "category": str(skill.category),
        "status": str(skill.status),
        "priority": skill.priority,
        "tags": list(skill.tags),
        "path": [step.name for step in steps],
        "description": skill.description,
        "abstract": skill.abstract,
        "overview": skill.overview,
        "created": skill.created_at.astimezone(UTC).isoformat(timespec="seconds"),
        "updated": skill.updated_at.astimezone(UTC).isoformat(timespec="seconds"),
    }
    kept = {name: value for name, value in matter.items() if value not in ("", [])}
    written = _yaml(kept)
    for name in ("overview", "abstract", "description"):
        if len(written) <= MATTER_LIMIT:
            break
        kept.pop(name, None)
        written = _yaml(kept)
    return f"---\n{written}---\n\n"


def _yaml(matter: dict[str, Any]) -> str:
    written: str = yaml.dump(matter, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=10_000)
    return written


def _member(name: str, at: datetime) -> zipfile.ZipInfo:
    moment = max(at.astimezone(UTC), datetime(1980, 1, 1, tzinfo=UTC))
    info = zipfile.ZipInfo(name, moment.timetuple()[:6])
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    return info
