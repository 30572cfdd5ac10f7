"""The Ask page, with and without JavaScript."""

from __future__ import annotations

import re
import time
from typing import Any

import httpx
import pytest
from django.test import Client
from django.utils import timezone

from chat.models import Conversation, Feedback, Message
from documents.models import Folder
from skills.models import Skill
from tests.chat.conftest import Api, ChatDouble, Library, ready_skill
from tests.model_double import ModelDouble, Reply
from tests.running import wait_for

HTMX = {"HX-Request": "true"}


def ask(page: Client, question: str, **more: str) -> Message:
    """Ask as a browser without JavaScript; the answer."""
    response = page.post("/", {"question": question, "folder_id": "", **more})
    assert response.status_code == 302, response.content.decode()
    return Message.objects.filter(role="assistant").latest("pk")


def test_form_waits_for_the_whole_answer(page: Client, library: Library) -> None:
    """Without JavaScript a POST leads to the conversation with the answer in it."""
    answer = ask(page, "Can I carry over annual leave?")
    assert answer.status == "done"
    text = page.get(f"/c/{answer.conversation_id}/").content.decode()
    assert "<h1" in text
    assert "end of March" in text
    assert 'class="cite"' in text
    assert "Searched “Can I carry over annual leave?”" in text


def test_the_root_folder_is_named_in_the_readers_language(page: Client) -> None:
    """Where one chooses where to look, as in the tree."""
    Folder.objects.get_or_create(is_system=True, defaults={"name": "根目录"})
    text = page.get("/").content.decode()
    assert ">Root folder</option>" in text
    assert "根目录" not in text


def test_a_source_opens_in_its_place(page: Client, library: Library) -> None:
    """The number's address shows the passage, marked, within its text, with a way to the skill."""
    answer = ask(page, "Can I carry over annual leave?")
    citation = answer.citations.get(n=1)
    text = page.get(f"/c/{answer.conversation_id}/?answer={answer.pk}&source=1").content.decode()
    pane = text[text.index("<aside") :]
    assert "<mark" in pane
    assert "end of March" in pane
    assert f"/skills/leave-policy/?passage={citation.passage_id}#p-{citation.passage_id}" in pane
    assert "Leave policy" in pane


def test_deleted_source_says_so(page: Client, library: Library) -> None:
    """An old answer keeps its text; its source is named as deleted and not shown."""
    skill = ready_skill(library.bob, "Parking", "Parking costs forty euros a month in the basement.")
    answer = ask(page, "What does parking cost in the basement?")
    assert answer.citations.filter(skill=skill).exists()
    Skill.objects.filter(pk=skill.pk).update(deleted_at=timezone.now())
    text = page.get(f"/c/{answer.conversation_id}/?answer={answer.pk}&source=1").content.decode()
    pane = text[text.index("<aside") :]
    assert "source deleted" in pane
    assert "forty euros" not in pane
    assert "forty euros" in text


def test_changed_source_shows_the_passage_as_it_was(page: Client, library: Library) -> None:
    """When the skill no longer has the passage, the snapshot is shown and said to be one."""
    skill = ready_skill(library.bob, "Parking", "Parking costs forty euros a month in the basement.")
    answer = ask(page, "What does parking cost in the basement?")
    Skill.objects.filter(pk=skill.pk).update(content="Parking is free.")
    text = page.get(f"/c/{answer.conversation_id}/?answer={answer.pk}&source=1").content.decode()
    assert "has changed since" in text
    assert "forty euros" in text[text.index("<aside") :]


def test_empty_question_is_refused_with_what_was_typed(page: Client) -> None:
    """422, the composer with a sentence; nothing is kept."""
    response = page.post("/", {"question": " ", "folder_id": ""})
    assert response.status_code == 422
    assert "Write a question first." in response.content.decode()
    assert not Message.objects.exists()


def test_form_sent_twice_makes_one_thing(page: Client) -> None:
    """The token in the form makes the second sending the first one's answer."""
    token = re.search(r'name="token" value="([^"]+)"', page.get("/").content.decode())
    assert token
    ask(page, "Leave?", token=token[1])
    ask(page, "Leave?", token=token[1])
    assert Conversation.objects.count() == 1
    assert Message.objects.count() == 2


