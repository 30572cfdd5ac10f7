"""The editor's form: saving, layers, reasons, the preview, completing links, and two people at once."""

from __future__ import annotations

import html
import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from documents.models import Folder, FolderGrant
from kbsite.accounts.models import User
from skills import edit, trash
from skills.models import Skill
from tests import people
from tests.skills.conftest import Queue

Write = Callable[..., Skill]
pytestmark = pytest.mark.usefixtures("alice")  # without an admin every page leads to set-up
HTMX = {"hx-request": "true"}


def text(response: Any) -> str:
    return html.unescape(re.sub(r"<[^>]+>", " ", response.content.decode()))


def opened(client: Client, skill: Skill, query: str = "") -> dict[str, str]:
    """What a browser would send back from the form as it was opened."""
    return sent_back(client.get(f"/skills/{skill.slug}/edit/{query}"))


def sent_back(response: Any) -> dict[str, str]:
    """The values of the form on a page, without boxes that are not ticked."""
    form = response.context["form"]
    values = {name: form[name].value() for name in form.fields if not name.startswith("again_")}
    return {name: str(value) for name, value in values.items() if value is not None}


def save(client: Client, skill: Skill, values: dict[str, str], **more: str) -> Any:
    return client.post(f"/skills/{skill.slug}/edit/", values | more)


def test_saving_says_why(page: Client, write: Write) -> None:
    """A reason of one's own is in the history; without one it is made from what changed."""
    skill = write("A", "Start.\n")
    assert (
        save(page, skill, opened(page, skill), content="More.\n", reason="  朱红 found it ").status_code
        == 302
    )
    assert skill.revisions.first().why == "朱红 found it"  # type: ignore[union-attr]
    save(page, skill, opened(page, skill), content="Even more.\n")
    assert skill.revisions.first().why == "Content changed"  # type: ignore[union-attr]
    assert save(page, skill, opened(page, skill), content="x", reason="r" * 201).status_code == 422


def test_htmx_is_led_to_the_page(page: Client, write: Write) -> None:
    """So that the address is right; a mistake comes back in place of the form."""
    skill = write("A", "Start.\n")
    values = opened(page, skill)
    answer = page.post(f"/skills/{skill.slug}/edit/", values | {"content": "B."}, headers=HTMX)
    assert (answer.status_code, answer["HX-Redirect"]) == (204, f"/skills/{skill.slug}/")
    answer = page.post(f"/skills/{skill.slug}/edit/", values | {"name": ""}, headers=HTMX)
    assert answer.status_code == 422
    assert 'id="writing"' in answer.content.decode()


def test_a_session_that_ended_loses_nothing(write: Write) -> None:
    """A save by htmx is told so, and is not answered with another page."""
    skill = write()
    answer = Client().post(f"/skills/{skill.slug}/edit/", {"content": "typed"}, headers=HTMX)
    assert answer.status_code == 401
    assert answer["HX-Reswap"] == "none"


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("", None),
        ("   ", None),
        ("\u200f\u200e", None),
        ("n" * 101, None),
        ("字" * 300, None),
        ("a/b\\c", "a/b\\c"),
        ("🚄 fast", "🚄 fast"),
        ("سفر", "سفر"),
        ("字" * 100, "字" * 100),
        ("<b>x</b>", "<b>x</b>"),
    ],
)
def test_names(page: Client, queue: Queue, name: str, stored: str | None) -> None:
    """What can't be a name is refused at its field, and the text stays."""
    values = sent_back(page.get("/skills/new/")) | {"name": name, "content": "Long typed text"}
    answer = page.post("/skills/new/", values)
    if stored is None:
        assert answer.status_code == 422
        assert answer.context["form"].errors.keys() == {"name"}
        assert "Long typed text" in text(answer)
    else:
        assert answer.status_code == 302
        assert Skill.objects.get().name == stored


