"""What is said after something was done to many skills."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from skills.bulk.selection import Selection
from skills.moves import Undone


def moved(count: int, folder: str) -> str:
    """How many skills are in another folder now."""
    if not count:
        return _("They are in “%(folder)s” already.") % {"folder": folder}
    said = ngettext("%(n)s skill moved to “%(folder)s”.", "%(n)s skills moved to “%(folder)s”.", count)
    return said % {"n": count, "folder": folder}


def retagged(count: int) -> str:
    """How many skills have other tags now."""
    return ngettext("%(n)s skill has new tags.", "%(n)s skills have new tags.", count) % {"n": count}


def prioritised(count: int, priority: int) -> str:
    """How many skills have another priority now."""
    said = ngettext(
        "%(n)s skill has priority %(priority)s.", "%(n)s skills have priority %(priority)s.", count
    )
    return said % {"n": count, "priority": priority}


def decided(count: int, status: str) -> str:
    """How many skills have another status now; ``status`` is its label."""
    said = ngettext("%(n)s skill: %(status)s.", "%(n)s skills: %(status)s.", count)
    return said % {"n": count, "status": status.lower()}


def deleted(count: int) -> str:
    """How many skills are in the trash now."""
    said = ngettext("%(n)s skill is in the trash.", "%(n)s skills are in the trash.", count)
    return said % {"n": count}


def undone(what: Undone) -> str:
    """How many are as they were, and how many are not."""
    said = ngettext("%(n)s is as it was.", "%(n)s are as they were.", what.count) % {"n": what.count}
    if not what.stayed:
        return said
    stayed = ngettext(
        "%(n)s stays as it is: it was changed since, or its folder is gone.",
        "%(n)s stay as they are: they were changed since, or their folder is gone.",
        what.stayed,
    )
    return f"{said} {stayed % {'n': what.stayed}}"


def left_out(selection: Selection) -> str:
    """Which of those asked for nothing was done to; "" for none."""
    said = []
    if selection.system:
        system = ngettext(
            "%(n)s system skill was left out: those never change.",
            "%(n)s system skills were left out: those never change.",
            selection.system,
        )
        said.append(system % {"n": selection.system})
    if selection.missing:
        missing = ngettext(
            "%(n)s was left out: it is gone, or not open to you.",
            "%(n)s were left out: they are gone, or not open to you.",
            selection.missing,
        )
        said.append(missing % {"n": selection.missing})
    return " ".join(said)
