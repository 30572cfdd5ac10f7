"""Texts with their marks as HTML."""

from __future__ import annotations

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from search.highlight import Snippet

register = template.Library()


@register.filter
def marked(snippet: Snippet) -> SafeString:
    """A snippet, escaped, with ``<mark>`` around what matched and … where it goes on."""
    at, pieces = 0, []
    for start, end in snippet.marks:
        pieces.append((snippet.text[at:start], snippet.text[start:end]))
        at = end
    body = format_html_join("", "{}<mark>{}</mark>", pieces)
    before, after = "… " if snippet.before else "", " …" if snippet.after else ""
    return format_html("{}{}{}{}", before, body, snippet.text[at:], after)