def test_layers_by_hand_and_again(page: Client, write: Write, queue: Queue) -> None:
    """One is made again while the other stays; both are the machine's again."""
    skill = write("差旅报销", "# 差旅\n\n先申请，再出差。\n", abstract="By hand.", overview="Also by hand.")
    assert skill.layers_by_hand
    with_callbacks = {"again_abstract": "on"}
    save(page, skill, opened(page, skill), **with_callbacks)
    skill.refresh_from_db()
    assert (skill.abstract, skill.overview, skill.layers_stale) == ("", "Also by hand.", True)
    from_model = opened(page, skill)
    save(page, skill, from_model, again_abstract="on", again_overview="on")
    skill.refresh_from_db()
    assert (skill.layers_by_hand, skill.layers_stale) == (False, True)


def test_a_new_skill_with_layers(page: Client, queue: Queue) -> None:
    """Written along with the text, they are not written again."""
    values = sent_back(page.get("/skills/new/")) | {
        "name": "A",
        "content": "b",
        "abstract": "c",
        "overview": "d",
    }
    page.post("/skills/new/", values)
    skill = Skill.objects.get()
    assert (skill.abstract, skill.overview, skill.layers_by_hand) == ("c", "d", True)


def test_both_versions_of_every_field_they_both_changed(page: Client, write: Write, alice: User) -> None:
    """Field by field, the words that differ marked; what only one wrote is not asked about."""
    skill = write("A", "One two three.\nSame.\n", tags=["old"], description="Then.")
    values = opened(page, skill)
    edit.update_skill(skill.pk, alice, content="One 2 three.\nSame.\n", tags=["hers"], name="Hers")
    response = save(page, skill, values, content="One two 3.\nSame.\n", description="Mine.", name="Mine")
    assert response.status_code == 412
    both = response.context["both"]
    assert [one.name for one in both.fields] == ["name", "content"]
    assert both.taken == ["Tags"]
    shown = response.content.decode()
    assert "<del>2 three</del>" in shown or "<del>2</del>" in shown
    assert "Alice saved this skill" in text(response)
    again = sent_back(response)
    assert (again["description"], again["tags"], again["content"]) == ("Mine.", "hers", "One two 3.\nSame.\n")
    assert save(page, skill, again).status_code == 302
    skill.refresh_from_db()
    assert (skill.name, skill.tags, skill.content) == ("Mine", ["hers"], "One two 3.\nSame.\n")
    assert [r.snapshot["content"] for r in skill.revisions.all()[:2]][1] == "One 2 three.\nSame.\n"


def test_taking_theirs(page: Client, write: Write, alice: User) -> None:
    """One field at a time, without a script; nothing is saved by it."""
    skill = write("A", "Start.\n")
    values = opened(page, skill)
    edit.update_skill(skill.pk, alice, content="Hers.\n", description="Hers.")
    clash = save(page, skill, values, content="Mine.\n", description="Mine.")
    taken = save(page, skill, sent_back(clash), take="content")
    assert taken.status_code == 412
    assert [one.name for one in taken.context["both"].fields] == ["description"]
    again = sent_back(taken)
    assert (again["content"], again["description"]) == ("Hers.\n", "Mine.")
    assert save(page, skill, again).status_code == 302
    skill.refresh_from_db()
    assert (skill.content, skill.description) == ("Hers.\n", "Mine.")


def test_saved_again_while_deciding(page: Client, write: Write, alice: User) -> None:
    """The decision was about a version that is not the last any more: it is asked again."""
    skill = write("A", "Start.\n")
    values = opened(page, skill)
    edit.update_skill(skill.pk, alice, content="Hers.\n")
    clash = sent_back(save(page, skill, values, content="Mine.\n"))
    edit.update_skill(skill.pk, alice, content="Hers again.\n")
    answer = save(page, skill, clash)
    assert answer.status_code == 412
    assert "Hers again." in text(answer)
    assert "Mine." in text(answer)


def test_the_api_says_that_somebody_saved(client: Client, write: Write, bob: User, alice: User) -> None:
    """412 with the version now."""
    skill = write("A", "Start.\n")
    edit.update_skill(skill.pk, alice, content="Hers.\n")
    headers = people.bearer(bob) | {"if-match": '"1"'}
    answer = client.put(f"/api/skills/{skill.pk}", {"content": "Mine."}, "application/json", headers=headers)
    assert (answer.status_code, answer.json()["current"]) == (412, 2)
    skill.refresh_from_db()
    assert skill.content == "Hers.\n"


