"""Template vocabulary used on every page. It is a builtin: no ``{% load %}``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from django import template
from django.contrib.messages.storage.base import Message
from django.forms import BoundField
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from kbsite.markdown import plain as plain_text
from kbsite.markdown import render
from kbsite.toasts import undo_address as address_of_undo

register = template.Library()

_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7a3]")),
    ("zh-Hans", re.compile("[\u4e00-\u9fff]")),
)
_SCRIPT_SAMPLE = 400  # characters looked at

LAYERS = (gettext_lazy("Abstract"), gettext_lazy("Overview"), gettext_lazy("Full text"))

# status value → (tone, icon); the word comes from the model's own label
STATUSES: dict[str, tuple[str, str]] = {
    "checked": ("ok", "ok"),
    "done": ("ok", "ok"),
    "ready": ("ok", "ok"),
    "ok": ("ok", "ok"),
    "merged": ("ok", "ok"),
    "held": ("warn", "warn"),
    "warn": ("warn", "warn"),
    "skipped": ("warn", "info"),
    "interrupted": ("warn", "warn"),
    "rejected": ("bad", "bad"),
    "failed": ("bad", "bad"),
    "bad": ("bad", "bad"),
    "conflict": ("bad", "warn"),
    "running": ("", "spin"),
    "processing": ("", "spin"),
    "queued": ("", "clock"),
    "pending": ("", "clock"),
}


def script_language(text: str) -> str:
    """``zh-Hans``, ``ja`` or ``ko`` where ``text`` is written so, else ``""``: fonts and quotes follow it."""
    start = text[:_SCRIPT_SAMPLE]
    return next((code for code, script in _SCRIPTS if script.search(start)), "")


@register.simple_tag
def icon(name: str, extra: str = "") -> SafeString:
    """A 16-pixel stroke icon from ``static/icons.svg``; ``extra`` are more classes (``"twist"``)."""
    return _drawn(name, extra)


@lru_cache(maxsize=512)
def _drawn(name: str, extra: str) -> SafeString:
    """The same few icons are on every row of every list."""
    classes = f"icon {extra}".strip()
    return format_html(
        '<svg class="{}" aria-hidden="true"><use href="{}#{}"></use></svg>',
        classes,
        static("icons.svg"),
        name,
    )


@register.simple_tag
def layer_mark(level: int) -> SafeString:
    """The three strokes with those up to ``level`` (0 abstract, 1 overview, 2 full text) inked."""
    return _mark(int(level))


@lru_cache(maxsize=8)
def _mark(level: int) -> SafeString:
    return format_html(
        '<svg class="layer-mark" aria-hidden="true"><use href="{}#layer-{}"></use></svg>',
        static("icons.svg"),
        level,
    )


@register.simple_tag
def layer_badge(level: int) -> SafeString:
    """The mark and its word: what a hit was found in."""
    return format_html('<span class="badge">{}{}</span>', layer_mark(level), LAYERS[int(level)])


@register.simple_tag
def status(value: str, label: str = "") -> SafeString:
    """A chip for a status value, e.g. ``{% status skill.status skill.get_status_display %}``."""
    return _chip(str(value), str(label))


@lru_cache(maxsize=512)
def _chip(value: str, label: str) -> SafeString:
    tone, symbol = STATUSES.get(value, ("", ""))
    drawing = icon(symbol, "spin" if symbol == "spin" else "") if symbol else ""
    return format_html('<span class="status {}">{}{}</span>', tone, drawing, label or value)


def ago_words(then: datetime, now: datetime) -> str:
    """How long ago ``then`` is, in one unit, in the active language; the future is "just now"."""
    seconds = (now - then).total_seconds()
    minutes, hours, days = int(seconds // 60), int(seconds // 3600), int(seconds // 86400)
    if minutes < 1:
        return _("just now")
    if hours < 1:
        return ngettext("%d min ago", "%d min ago", minutes) % minutes
    if days < 1:
        return ngettext("%d hour ago", "%d hours ago", hours) % hours
    if days == 1:
        return _("yesterday")
    if days < 14:
        return ngettext("%d day ago", "%d days ago", days) % days
    if days < 60:
        return ngettext("%d week ago", "%d weeks ago", days // 7) % (days // 7)
    if days < 730:
        return ngettext("%d month ago", "%d months ago", days // 30) % (days // 30)
    return ngettext("%d year ago", "%d years ago", days // 365) % (days // 365)


@register.filter
def ago(value: datetime | None) -> SafeString | str:
    """``<time>`` with a relative date, the exact one on hover; empty for None."""
    if value is None:
        return ""
    exact = timezone.localtime(value).strftime("%Y-%m-%d %H:%M")
    return format_html(
        '<time datetime="{}" title="{}">{}</time>', value.isoformat(), exact, ago_words(value, timezone.now())
    )


@register.filter
def duration(value: timedelta | float | None) -> str:
    """Seconds (or a timedelta) in words: ``0.8 s``, ``12 s``, ``3 min``."""
    if value is None:
        return ""
    seconds = value.total_seconds() if isinstance(value, timedelta) else float(value)
    if seconds < 10:
        return _("%(number).1f s") % {"number": seconds}
    if seconds < 60:
        return _("%(number)d s") % {"number": seconds}
    return ngettext("%d min", "%d min", round(seconds / 60)) % round(seconds / 60)


@register.filter
def markdown(text: str | None, heading_prefix: str | None = None) -> SafeString:
    """Markdown as clean HTML; the argument gives headings ids that begin so."""
    return render(text or "", heading_prefix=heading_prefix)


@register.filter
def plain(text: str | None) -> str:
    """Markdown's words without markup."""
    return plain_text(text or "")


@register.filter
def lang(code: str | None) -> str:
    """A language code for ``lang=""``: ``zh`` and ``zh-hans`` become ``zh-Hans``, none stays empty."""
    known = {"zh": "zh-Hans", "zh-hans": "zh-Hans", "zh-cn": "zh-Hans", "zh-hant": "zh-Hant"}
    return known.get((code or "").lower(), code or "")


@register.filter
def undo_address(message: Message) -> str:
    """Where a message's Undo posts to, or empty."""
    return address_of_undo(message)


@register.filter
def lang_of(text: object) -> str:
    """The language that a piece of text is written in, by its script, for ``lang=""``; empty for Latin."""
    return script_language(str(text))


@register.inclusion_tag("components/field.html")
def field(bound: BoundField, hint: str = "", **attrs: Any) -> Mapping[str, Any]:
    """A form field with its label, hint and errors. Keyword arguments become widget attributes."""
    described = [f"{bound.auto_id}-error"] if bound.errors else []
    if hint or bound.help_text:
        described.append(f"{bound.auto_id}-hint")
    extra = {key.replace("_", "-"): value for key, value in attrs.items()}
    if described:
        extra["aria-describedby"] = " ".join(described)
    if bound.errors:
        extra["aria-invalid"] = "true"
    return {
        "field": bound,
        "widget": bound.as_widget(attrs=extra),
        "hint": hint or bound.help_text,
        "is_check": getattr(bound.field.widget, "input_type", "") == "checkbox",
    }
