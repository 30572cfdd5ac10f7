"""Pictures in texts: taken in, stripped, shown to those who may read the text, put away when unused."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from PIL import Image, PngImagePlugin

from documents.models import Folder, FolderGrant
from kbsite.accounts.models import User
from skills import edit, tasks
from skills.models import Picture, Skill
from skills.pictures import take
from tests.skills.conftest import Queue

Write = Callable[..., Skill]
pytestmark = pytest.mark.usefixtures("alice")


def image(kind: str = "PNG", size: tuple[int, int] = (8, 4), **options: Any) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, (200, 30, 30)).save(out, kind, **options)
    return out.getvalue()


def moving(kind: str, frames: int = 3) -> bytes:
    out = io.BytesIO()
    first, *others = [Image.new("RGB", (6, 6), (n * 40 % 256, n % 256, 9)) for n in range(frames)]
    first.save(out, kind, save_all=True, append_images=others, duration=50, loop=0)
    return out.getvalue()


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def page(bob: User) -> Client:
    return client_of(bob)


def add(client: Client, data: bytes, name: str = "a.png") -> Any:
    return client.post("/pictures/", {"file": SimpleUploadedFile(name, data)})


def address(client: Client, data: bytes | None = None) -> str:
    answer = add(client, data or image())
    assert answer.status_code == 201, answer.content
    return str(answer.json()["url"])


@pytest.mark.parametrize(("kind", "mime"), take.MIMES.items())
def test_a_picture_is_taken_in_and_shown(page: Client, kind: str, mime: str) -> None:
    """By what it is, whatever it is called; never sniffed, never run, kept by this browser only."""
    shown = page.get(address(page, image(kind)))
    assert (shown.status_code, shown["Content-Type"]) == (200, mime)
    assert shown["X-Content-Type-Options"] == "nosniff"
    assert shown["Content-Disposition"] == "inline"
    assert shown["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert "private" in shown["Cache-Control"] and "immutable" in shown["Cache-Control"]
    assert Image.open(io.BytesIO(shown.content)).size == (8, 4)


def test_the_same_bytes_are_stored_once_for_each_person(page: Client, carol: User) -> None:
    """Another person's picture is their own: nobody learns what others have."""
    assert address(page) == address(page)
    assert address(client_of(carol)) != address(page)
    assert Picture.objects.count() == 2


def test_nothing_but_the_pixels_stays(page: Client) -> None:
    """Where and by whom a photo was taken goes; the way up stays."""
    exif = Image.Exif()
    exif[0x0112] = 6  # turned a quarter
    exif[0x010F] = "Secret camera"
    exif.get_ifd(0x8825)[1] = "N"
    photo = page.get(address(page, image("JPEG", exif=exif, comment=b"Secret note"))).content
    assert b"Secret" not in photo
    assert Image.open(io.BytesIO(photo)).size == (4, 8)
    assert not Image.open(io.BytesIO(photo)).getexif()
    notes = PngImagePlugin.PngInfo()
    notes.add_text("Author", "Secret person")
    assert b"Secret" not in page.get(address(page, image(pnginfo=notes))).content
    webp = image("WEBP", exif=exif, xmp=b"<x>Secret</x>")
    assert b"Secret" not in page.get(address(page, webp)).content


@pytest.mark.parametrize("kind", ["GIF", "WEBP"])
def test_what_moves_goes_on_moving(page: Client, kind: str) -> None:
    """All frames stay."""
    shown = page.get(address(page, moving(kind))).content
    assert Image.open(io.BytesIO(shown)).n_frames == 3