def test_the_api_takes_a_reason(client: Client, write: Write, bob: User) -> None:
    """For a change and for adding; too long a one is refused."""
    skill = write("A", "Start.\n")
    headers = people.bearer(bob)
    address, kind = f"/api/skills/{skill.pk}", "application/json"
    assert (
        client.put(address, {"content": "B.", "reason": "New rule"}, kind, headers=headers).status_code == 200
    )
    assert skill.revisions.first().why == "New rule"  # type: ignore[union-attr]
    added = client.post(f"{address}/append", {"content": "C.", "reason": "Also"}, kind, headers=headers)
    assert added.status_code == 200
    assert skill.revisions.first().why == "Also"  # type: ignore[union-attr]
    assert client.put(address, {"name": "C", "reason": "r" * 201}, kind, headers=headers).status_code == 422


def test_deleted_while_it_was_edited(page: Client, write: Write, alice: User, queue: Queue) -> None:
    """The text comes back as a new skill to save; the same for adding to it."""
    skill = write("A", "Start.\n", tags=["x"])
    values = opened(page, skill)
    trash.delete_skill(skill.pk, alice)
    answer = save(page, skill, values, content="Typed long.\n")
    assert answer.status_code == 404
    assert "was deleted while you were editing" in text(answer)
    again = sent_back(answer)
    assert (again["content"], again["name"], again["tags"]) == ("Typed long.\n", "A", "x")
    assert page.post("/skills/new/", again).status_code == 302
    assert Skill.objects.get(deleted_at=None).content == "Typed long.\n"
    answer = page.post(f"/skills/{skill.slug}/append/", {"content": "Typed too.\n"})
    assert answer.status_code == 404
    assert "Typed too." in text(answer)
    assert page.get(f"/skills/{skill.slug}/edit/").status_code == 404


def test_a_folder_that_went_meanwhile(page: Client, write: Write) -> None:
    """The field says so, the text stays."""
    folder = Folder.objects.create(name="Travel")
    skill = write("A", "Start.\n", folder_id=folder.pk)
    values = opened(page, skill)
    skill.folder = None
    skill.save()
    folder.delete()
    answer = save(page, skill, values, content="Typed.\n")
    assert answer.status_code == 422
    assert "folder" in answer.context["form"].errors
    assert "Typed." in text(answer)


def test_a_closed_skill_is_neither_edited_nor_previewed(page: Client, write: Write, alice: User) -> None:
    """404, and links to it look like links to nothing."""
    closed = Folder.objects.create(name="Closed")
    skill = write("Secret plan", "Start.\n")
    FolderGrant.objects.create(folder=closed, user=alice)
    Skill.objects.filter(pk=skill.pk).update(folder=closed)
    assert page.get(f"/skills/{skill.slug}/edit/").status_code == 404
    assert "Secret plan" not in page.get("/skills/new/names/?q=Secret").content.decode()
    shown = page.post("/skills/new/preview/", {"content": "[[Secret plan]]", "skill": str(skill.pk)})
    assert f"/skills/{skill.slug}/" not in shown.content.decode()


def test_the_preview(page: Client, write: Write) -> None:
    """As the page will show it: links, formulas, and nothing that runs."""
    other = write("Travel")
    content = "[[Travel]] $x^2$ <script>alert(1)</script>\n\n- [x] done"
    shown = page.post("/skills/new/preview/", {"content": content}, headers=HTMX).content.decode()
    assert f'href="/skills/{other.slug}/"' in shown
    assert "<math" in shown
    assert 'type="checkbox"' in shown
    assert "<script" not in shown
    assert page.post("/skills/new/preview/", {}).status_code == 200
    assert page.get("/skills/new/preview/").status_code == 405


