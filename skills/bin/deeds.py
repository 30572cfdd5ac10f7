"""What is done with things in the trash: brought back, or deleted for good."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from documents import folder_trash, purge, trash
from kbsite.accounts.auth import require
from kbsite.accounts.models import User
from kbsite.exceptions import KnowledgeError, NotFound
from skills.bin.contents import Kind
from skills.bin.purge import delete_skill
from skills.trash import undelete_skill

Thing = tuple[Kind, uuid.UUID]


@dataclass
class Done:
    """How a deed on several things went: ``sentences`` of those that went well, and ``faults``."""

    sentences: list[str] = field(default_factory=list)
    faults: dict[uuid.UUID, str] = field(default_factory=dict)

    def sentence(self, many: Callable[[int], str]) -> str:
        """One sentence for people: of one thing its own, of several ``many(how many)``."""
        if len(self.sentences) == 1:
            return self.sentences[0]
        return many(len(self.sentences)) if self.sentences else ""


def restore(things: Iterable[Thing], user: User) -> Done:
    """Bring things back, each by itself: one that is gone keeps no other. Raises NotAllowed."""
    require(user, "edit")
    return _each(
        things, user, {"skill": _restore_skill, "document": _restore_document, "folder": _restore_folder}
    )


def delete_for_good(things: Iterable[Thing], user: User) -> Done:
    """Delete things that are in the trash for good, each by itself. Raises NotAllowed."""
    require(user, "curate")
    deeds = {"skill": delete_skill, "document": purge.delete_document, "folder": purge.delete_folder}

    def saying(deed: Callable[[uuid.UUID, User], None]) -> Callable[[uuid.UUID, User], str]:
        def done(thing_id: uuid.UUID, user: User) -> str:
            deed(thing_id, user)
            return _("It is deleted for good.")

        return done

    return _each(things, user, {kind: saying(deed) for kind, deed in deeds.items()})


def back_sentence(many: int) -> str:
    """What is said when several things came back."""
    return ngettext("%d thing is back.", "%d things are back.", many) % many


def gone_sentence(many: int) -> str:
    """What is said when several things are gone for good."""
    return ngettext("%d thing is deleted for good.", "%d things are deleted for good.", many) % many


def _each(things: Iterable[Thing], user: User, deeds: dict[str, Callable[[uuid.UUID, User], str]]) -> Done:
    done = Done()
    for kind, thing_id in dict.fromkeys(things):
        if kind not in deeds:
            raise NotFound(_("The trash holds skills, documents and folders."))
        try:
            done.sentences.append(deeds[kind](thing_id, user))
        except KnowledgeError as error:
            done.faults[thing_id] = str(error)
    return done


def _restore_skill(skill_id: uuid.UUID, user: User) -> str:
    skill = undelete_skill(skill_id, user)
    return _("“%(name)s” is back.") % {"name": skill.name}


def _restore_document(document_id: uuid.UUID, user: User) -> str:
    document = trash.find(document_id, user)
    trash.restore_document(document, user)
    return _("“%(name)s” is back.") % {"name": document.filename}


def _restore_folder(deletion_id: uuid.UUID, user: User) -> str:
    return folder_trash.restore(deletion_id, user).sentence()
