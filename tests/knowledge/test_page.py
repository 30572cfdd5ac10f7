"""``/knowledge/``: everything in one place, with and without scripts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from lxml import html

from documents.models import Folder, FolderGrant
from kbsite.accounts.models import User
from skills import trash
from skills.models import Skill
from tests.skills.conftest import Queue

Write = Callable[..., Skill]
HTMX = {"HX-Request": "true"}
LIST = "/knowledge/"
pytestmark = pytest.mark.usefixtures("alice")


@pytest.fixture
def site(bob: User) -> Client:
    client = Client()
    client.force_login(bob)
    return client


def titles(answer: Any) -> list[str]:
    """The notes of a page, in order."""
    found = html.fromstring(answer.content).xpath("//article//h2//span")
    return [" ".join(title.text_content().split()) for title in found]


def test_one_field_is_enough(site: Client, queue: Queue) -> None:
    """Pasted, saved, on the list; the toast says so."""
    answer = site.post(LIST, {"text": "# HA 地址\ntags: home, 地址\n\nhttp://192.168.1.9:8123"}, follow=True)
    assert titles(answer) == ["HA 地址"]
    skill = Skill.objects.get()
    assert (skill.tags, skill.content, skill.type) == (["home", "地址"], "http://192.168.1.9:8123\n", "user")
    assert "“HA 地址” is written" in answer.content.decode()


def test_what_was_understood_is_shown_before(site: Client) -> None:
    """Title, tags, how it will read; what is typed into the fields holds; nothing is kept."""
    text = "# Demo\nTags: #a #b\n\n**bold** <script>alert(1)</script>"
    said = site.post(reverse("knowledge:understood"), {"text": text, "tags": "x"}).content.decode()
    shown = html.fromstring(said)
    assert shown.xpath("//dd/strong/text()") == ["Demo"]
    assert shown.xpath("//dd//span[@class='tag']/text()") == ["x", "a", "b"]
    assert shown.xpath("//div[contains(@class, 'prose')]//strong/text()") == ["bold"]
    assert "<script>" not in said
    named = site.post(reverse("knowledge:understood"), {"text": text, "title": "Mine"}).content.decode()
    assert "<strong>Mine</strong>" in named
    assert "needs a title" in site.post(reverse("knowledge:understood"), {"text": "---"}).content.decode()
    assert "<dl>" not in site.post(reverse("knowledge:understood"), {"text": " "}).content.decode()
    assert Skill.objects.count() == 0


def test_a_refused_note_keeps_what_was_written(site: Client) -> None:
    """422, the text in its field, the reason beside it."""
    long = "t" * 61
    for given, reason in (
        ({"text": ""}, "Write something first."),
        ({"text": " "}, "The content is empty"),
        ({"text": "tags: only"}, "The content is empty"),
        ({"text": "kept <b>", "tags": long}, "At most 50 words"),
        ({"text": "kept <b>", "title": "n" * 101}, "at most 100"),
    ):
        answer = site.post(LIST, given)
        assert answer.status_code == 422, given
        page = html.fromstring(answer.content)
        assert page.xpath("//textarea[@name='text']")[0].text.removeprefix("\n") == given["text"]
        assert reason in answer.content.decode()
    assert Skill.objects.count() == 0


def test_a_form_sent_twice_makes_one_note(site: Client) -> None:
    """The form names the note it will make."""
    named = html.fromstring(site.get(LIST).content).xpath("//form[@id='new-note']//input[@name='id']/@value")[
        0
    ]
    for _ in range(2):
        site.post(LIST, {"text": "Once.", "id": named})
    assert str(Skill.objects.get().pk) == named


def test_filtering(site: Client, write: Write) -> None:
    """By word, by tag, by meaning; htmx gets the rows alone; the address holds it."""
    write("部署 checklist", "运行测试，检查 diff。", tags=["deploy", "ops"])
    write("Coffee", "Descale the machine every month.", tags=["ops"])
    assert titles(site.get(LIST)) == ["Coffee", "部署 checklist"]
    assert titles(site.get(LIST, {"q": "descale"})) == ["Coffee"]
    assert titles(site.get(LIST, {"tag": "deploy"})) == ["部署 checklist"]
    assert titles(site.get(LIST, {"q": "清洗咖啡机", "by": "meaning"}))[:1] == ["Coffee"]
    part = site.get(LIST, {"q": "descale"}, headers=HTMX).content.decode()
    assert "<html" not in part
    assert 'id="rows"' in part
    none = site.get(LIST, {"q": "zzz"}).content.decode()
    assert "No note fits" in none
    chips = html.fromstring(site.get(LIST).content).xpath("//nav[contains(@class, 'chips')]/a")
    assert [chip.text_content() for chip in chips] == ["ops2", "deploy1"]


def test_a_note_opens_in_place(site: Client, write: Write) -> None:
    """Its Markdown rendered; without scripts on a page of its own; opening is a use."""
    skill = write("Demo", "Some **bold** and <img src=x onerror=alert(1)> [x](javascript:alert(1)).")
    address = reverse("knowledge:note", args=[skill.pk])
    part = site.get(address, headers=HTMX).content.decode()
    assert "<strong>bold</strong>" in part
    assert "<img" not in part
    assert "javascript:" not in part
    assert 'aria-expanded="true"' in part
    closed = site.get(address + "?closed", headers=HTMX).content.decode()
    assert 'aria-expanded="false"' in closed
    alone = site.get(address)
    assert "<strong>bold</strong>" in alone.content.decode()
    assert titles(alone) == ["Demo"]
    skill.refresh_from_db()
    assert skill.active_count == 2


def test_links_to_other_skills_lead_there(site: Client, write: Write) -> None:
    """In an open note, as on the page of a skill; a broken one shows."""
    other = write("Other", index=False)
    skill = write("Demo", "See [[other]] and [[Nobody]].", index=False)
    page = html.fromstring(site.get(reverse("knowledge:note", args=[skill.pk]), headers=HTMX).content)
    links = {link.text_content(): link.get("href", "") for link in page.xpath("//div[@dir='auto']//a")}
    assert links["Other"] == reverse("skills:skill", args=[other.slug])
    assert links["Nobody"].startswith(reverse("skills:new"))


def test_adding_below_is_the_default(site: Client, write: Write) -> None:
    """The form opens so; what is saved is shown in place."""
    skill = write("Token", "First.", tags=["a"], index=False)
    address = reverse("knowledge:change", args=[skill.pk])
    form = html.fromstring(site.get(address, headers=HTMX).content)
    assert form.xpath("//input[@name='mode'][@checked]/@value") == ["append"]
    given = {"mode": "append", "added": "Second.\n\ntags: b", "version": "1"}
    part = site.post(address, given, headers=HTMX)
    assert "Second." in part.content.decode()
    skill.refresh_from_db()
    assert (skill.content, skill.tags) == ("First.\n\nSecond.\n", ["a", "b"])
    refused = site.post(address, {"mode": "append", "added": " ", "version": "2"}, headers=HTMX)
    assert refused.status_code == 422
    assert "The content is empty" in refused.content.decode()


def test_replacing_a_note(site: Client, write: Write) -> None:
    """Title, tags and text; without htmx back to the list."""
    skill = write("Token", "First.", tags=["a"], index=False)
    address = reverse("knowledge:change", args=[skill.pk])
    given = {
        "mode": "replace",
        "title": "New",
        "tags": "x，y",
        "content": "# New\n\nAll new.",
        "version": "1",
    }
    answer = site.post(address, given)
    assert answer.headers["location"] == f"/knowledge/#n-{skill.pk}"
    skill.refresh_from_db()
    assert (skill.name, skill.tags, skill.content) == ("New", ["x", "y"], "All new.\n")
    empty = site.post(address, given | {"title": " ", "version": "2"}, headers=HTMX)
    assert (empty.status_code, "Give it a name." in empty.content.decode()) == (422, True)


def test_two_replacing_at_once_lose_nothing(site: Client, write: Write) -> None:
    """The second sees both texts; saving again with what is there now works."""
    skill = write("Token", "First.", index=False)
    address = reverse("knowledge:change", args=[skill.pk])
    given = {"mode": "replace", "title": "Token", "tags": "", "version": "1"}
    site.post(address, given | {"content": "Theirs."})
    answer = site.post(address, given | {"content": "Mine."}, headers=HTMX)
    assert answer.status_code == 422
    page = html.fromstring(answer.content)
    assert "Bob saved this note" in answer.content.decode()
    assert page.get_element_by_id(f"theirs-{skill.pk}").text.strip() == "Theirs."
    assert page.xpath("//textarea[@name='content']")[0].text.strip() == "Mine."
    version = page.xpath("//input[@name='version']/@value")[0]
    site.post(address, given | {"content": "Both.", "version": version})
    skill.refresh_from_db()
    assert skill.content == "Both.\n"


def test_deleting_and_back(site: Client, write: Write) -> None:
    """One, or the chosen ones; each with a way back."""
    one, two, three = (write(name, index=False) for name in "abc")
    site.post(reverse("knowledge:delete", args=[one.pk]))
    assert titles(site.get(LIST)) == ["c", "b"]
    site.post(reverse("knowledge:delete_many"), {"note": [two.pk, three.pk]})
    answer = site.get(LIST)
    assert "2 notes are in the trash." in answer.content.decode()
    undo = html.fromstring(answer.content).xpath("//form[@data-undo]/@action")
    back = site.post(undo[0], follow=True, headers={"referer": f"http://testserver{LIST}"})
    assert titles(back) == ["c", "b"]
    assert site.post(reverse("knowledge:restore") + f"?id={one.pk}").status_code == 302
    assert titles(site.get(LIST)) == ["c", "b", "a"]
    assert site.post(reverse("knowledge:delete_many"), {"note": ["x"]}).status_code == 422
    in_place = site.post(reverse("knowledge:delete", args=[one.pk]), headers=HTMX)
    assert (in_place.content, "toasts" in in_place.headers["HX-Trigger"]) == (b"", True)


def test_many_notes_come_back_but_for_what_was_done_since(site: Client, write: Write, bob: User) -> None:
    """More than a page of them; one that somebody brought back meanwhile keeps no other from it."""
    notes = [write(f"Note {n}", index=False) for n in range(35)]
    site.post(reverse("knowledge:delete_many"), {"note": [note.pk for note in notes]})
    assert not Skill.objects.filter(deleted_at=None).exists()
    undo = html.fromstring(site.get(LIST).content).xpath("//form[@data-undo]/@action")
    trash.undelete_skill(notes[7].pk, bob)
    assert site.post(undo[0]).status_code == 302
    assert Skill.objects.filter(deleted_at=None).count() == 35


def test_what_is_no_note_is_not_deleted_here(site: Client, write: Write) -> None:
    """Also not among many."""
    skill = write(index=False)
    Skill.objects.update(type="document")
    site.post(reverse("knowledge:delete_many"), {"note": [skill.pk]})
    assert site.post(reverse("knowledge:delete", args=[skill.pk])).status_code == 404
    skill.refresh_from_db()
    assert skill.deleted_at is None


def test_a_reader_reads(dave: User, write: Write) -> None:
    """No form, no deed; the empty page says so too."""
    client = Client()
    client.force_login(dave)
    assert "new-note" not in client.get(LIST).content.decode()
    skill = write("Seen")
    page = client.get(LIST)
    assert titles(page) == ["Seen"]
    assert "/edit/" not in page.content.decode()
    assert client.post(LIST, {"text": "x"}).status_code == 403
    assert client.get(reverse("knowledge:change", args=[skill.pk])).status_code == 403


def test_what_is_closed_shows_nowhere(site: Client, write: Write, alice: User) -> None:
    """B50: neither the note nor its tags."""
    closed = Folder.objects.create(name="Closed")
    skill = write("Secret", tags=["hushed"], folder_id=closed.pk)
    FolderGrant.objects.create(folder=closed, user=alice)
    assert "hushed" not in site.get(LIST, {"q": "trains"}).content.decode()
    for name in ("note", "state", "change"):
        assert site.get(reverse(f"knowledge:{name}", args=[skill.pk])).status_code == 404


def test_the_page_takes_a_fixed_number_of_queries(
    site: Client, write: Write, django_assert_max_num_queries: Any
) -> None:
    """However many notes there are; the next page by cursor."""
    for n in range(40):
        write(f"n{n}", index=False, tags=[f"t{n}"])
    with django_assert_max_num_queries(12):
        page = site.get(LIST)
    assert len(titles(page)) == 30
    following = html.fromstring(page.content).xpath("//a[@rel='next']/@href")[0]
    assert len(titles(site.get(LIST + following))) == 10


def test_five_megabytes_are_taken(site: Client) -> None:
    """Shown in part where it is previewed; hostile nesting doesn't hold anybody up."""
    for text in (
        "# Long\n\n" + "字" * 1_700_000,
        "# N\n\n" + "[" * 50_000,
        "# #" + "*" * 100_000,
        "> " * 30_000,
    ):
        assert site.post(reverse("knowledge:understood"), {"text": text}).status_code == 200
    assert site.post(LIST, {"text": "# Long\n\n" + "字" * 1_700_000}).status_code == 302
    assert len(site.get(LIST).content) < 100_000