def test_htmx_ask_begins_a_conversation_in_the_page(page: Client, double: ModelDouble) -> None:
    """The room with the running answer comes back at once, under its own address."""
    double.queue(Reply(text="Slowly", first_delay=1))
    response = page.post("/", {"question": "Leave?", "folder_id": ""}, headers=HTMX)
    answer = Message.objects.get(role="assistant")
    assert response["HX-Push-Url"] == f"/c/{answer.conversation_id}/"
    text = response.content.decode()
    assert f'sse-connect="/answers/{answer.pk}/stream/"' in text
    assert 'aria-busy="true"' in text
    assert f"/answers/{answer.pk}/stop/" in text
    second = page.post(f"/c/{answer.conversation_id}/", {"question": "And?", "folder_id": ""}, headers=HTMX)
    assert second.status_code == 422
    assert "still being written" in second.content.decode()


def test_reload_in_mid_answer_goes_on(page: Client, site: str, double: ModelDouble) -> None:
    """The page shows what has come, and its stream first gives everything and then the rest."""
    double.queue(Reply(pieces=[f"w{n} " for n in range(30)], rate=20))
    page.post("/", {"question": "Leave?", "folder_id": ""}, headers=HTMX)
    answer = Message.objects.get(role="assistant")
    parts = stream(page, site, answer)
    assert parts[-1].count("w29") == 1
    assert "sse-connect" not in parts[-1]
    assert 'hx-swap-oob="true"' in parts[-1]
    growing = [part for part in parts[:-1] if f"#open-{answer.pk}" in part or "open-" in part]
    assert 3 <= len(growing) <= 10
    assert any("w0" in part for part in growing[:2])


def stream(page: Client, site: str, answer: Message) -> list[str]:
    """The data of the ``part`` events of the page's stream."""
    cookies = {"kb_session": page.cookies["kb_session"].value}
    parts, lines = [], []
    url = f"{site}/answers/{answer.pk}/stream/"
    with httpx.stream("GET", url, cookies=cookies, timeout=30) as response:
        for line in response.iter_lines():
            if line.startswith("data: "):
                lines.append(line[6:])
            elif not line:
                parts.append("\n".join(lines))
                lines = []
    return [part for part in parts if part]


def test_closed_blocks_are_sent_once(page: Client, site: str, double: ModelDouble) -> None:
    """Only the open block is sent again; finished ones stand. Half a fence is plain code."""
    text = "First *paragraph*.\n\n```mermaid\ngraph TD\nA-->B\n```\n\nLast <b>one</b> [1"
    double.queue(Reply(pieces=re.findall(r".{1,3}", text, re.S), rate=25))
    page.post("/", {"question": "Leave?", "folder_id": ""}, headers=HTMX)
    parts = stream(page, site, Message.objects.get(role="assistant"))
    growing = parts[:-1]
    closed = [part for part in growing if "beforebegin:" in part]
    assert sum(part.count("<em>paragraph</em>") for part in closed) == 1
    assert all("<b>" not in part and "[1" not in part for part in growing)
    assert any("graph TD" in part and "<pre" in part for part in growing)
    assert any("First paragraph." in part and "#said-" in part for part in growing)


def test_failed_answer_says_what_to_do(page: Client, double: ModelDouble) -> None:
    """The fault stands in the answer's place with a button to try again, which works."""
    double.queue(Reply(status=401, error="no"))
    answer = ask(page, "Can I carry over annual leave?")
    text = page.get(f"/c/{answer.conversation_id}/").content.decode()
    assert 'role="alert"' in text
    assert "Try again" in text
    page.post(f"/answers/{answer.pk}/again/")
    text = page.get(f"/c/{answer.conversation_id}/").content.decode()
    assert "Unused annual leave" in text
    assert 'role="alert"' not in text


def test_feedback_is_kept_and_taken_back(page: Client, library: Library) -> None:
    """Thumbs up, then what is missing, then nothing."""
    answer = ask(page, "Can I carry over annual leave?")
    url = f"/answers/{answer.pk}/feedback/"
    text = page.post(url, {"rating": "helpful"}, headers=HTMX).content.decode()
    assert 'aria-pressed="true"' in text
    page.post(url, {"rating": "incomplete", "comment": "And abroad?"})
    row = Feedback.objects.get()
    assert (row.rating, row.comment) == ("incomplete", "And abroad?")
    page.post(url, {"rating": ""})
    assert not Feedback.objects.exists()
    assert page.post(url, {"rating": "great"}, headers=HTMX).status_code == 422


