"""The folders a person can choose from when moving something, and what was chosen."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.utils.translation import gettext as _

from documents import folders
from documents.models import Folder
from documents.names import shown_name
from kbsite.accounts.models import User
from kbsite.exceptions import InvalidInput
from kbsite.sent import as_id
from skills.forms import UNFILED
from skills.models import Move

MOST = 50
RECENT = 5
LOOKED_BACK = 50
NEW, NEW_INSIDE = "new:", "inside:"


@dataclass(frozen=True, slots=True)
class Choice:
    """A folder to choose: ``value`` as forms carry it, and the names above it."""

    value: str
    name: str
    above: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Choices:
    """What the picker shows. ``is_part``: more folders fit than are shown. ``new``: a name no folder has."""

    recent: list[Choice]
    folders: list[Choice]
    unfiled: Choice | None
    is_part: bool
    new: str = ""
    inside: Choice | None = None


def choices(user: User, q: str = "", here: uuid.UUID | None = None) -> Choices:
    """The folders whose path has every word of ``q``, best first; all in the tree's order without ``q``.

    At most 50. ``here`` is the folder a new one can be made in. Two queries at most.
    """
    q = " ".join(q.replace("\0", "").split())[: folders.LONGEST_NAME]
    known = _all(user)
    fitting = _fitting(list(known.values()), q) if q else list(known.values())
    unfiled = Choice(UNFILED, _("Unfiled"))
    is_unfiled_shown = user.narrowed_to is None and q.casefold() in unfiled.name.casefold()
    is_new = q and not any(one.name.casefold() == q.casefold() for one in fitting)
    return Choices(
        recent=[] if q else _recent(user, known),
        folders=fitting[:MOST],
        unfiled=unfiled if is_unfiled_shown else None,
        is_part=len(fitting) > MOST,
        new=q if is_new else "",
        inside=known.get(here) if here and is_new and here in _holders(known, user) else None,
    )


def target(user: User, value: str, here: uuid.UUID | None = None) -> uuid.UUID | None:
    """The folder that was chosen, made if it is a new one; None is unfiled.

    Raises InvalidInput when nothing was chosen, and as :func:`documents.folders.create`.
    """
    if value == UNFILED:
        return None
    for prefix, parent in ((NEW_INSIDE, here), (NEW, None)):
        if value.startswith(prefix):
            made: uuid.UUID = folders.create(user, value.removeprefix(prefix), parent_id=parent).pk
            return made
    folder_id = as_id(value)
    if folder_id is None:
        raise InvalidInput(_("Choose a folder."), field="folder")
    return folder_id


def _all(user: User) -> dict[uuid.UUID, Choice]:
    """Every visible folder in the tree's order; one whose parent is closed stands at the top."""
    rows = (
        Folder.objects.visible_to(user).order_by("place").values_list("id", "parent_id", "name", "is_system")
    )
    known: dict[uuid.UUID, Choice] = {}
    for folder_id, parent_id, name, is_system in rows:
        above = known.get(parent_id)
        path = (*above.above, above.name) if above else ()
        known[folder_id] = Choice(str(folder_id), shown_name(name, is_system), path)
    return known


def _fitting(known: list[Choice], q: str) -> list[Choice]:
    whole = q.casefold()
    words = whole.replace("/", " ").split()
    found = []
    for place, one in enumerate(known):
        name = one.name.casefold()
        path = " ".join((*one.above, one.name)).casefold()
        if all(word in path for word in words) and any(word in name for word in words):
            rank = (name != whole, not name.startswith(whole), whole not in name, place)
            found.append((rank, one))
    return [one for _rank, one in sorted(found, key=lambda pair: pair[0])]


def _recent(user: User, known: dict[uuid.UUID, Choice]) -> list[Choice]:
    """Where ``user`` moved things lately, newest first."""
    lately = Move.objects.filter(user=user, undone_at=None).exclude(target=None).order_by("-at")
    ids = dict.fromkeys(lately.values_list("target_id", flat=True)[:LOOKED_BACK])
    return [known[folder_id] for folder_id in ids if folder_id in known][:RECENT]


def _holders(known: dict[uuid.UUID, Choice], user: User) -> set[uuid.UUID]:
    system = Folder.objects.filter(is_system=True).values_list("pk", flat=True)
    return known.keys() - set(system)
