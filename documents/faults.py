"""What can be wrong with a file or stand in its way, in words that say what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.functional import lazy
from django.utils.translation import gettext, override
from django.utils.translation import gettext_lazy as _

from kbsite.exceptions import UnreadableFile

SENTENCES = {
    "empty": _("The file is empty: there is nothing in it to read."),
    "password": _("The file is locked with a password."),
    "wrong_password": _("This password does not open the file. Try another."),
    "damaged": _("The file is damaged or cut off. Open it in its own program, save it again and upload it."),
    "unknown_type": _("Files of this kind can’t be read. PDF, Word (.docx), Markdown and plain text can."),
    "unknown_type_named": _("%(kind)s can’t be read. Save it as PDF, .docx, Markdown or plain text."),
    "too_large": _("The file is larger than %(limit)s MB. Split it, or ask an admin to raise the limit."),
    "too_much_inside": _("The file unpacks to far more than its size. It was not read."),
    "too_much_memory": _("Reading the file needs more than %(limit)s MB of memory. Split it and try again."),
    "too_many_pages": _("The file has %(pages)s pages, the limit is %(limit)s. Split it and try again."),
    "timeout": _("Reading the file took longer than %(seconds)s seconds. Split it and try again."),
    "no_text": _("No text found: the pages are images only. Upload a version with text."),
    "blank": _("No text found: the file has no words in it."),
    "unreadable_text": _("The text in the file can’t be made out. Save it as UTF-8 and upload it again."),
    "letters_unknown": _(
        "The letters in this PDF can’t be made out by programs. Make the PDF anew and upload that."
    ),
    "missing_bytes": _("The stored file is gone. Upload it again."),
    "no_space": _("The server’s disk is full. Ask an admin to free some space, then upload it again."),
    "not_stored": _("The server could not store the file. Try again, or ask an admin."),
    "same_bytes": _("The same file as “%(title)s”, which is already here."),
    "same_name": _("“%(title)s” has the same name but other content."),
    "already_here": _("This very file is already here: “%(title)s”."),
    "cancelled": _("Cancelled."),
    "skipped": _("Skipped: the same file as “%(title)s”."),
    "superseded": _("A newer version of this file came in."),
    "went_wrong": _(
        "Something went wrong here, %(times)s times in a row. It has been logged. Retry, or ask an admin."
    ),
    "trying_again": _("It did not work and will be tried again."),
    "worker_lost": _("The worker stopped while reading it, %(times)s times. Retry, or ask an admin."),
    # Warnings: read, with reservations.
    "some_lost": _("%(count)s characters could not be read and are shown as �."),
    "named_otherwise": _("The name says %(named)s, the content is %(kind)s. It was read by its content."),
    "pages_without_text": _("No text on these pages, only images: %(pages)s."),
    "pages_unreadable": _("The text of these pages can’t be made out and was left out: %(pages)s."),
    "deletions_dropped": _("Text that was deleted with “track changes” was left out."),
    "comments_left_out": _("Comments in the margin were left out: %(count)s."),
    "part_unreadable": _("A part of the file could not be read and was left out: %(part)s."),
    "front_matter_broken": _(
        "The block between the --- lines at the top is not valid YAML and was kept as text."
    ),
}
# The kinds a program is told apart: several sentences may share one.
CODES = {
    "wrong_password": "password",
    "unknown_type_named": "unknown_type",
    "too_much_inside": "too_large",
    "too_much_memory": "too_large",
    "blank": "no_text",
    "letters_unknown": "unreadable_text",
    "missing_bytes": "damaged",
}


# Parameters that are words of ours, and so translated with the sentence.
WORDS = ("kind", "named")
KINDS = (
    _("plain text"),
    _("Markdown"),
    _("PDF"),
    _("Word document"),
    _("Office file with a password"),
    _("PNG images"),
    _("JPEG images"),
    _("GIF images"),
    _("gzip archives"),
    _("7z archives"),
    _("RAR archives"),
    _("RTF files"),
    _("HTML and XML files"),
    _("Files of Office 2003 and older (.doc, .xls, .ppt)"),
    _("Zip archives"),
    _("Excel sheets"),
    _("PowerPoint slides"),
    _("OpenDocument files"),
    _("Programs"),
)


def sentence(code: str, params: Mapping[str, Any] | None = None) -> str:
    """The sentence for ``code`` in the reader's language; empty when there is none."""
    text = SENTENCES.get(code)
    if text is None:
        return ""
    words = {key: gettext(value) if key in WORDS else value for key, value in (params or {}).items()}
    return str(text) % words if words else str(text)


def plain_english(code: str, params: Mapping[str, Any] | None = None) -> str:
    """The sentence as it is kept in rows and logs."""
    with override("en"):
        return sentence(code, params)


def unreadable(fault: str, **params: Any) -> UnreadableFile:
    """The error to raise for ``fault``; it carries what :func:`sentence` needs to say it again."""
    code = CODES.get(fault, fault)
    return UnreadableFile(_lazy_sentence(fault, params), code=code, fault=fault, params=params)


_lazy_sentence = lazy(sentence, str)
