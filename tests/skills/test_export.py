"""Exporting skills: a zip of Markdown that any system unpacks, and that uploading reads again."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterable
from pathlib import PurePosixPath
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.test import Client

from documents.models import Folder, FolderGrant
from documents.upload import FileReceipt
from kbsite.accounts.models import AuditEntry, User
from kbsite.filenames import Names, safe_name
from skills.export import export, front_matter
from skills.models import Picture, Skill
from tests import people
from tests.skills.conftest import Queue

Write = Callable[..., Skill]
pytestmark = pytest.mark.usefixtures("alice")


def unpacked(user: User, skills: Any = None) -> dict[str, bytes]:
    """What the zip holds, by name."""
    pieces = export(Skill.objects.all() if skills is None else skills, user)
    return contents(pieces)


def contents(pieces: Iterable[bytes]) -> dict[str, bytes]:
    archive = zipfile.ZipFile(io.BytesIO(b"".join(pieces)))
    assert archive.testzip() is None
    names = archive.namelist()
    assert len(names) == len({name.casefold() for name in names})
    return {name: archive.read(name) for name in names}


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("差旅报销", "差旅报销"),
        ("../../etc/passwd", "etc passwd"),
        ("..\\..\\evil", "evil"),
        ("/etc/x", "etc x"),
        ("..", "untitled"),
        (" . ", "untitled"),
        ("", "untitled"),
        ("CON", "_CON"),
        ("nul.txt", "_nul.txt"),
        ("com1", "_com1"),
        ("Console", "Console"),
        ('a:b*c?d"e<f>g|h', "a b c d e f g h"),
        ("trailing dots...", "trailing dots"),
        (".hidden", "hidden"),
        ("evil\u202egnp.exe", "evil gnp.exe"),
        ("a\nb\tc\x00d", "a b c d"),
        ("🚄 trains", "🚄 trains"),
        ("e\u0301", "é"),
    ],
)
def test_names_are_safe_everywhere(name: str, safe: str) -> None:
    """B19, B20: no way out of the folder, no device, nothing unseen."""
    assert safe_name(name) == safe


def test_names_are_cut_by_bytes_between_letters() -> None:
    """86 Chinese letters are more than a file system takes."""
    for letters in ("测" * 120, "🚄" * 120, "x" * 300, "é" * 200):
        cut = safe_name(letters)
        assert len(cut.encode()) <= 120
        assert set(cut) == set(letters)


def test_alike_names_are_numbered() -> None:
    """Also where the system ignores case."""
    names = Names()
    taken = [names.take(name, ".md") for name in ("Rules", "rules", "Rules", "R/ules", "R ules")]
    assert taken == ["Rules.md", "rules (2).md", "Rules (3).md", "R ules.md", "R ules (2).md"]


def test_files_lie_in_folders_as_here(write: Write, bob: User) -> None:
    """By path; unfiled ones and those of the root folder at the top."""
    finance = Folder.objects.create(name="财务")
    travel = Folder.objects.create(name="../Travel: 2026", parent=finance)
    twin = Folder.objects.create(name="Travel 2026", parent=finance)
    root = Folder.objects.get(is_system=True)
    for name, folder in (("A", travel), ("B", twin), ("C", None), ("D", root), ("a", travel)):
        write(name, index=False, folder_id=folder.pk if folder else None)
    names = set(unpacked(bob))
    assert names == {
        "财务/Travel 2026/A.md",
        "财务/Travel 2026/a (2).md",
        "财务/Travel 2026 (2)/B.md",
        "C.md",
        "D.md",
    }


def test_very_deep_and_long_paths_can_be_unpacked(write: Write, bob: User) -> None:
    """Forty folders of two hundred letters each."""
    parent = None
    for n in range(40):
        parent = Folder.objects.create(name=f"{n} " + "测" * 190, parent=parent)
    assert parent
    write("测" * 100, index=False, folder_id=parent.pk)
    (name,) = unpacked(bob)
    assert len(name.encode()) < 3_000
    assert all(len(part.encode()) <= 255 for part in PurePosixPath(name).parts)


def test_only_what_one_may_see_is_exported(write: Write, bob: User, carol: User, dave: User) -> None:
    """Whatever the caller asked for; readers get what can be found."""
    closed = Folder.objects.create(name="Closed")
    FolderGrant.objects.create(folder=closed, user=carol)
    hidden = write("Hidden", index=False)
    Skill.objects.filter(pk=hidden.pk).update(folder=closed)
    write("Done")
    gone = write("Gone")
    write("Draft", index=False)
    Skill.objects.filter(pk=gone.pk).update(deleted_at="2026-01-01T00:00Z")
    assert set(unpacked(bob)) == {"Draft.md", "Done.md"}
    assert set(unpacked(carol)) == {"Draft.md", "Done.md", "Closed/Hidden.md"}
    assert set(unpacked(dave)) == {"Done.md"}


ODD = {
    "name": 'Say: "yes" — 差旅 #1 & more',
    "tags": ["hr: 1", "2026", "true", "报销", "a b", "- dash"],
    "abstract": "Line one.\n---\nLine three: with colon\n\ttab",
    "overview": "# Heading\n\n```yaml\n---\nkey: [value]\n---\n```\n",
    "description": "'single' \"double\" {curly} *star @at %percent",
}


@pytest.mark.parametrize(
    "content", ["# A\n\nText.\n", "---\nnot: front\n---\n\nText.\n", "no heading\r\n", "🚄\n"]
)
def test_what_was_exported_is_read_again_by_upload(
    write: Write, upload: Callable[..., FileReceipt], queue: Queue, bob: User, content: str
) -> None:
    """Title, tags and text survive the way out and in, whatever letters they hold."""
    skill = write(content=content, index=False, **ODD)
    (data,) = unpacked(bob).values()
    Skill.objects.all().delete()
    upload("again.md", data)
    queue.work()
    again = Skill.objects.get()
    assert again.name == skill.name
    assert again.tags == skill.tags
    assert again.content.strip() == skill.content.strip()
    version = again.sources.get().version
    kept = version.metadata
    assert kept["abstract"].strip() == skill.abstract.strip()
    assert kept["overview"].strip() == skill.overview.strip()
    assert kept["uri"] == skill.uri
    assert version.warnings == []


def test_front_matter_stays_within_what_is_read(write: Write) -> None:
    """The longest texts are left out rather than all of it being unreadable."""
    skill = write(overview="y" * 70_000, abstract="Short.", index=False)
    matter = front_matter(skill, [])
    assert len(matter) < 64_000
    assert "Short." in matter
    assert "overview" not in matter


def png(user: User) -> Picture:
    picture = Picture(mime="image/png", size=4, width=1, height=1, sha256="0" * 64, added_by=user)
    picture.file.save("x", ContentFile(b"\x89PNG"), save=False)
    picture.save()
    return picture


def test_pictures_come_along(write: Write, bob: User) -> None:
    """Once each, with links that lead to them; those of other skills and lost ones stay as they are."""
    picture, foreign, lost = png(bob), png(bob), png(bob)
    lost.file.delete(save=False)
    Picture.objects.filter(pk=lost.pk).update(file="pictures/00/lost")
    deep = Folder.objects.create(name="Deep", parent=Folder.objects.create(name="Top"))
    text = "".join(f"![x](/pictures/{one.pk}/)\n" for one in (picture, foreign, lost))
    for name, folder in (("One", deep), ("Two", None)):
        skill = write(name, text, index=False, folder_id=folder.pk if folder else None)
        skill.pictures.set([picture, lost])
    files = unpacked(bob)
    assert set(files) == {"Top/Deep/One.md", "Two.md", f"_pictures/{picture.pk}.png"}
    one, two = files["Top/Deep/One.md"].decode(), files["Two.md"].decode()
    assert f"](../../_pictures/{picture.pk}.png)" in one
    assert f"](_pictures/{picture.pk}.png)" in two
    assert f"](/pictures/{foreign.pk}/)" in one
    assert f"](/pictures/{lost.pk}/)" in one


def test_memory_is_bounded(write: Write, bob: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts are read some at a time, and pieces go out as they are made."""
    for n in range(6):
        write(f"S{n}", "x" * 400_000, index=False)
    monkeypatch.setattr("skills.export.BUDGET", 500_000)
    pieces = export(Skill.objects.all(), bob)
    assert next(pieces)
    assert len([piece for piece in pieces if piece]) >= 5


