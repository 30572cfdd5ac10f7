"""Office files with a password: the real file is encrypted inside an old-style container."""

from __future__ import annotations

from documents.parsers.document import Format

CONTAINER = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ENCRYPTED = "EncryptedPackage".encode("utf-16-le")


def is_locked(data: bytes) -> bool:
    """Whether it is such a container."""
    return data.startswith(CONTAINER) and ENCRYPTED in data


FORMAT = Format(
    name="locked",
    label="Office file with a password",
    mime="application/x-ole-storage",
    extensions=(),
    is_one=is_locked,
    parser="documents.parsers.locked",
    alone=True,
)
