"""Opens an Office file with its password, then reads what is inside as what it is."""

from __future__ import annotations

import io
from importlib import import_module
from typing import cast

import msoffcrypto
from msoffcrypto.exceptions import DecryptionError, FileFormatError, InvalidKeyError, ParseError

from documents.faults import unreadable
from documents.parsers.document import Limits, Parse, ParsedDocument
from documents.parsers.sniff import format_of


def parse(data: bytes, *, password: str | None, limits: Limits) -> ParsedDocument:
    """The text of the file inside. Raises UnreadableFile (password without the right one)."""
    if not password:
        raise unreadable("password")
    inside = _opened(data, password)
    format = format_of(inside, "")
    if not format.alone or format.parser == __name__:
        raise unreadable("damaged")
    document = cast(Parse, import_module(format.parser).parse)(inside, password=None, limits=limits)
    document.mime = document.mime or format.mime
    return document


def _opened(data: bytes, password: str) -> bytes:
    opened = io.BytesIO()
    try:
        office = msoffcrypto.OfficeFile(io.BytesIO(data))
        office.load_key(password=password, verify_password=True)
        office.decrypt(opened)
    except InvalidKeyError as error:
        raise unreadable("wrong_password") from error
    except (DecryptionError, FileFormatError, ParseError) as error:
        raise unreadable("damaged") from error
    return opened.getvalue()