def test_queries_do_not_grow_with_each_skill(bob: User, django_assert_max_num_queries: Any) -> None:
    """Few for a hundred."""
    Skill.objects.bulk_create([Skill(slug=f"s{n}", name=f"S{n}", content="x") for n in range(150)])
    with django_assert_max_num_queries(10):
        assert len(unpacked(bob)) == 150


def test_the_door_of_the_api(write: Write, bob: User, dave: User) -> None:
    """By ids or filters, as a file to save; the trail says how many. Readers may."""
    one = write("One", tags=["x"])
    write("Two")
    for who, body, names in (
        (bob, {"ids": [str(one.pk)]}, {"One.md"}),
        (bob, {"filters": {}, "expected": 2}, {"One.md", "Two.md"}),
        (dave, {"filters": {"tag": ["x"]}}, {"One.md"}),
    ):
        client = Client(headers=people.bearer(who))
        response = client.post("/api/skills/export", json.dumps(body), "application/json")
        assert response["Content-Disposition"].startswith('attachment; filename="skills-')
        assert response["X-Content-Type-Options"] == "nosniff"
        assert set(contents(response)) == names  # type: ignore[arg-type]
    assert AuditEntry.objects.filter(action="skill.exported").count() == 3
    client = Client(headers=people.bearer(bob))
    refused = client.post(
        "/api/skills/export", json.dumps({"filters": {}, "expected": 3}), "application/json"
    )
    assert refused.status_code == 409


def test_an_empty_export_is_a_zip_too(bob: User) -> None:
    """Of nothing that one may see."""
    assert unpacked(bob, Skill.objects.none()) == {}


def test_system_skills_can_be_taken_along(bob: User) -> None:
    """They are read, not changed."""
    Skill.objects.create(slug="sys", name="Sys", type="system", status="approved", content="How to search.")
    assert b"How to search." in unpacked(bob)["Sys.md"]