def test_of_a_long_text_the_part_with_the_caret_is_previewed(page: Client) -> None:
    """And that is said; five megabytes take a moment, not a minute."""
    content = "".join(f"## Chapter {n}\n\n" + "Words of it. " * 300 + "\n\n" for n in range(1250))
    assert len(content) > 4_500_000
    started = time.monotonic()
    answer = page.post(
        "/skills/new/preview/", {"content": content, "caret": str(content.index("Chapter 900"))}
    )
    assert time.monotonic() - started < 15
    assert "Chapter 900" in text(answer)
    assert "Chapter 1" not in re.findall(r"Chapter \d+", text(answer))
    assert "what is around the caret is shown" in text(answer)
    assert len(answer.content) < 1_000_000


def test_five_megabytes_are_saved_and_opened(page: Client, queue: Queue) -> None:
    """The form takes them and gives them back."""
    content = ("员工先申请，再出差。" * 20 + "\n\n") * 8_000
    assert len(content.encode()) > 4_800_000
    values = sent_back(page.get("/skills/new/")) | {"name": "Long", "content": content}
    values |= {"abstract": "a", "overview": "b"}
    assert page.post("/skills/new/", values).status_code == 302
    skill = Skill.objects.get()
    assert skill.content == content
    started = time.monotonic()
    assert len(page.get(f"/skills/{skill.slug}/edit/").content) > 4_800_000
    assert time.monotonic() - started < 5


def test_too_long_is_said(page: Client, settings: Any) -> None:
    """Rather than a failure."""
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    assert page.post("/skills/new/preview/", {"content": "x" * 2000}).status_code in (400, 413)


def options(client: Client, q: str) -> list[str]:
    """What the list of names would write."""
    shown = client.get("/skills/new/names/", {"q": q}).content.decode()
    return [html.unescape(found) for found in re.findall(r'data-written="([^"]*)"', shown)]


def test_names_are_completed(page: Client, write: Write) -> None:
    """Those that begin so first; width and case make no difference."""
    for name in ("Travel", "Long travel", "差旅报销", "Other"):
        write(name, index=False)
    assert options(page, "trav") == ["[[Travel]]", "[[Long travel]]"]
    assert options(page, "ＴＲＡＶ") == ["[[Travel]]", "[[Long travel]]"]
    assert options(page, "差旅") == ["[[差旅报销]]"]
    assert options(page, "nothing of it") == []
    assert len(options(page, "")) >= 4
    assert options(page, "%") == []


def test_names_that_would_not_do_are_addresses(page: Client, write: Write) -> None:
    """Of two of one name, or with signs of their own, the address is written."""
    first, second = write("Twice", index=False), write("Twice", index=False)
    odd = write("a|b [c] #d", index=False)
    assert options(page, "Twice") == [f"[Twice]({first.uri})", f"[Twice]({second.uri})"]
    assert options(page, "a|b") == [f"[a|b \\[c\\] #d]({odd.uri})"]


def test_names_take_few_queries(page: Client, write: Write, django_assert_max_num_queries: Any) -> None:
    """Session, person, closed folders, two lists, how many of a name, paths."""
    for n in range(6):
        write(f"Travel {n}", index=False)
    with django_assert_max_num_queries(10):
        assert len(options(page, "travel")) == 6


def test_adding_says_why(page: Client, write: Write) -> None:
    """The form for adding has the same editor, preview and reason."""
    skill = write("A", "Start.\n")
    shown = page.get(f"/skills/{skill.slug}/append/").content.decode()
    assert "data-editor" in shown
    page.post(f"/skills/{skill.slug}/append/", {"content": "More.", "reason": "New rule"})
    skill.refresh_from_db()
    assert skill.content == "Start.\n\nMore.\n"
    assert skill.revisions.first().why == "New rule"  # type: ignore[union-attr]


def test_without_a_valid_id_the_form_comes_back(page: Client) -> None:
    """A form from nowhere is no failure."""
    answer = page.post(
        "/skills/new/", {"id": "nonsense", "name": "A", "content": "b", "category": "knowledge"}
    )
    assert answer.status_code == 422
