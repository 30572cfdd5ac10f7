"""What was done to get to an answer, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

type Step = Mapping[str, Any]


def summary(steps: Sequence[Step], seconds: float | None, answered: bool = True) -> str:
    """One line: what was searched for, how many skills were read, how long it took.

    ``answered``: whether there is an answer that can have come without a search.
    """
    parts = []
    queries = list(dict.fromkeys(s.get("query", "") for s in steps if s["kind"] == "search"))
    if queries:
        parts.append(_("searched %(queries)s") % {"queries": _quoted(queries)})
    read = {s.get("uri") for s in steps if s["kind"] == "read"}
    if read:
        parts.append(ngettext("read %(n)d skill", "read %(n)d skills", len(read)) % {"n": len(read)})
    if not parts and answered:
        parts.append(_("answered without searching"))
    if seconds is not None:
        parts.append(_("%(seconds).1f s") % {"seconds": seconds})
    line = pgettext("between things that were done", ", ").join(parts)
    return line[:1].upper() + line[1:]


def _quoted(queries: Sequence[str]) -> str:
    return pgettext("between search words", ", ").join(_("“%(words)s”") % {"words": q} for q in queries)


def sentence(step: Step) -> str:
    """One step in a sentence, with what came of it."""
    if step["kind"] == "search":
        n = step.get("count", 0)
        found = ngettext("%(n)d passage", "%(n)d passages", n) % {"n": n}
        return _("Searched “%(words)s”: %(found)s") % {"words": step.get("query", ""), "found": found}
    name = name_of(step)
    if step["kind"] == "read" and step.get("part"):
        return _("Read “%(name)s”, part %(part)s of the full text") % {"name": name, "part": step["part"]}
    if step["kind"] == "read":
        return _("Read the overview of “%(name)s”") % {"name": name}
    return _("Tried something that does not exist")


def now(steps: Sequence[Step], has_text: bool) -> str:
    """What goes on at the moment."""
    if has_text:
        return _("Writing…")
    if steps and "status" not in steps[-1]:
        last = steps[-1]
        if last["kind"] == "search":
            return _("Searching “%(words)s”…") % {"words": last.get("query", "")}
        if last["kind"] == "read":
            return _("Reading “%(name)s”…") % {"name": name_of(last)}
    return _("Thinking…")


def name_of(step: Step) -> str:
    """The name of the skill a step was about, or else its address."""
    skills = step.get("skills") or []
    return skills[0]["name"] if skills else str(step.get("uri", ""))