def test_conversations_are_renamed_pinned_and_deleted(page: Client, library: Library) -> None:
    """A name, a pin, and a deletion that can be undone."""
    answer = ask(page, "Can I carry over annual leave?")
    base = f"/c/{answer.conversation_id}"
    page.post(f"{base}/rename/", {"title": " Leave \x00 rules "})
    page.post(f"{base}/pin/")
    text = page.get("/").content.decode()
    assert "Leave rules" in text
    assert "Pinned" in text
    assert page.post(f"{base}/rename/", {"title": " "}, headers=HTMX).status_code == 422
    response = page.post(f"{base}/delete/", headers=HTMX)
    assert f"{base}/restore/" in response["HX-Trigger"]
    assert page.get(f"{base}/").status_code == 404
    assert "Leave rules" not in page.get("/").content.decode()
    page.post(f"{base}/restore/")
    assert page.get(f"{base}/").status_code == 200


@pytest.mark.parametrize(("format", "words"), [("md", "- [1] Leave policy"), ("json", '"n": 1')])
def test_export(page: Client, library: Library, format: str, words: str) -> None:
    """The conversation as a file, with its sources."""
    answer = ask(page, "Can I carry over annual leave?")
    response = page.get(f"/c/{answer.conversation_id}/export/?format={format}")
    assert words in response.content.decode()
    assert "attachment" in response["Content-Disposition"]


def test_empty_base_teaches_the_first_step(page: Client, library: Library) -> None:
    """With nothing to ask about the page says to add documents."""
    Skill.objects.update(is_active=False)
    assert "no documents yet" in page.get("/").content.decode()
    Skill.objects.update(is_active=True)
    assert "no documents yet" not in page.get("/").content.decode()


def test_offline_is_said(page: Client, library: Library) -> None:
    """Without a language model the page says that answers quote."""
    assert "No language model is connected" in page.get("/").content.decode()


def test_with_a_model_nothing_is_said(page: Client, double: ModelDouble) -> None:
    """With one it does not."""
    assert "No language model is connected" not in page.get("/").content.decode()


def test_folder_scope_is_offered_and_kept(page: Client, library: Library) -> None:
    """The composer offers the folders one sees; the choice stays with the conversation."""
    folder = Folder.objects.create(name="Handbook")
    assert "Handbook" in page.get("/").content.decode()
    answer = ask(page, "Can I carry over annual leave?", folder_id=str(folder.pk))
    assert answer.conversation.scope == {"folder_id": str(folder.pk)}
    text = page.get(f"/c/{answer.conversation_id}/").content.decode()
    assert f'value="{folder.pk}" selected' in text
    folder.delete()


def test_a_thousand_messages_open_quickly(
    page: Client, library: Library, django_assert_max_num_queries: Any
) -> None:
    """A long conversation opens at its end, with a fixed number of queries."""
    talk = Conversation.objects.create(user=library.bob, title="Long")
    questions = Message.objects.bulk_create(
        Message(conversation=talk, role="user", content=f"Question {n}") for n in range(500)
    )
    Message.objects.bulk_create(
        Message(conversation=talk, question=q, role="assistant", content=f"Answer to {q.content}")
        for q in questions
    )
    with django_assert_max_num_queries(30):
        text = page.get(f"/c/{talk.pk}/").content.decode()
    assert "Question 499" in text
    assert "Question 469" not in text
    before = re.search(r"\?before=([0-9a-f-]+)", text)
    assert before
    earlier = page.get(f"/c/{talk.pk}/?before={before[1]}").content.decode()
    assert "Answer to Question 440" in earlier


def test_titles(bob: Api, double: ChatDouble) -> None:
    """The question's first words at once; the model's better ones after the answer; a person's stay."""
    double.title = "“Carrying over leave”\n"
    double.queue("An answer.", "An answer.")
    first = bob.ask("Can I carry over annual leave? " + "x" * 200)
    talk = Conversation.objects.get(pk=first.seen[0]["conversation_id"])
    assert talk.title in ("Can I carry over annual leave…", "Carrying over leave")
    assert wait_for(lambda: titles() == ["Carrying over leave"])
    named = bob.http.post("/conversations", json={"title": "Mine"}).json()
    bob.ask("Leave?", conversation_id=named["id"])
    time.sleep(0.3)
    assert titles() == ["Mine", "Carrying over leave"]


def titles() -> list[str]:
    """Names of the conversations, newest first."""
    return list(Conversation.objects.order_by("-pk").values_list("title", flat=True))
