"""Taking a picture in: looked at, stripped of all but its pixels, stored once."""

from __future__ import annotations

import hashlib
import io
import struct
import warnings
import zlib
from typing import Any

from django.core.files.base import ContentFile, File
from django.db import transaction
from django.utils.translation import gettext as _
from PIL import Image, ImageOps, ImageSequence, UnidentifiedImageError

from kbsite.accounts.auth import require
from kbsite.accounts.models import User
from kbsite.exceptions import InvalidInput
from skills.models import Picture

MIMES = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
LARGEST = 10_000_000  # bytes
MOST_PIXELS = 40_000_000  # of one frame
MOST_FRAMES = 300
MOST_PIXELS_MOVING = 100_000_000  # of all frames together
LONGEST_SIDE = 16_000  # pixels


# What Pillow raises for files that are broken, by accident or on purpose.
_DAMAGE = (
    *(OSError, SyntaxError, ValueError, EOFError, ArithmeticError, MemoryError, LookupError, TypeError),
    *(AttributeError, struct.error, zlib.error),
)


def take_picture(file: File[bytes], user: User) -> Picture:
    """The picture in ``file``, as a new row, or the one ``user`` added of the same bytes.

    Raises NotAllowed, InvalidInput with a sentence: too large, no picture we show, damaged.
    """
    require(user, "edit")
    if file.size > LARGEST:
        raise InvalidInput(_("A picture has at most %(most)d MB.") % {"most": LARGEST // 1_000_000})
    data = file.read()
    digest = hashlib.sha256(data).hexdigest()
    had = Picture.objects.filter(sha256=digest, added_by=user).first()
    if had is not None and had.file.name and had.file.storage.exists(had.file.name):
        return had
    kind, clean, (width, height) = stripped(data)
    picture = had or Picture(sha256=digest, added_by=user)
    picture.mime, picture.size, picture.width, picture.height = MIMES[kind], len(clean), width, height
    with transaction.atomic():
        picture.file.save("", ContentFile(clean), save=False)
        picture.save()
    return picture


def stripped(data: bytes) -> tuple[str, bytes, tuple[int, int]]:
    """The format of ``data``, its picture without anything else, and its width and height in pixels.

    By what it is, not by its name. Turned as it was meant to be seen; nothing that says who made it,
    when or where stays. Raises InvalidInput.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(data), formats=tuple(MIMES)) as image:
                kind = image.format or ""
                _check(image)
                clean, size = _again(image, kind)
                return kind, clean, size
    except UnidentifiedImageError as error:
        raise InvalidInput(_("Pictures can be PNG, JPEG, GIF or WebP.")) from error
    except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
        raise InvalidInput(_("This picture has too many pixels.")) from error
    except _DAMAGE as error:
        raise InvalidInput(_("This picture is damaged and can’t be read.")) from error


def _check(image: Image.Image) -> None:
    width, height = image.size
    frames = getattr(image, "n_frames", 1)
    if frames > MOST_FRAMES:
        raise InvalidInput(_("This picture moves too long: at most %(n)d frames.") % {"n": MOST_FRAMES})
    too_many = width * height > MOST_PIXELS or (frames > 1 and width * height * frames > MOST_PIXELS_MOVING)
    if too_many or max(width, height) > LONGEST_SIDE:
        raise InvalidInput(_("This picture has too many pixels."))


def _again(image: Image.Image, kind: str) -> tuple[bytes, tuple[int, int]]:
    """The picture written anew, which leaves its pixels and nothing else."""
    out = io.BytesIO()
    if getattr(image, "n_frames", 1) > 1 and kind in {"GIF", "WEBP"}:
        return _moving(image, kind), image.size
    turned = image.getexif().get(0x0112, 1) != 1
    options: dict[str, Any] = {"optimize": True} if kind == "PNG" else {}
    if kind == "JPEG":
        options = {"quality": 92} if turned else {"quality": "keep"}
    elif kind == "WEBP":
        options = {"quality": 90}
    seen = ImageOps.exif_transpose(image) if turned else image
    seen.load()
    for name in ("exif", "xmp", "XML:com.adobe.xmp", "comment", "photoshop"):
        seen.info.pop(name, None)
    seen.save(out, kind, exif=b"", **options)
    return out.getvalue(), seen.size


def _moving(image: Image.Image, kind: str) -> bytes:
    out = io.BytesIO()
    frames = [frame.copy() for frame in ImageSequence.Iterator(image)]
    times = [frame.info.get("duration", 100) for frame in frames]
    for frame in frames:
        frame.info.pop("comment", None)
    more: dict[str, Any] = {"comment": b""} if kind == "GIF" else {"quality": 80, "exif": b"", "xmp": b""}
    loop = image.info.get("loop", 0)
    first, *others = frames
    first.save(out, kind, save_all=True, append_images=others, duration=times, loop=loop, **more)
    return out.getvalue()