def bomb(side: int = 30_000) -> bytes:
    """A PNG of a few hundred bytes that says it is huge."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(b"\0" * 99))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "PNG, JPEG, GIF or WebP"),
        (b"not a picture", "PNG, JPEG, GIF or WebP"),
        (b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', "PNG, JPEG, GIF or WebP"),
        (b"<html><script>alert(1)</script>", "PNG, JPEG, GIF or WebP"),
        (image("BMP"), "PNG, JPEG, GIF or WebP"),
        (image("TIFF"), "PNG, JPEG, GIF or WebP"),
        (image("ICO", size=(16, 16)), "PNG, JPEG, GIF or WebP"),
        (image("JPEG", size=(64, 64))[:400], "damaged"),
        (image()[:45], "damaged"),
        (bomb(), "too many pixels"),
        (bomb(9_000), "too many pixels"),
        (image(size=(20_000, 1)), "too many pixels"),
        (moving("GIF", 310), "moves too long"),
    ],
)
def test_what_is_no_picture_is_refused_in_words(page: Client, data: bytes, sentence: str) -> None:
    """And nothing is stored."""
    answer = add(page, data)
    assert answer.status_code == 422
    assert sentence in answer.json()["detail"]
    assert not Picture.objects.exists()


def test_ten_megabytes_are_the_most(page: Client) -> None:
    """Said in words; and a form without a file is too."""
    answer = add(page, b"\x89PNG" + b"x" * 10_000_001)
    assert (answer.status_code, answer.json()["detail"]) == (422, "A picture has at most 10 MB.")
    assert page.post("/pictures/").status_code == 422


def test_script_behind_the_pixels_goes(page: Client) -> None:
    """A picture with a page at its end is only a picture afterwards."""
    shown = page.get(address(page, image() + b"<script>alert(1)</script>"))
    assert b"script" not in shown.content


def test_readers_add_none_and_see_what_they_may_read(
    page: Client, dave: User, write: Write, queue: Queue
) -> None:
    """Before a skill shows it only who added it sees it."""
    reader = client_of(dave)
    assert add(reader, image()).status_code == 403
    picture = address(page)
    assert reader.get(picture).status_code == 404
    assert client_of(dave).get(f"/pictures/{uuid4()}/").status_code == 404
    assert Client().get(picture).status_code == 302
    skill = write("A", f"See ![receipt]({picture}).\n")
    assert reader.get(picture).status_code == 200
    assert f'<img src="{picture}"' in reader.get(f"/skills/{skill.slug}/?full=1").content.decode()


def test_a_picture_in_a_closed_folder_is_closed(
    page: Client, dave: User, carol: User, write: Write, queue: Queue
) -> None:
    """Whoever may not see the skill is denied; writing its address elsewhere opens nothing."""
    closed = Folder.objects.create(name="Closed")
    picture = address(page)
    skill = write("A", f"![x]({picture})\n")
    FolderGrant.objects.create(folder=closed, user=dave)
    Skill.objects.filter(pk=skill.pk).update(folder=closed)
    other = client_of(carol)
    assert other.get(picture).status_code == 404
    edit.create_skill(carol, name="Trick", content=f"![x]({picture})")
    assert other.get(picture).status_code == 404
    assert client_of(dave).get(picture).status_code == 200


def test_a_picture_that_left_the_text_stays_with_its_history(
    page: Client, dave: User, write: Write, bob: User
) -> None:
    """Older revisions show it."""
    picture = address(page)
    skill = write("A", f"![x]({picture})\n")
    edit.update_skill(skill.pk, bob, content="Without.\n")
    assert client_of(dave).get(picture).status_code == 200


def test_unused_pictures_are_put_away(page: Client, bob: User, write: Write) -> None:
    """After a week, with their bytes; not those that a skill, a draft or a revision shows."""
    in_skill, in_draft, unused, fresh = (address(page, image(size=(n, 9))) for n in (1, 2, 3, 4))
    write("A", f"![x]({in_skill})\n", index=False)
    page.post(f"/skills/new/draft/{uuid4()}/", {"content": f"![x]({in_draft})"})
    old = Picture.objects.exclude(pk=fresh.split("/")[2])
    old.update(created_at=timezone.now() - timedelta(days=8))
    gone = Picture.objects.get(pk=unused.split("/")[2])
    tasks.tidy_writing()
    assert {f"/pictures/{p.pk}/" for p in Picture.objects.all()} == {in_skill, in_draft, fresh}
    assert not gone.file.storage.exists(gone.file.name)
    assert page.get(unused).status_code == 404


def test_bytes_that_are_gone_are_said_to_be(page: Client) -> None:
    """Not a failure; adding the picture again brings it back."""
    picture = address(page)
    row = Picture.objects.get()
    row.file.storage.delete(row.file.name)
    assert page.get(picture).status_code == 404
    assert address(page) == picture
    assert page.get(picture).status_code == 200
