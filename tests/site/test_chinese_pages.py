"""Pages in Chinese: chosen by the browser or in the menu, and with nothing in English left on them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import lxml.html
import pytest
from celery import current_app
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone, translation

from chat.models import Citation, Conversation, Feedback, Message
from documents import runs
from documents.faults import unreadable
from documents.models import Document, Folder
from documents.read import read
from documents.upload import receive
from kbsite.accounts.keys import make_key
from kbsite.accounts.models import User
from kbsite.llm.models import ModelCall, Provider, PurposeModel
from kbsite.prompts.store import prompt, save_override
from kbsite.quick_setup.token import announce
from kbsite.templatetags.kb import ago_words, duration
from skills import edit
from skills.models import Skill
from tests import people
from tests.search.cast import skill as indexed
from tests.site.wording import words_on

pytestmark = pytest.mark.django_db
CHINESE = {"HTTP_ACCEPT_LANGUAGE": "zh-CN,zh;q=0.9,en;q=0.8"}
LOGGED = "Indexing failed. It has been logged."
TRAVEL = "# 差旅报销办法\n\n## 第十一条\n\n纸质车票遗失、损毁的，不影响报销，员工应自行下载电子发票。"
# What is Latin in Chinese, too.
NAMES = re.compile(
    r"""[\w.]+@[\w.]+|sk://\S+|https?://\S+|/v1|/chat/completions|\bsk-kb-\S*|[\w-]+\.(?:md|pdf|docx|txt)\b
    |\b(?:Skill-Know|OpenAI|DeepSeek|Moonshot|Ollama|vLLM|qwen-max|multilingual-e5-small|English|Email|Alice|Bob|Carol|Dave)\b
    |\b(?:API|JSON|PDF|Word|Markdown|UTF-8|Cookie|URI|SQL|[Tt]oken|id|not_found|not_allowed|L[012])\b|\.docx
    |\b(?:PNG|JPEG|GIF|WebP|Enter|Shift|Esc|Ctrl|ERR_CONN_1042|SN-00017|KB|MB|ms|GB18030)\b|\{\w+\}""",
    re.VERBOSE,
)
PAGES = (
    "/",
    "/search/",
    "/search/?q=车票遗失",
    "/search/?q=车票遗失&mode=keyword&updated=month",
    "/search/?q=量子色动力学",
    "/skills/",
    "/skills/?q=没有这个",
    "/skills/?folder=unfiled",
    "/skills/new/",
    "/documents/",
    "/documents/?q=没有这个",
    "/documents/?folder=unfiled",
    "/folders/new/",
    "/me/",
    "/prompts/",
    "/prompts/answer/",
    "/models/",
    "/setup/model/",
    "/setup/samples/",
    "/palette/",
    "/palette/?q=文档",
    "/nothing-here/",
)


@pytest.fixture(autouse=True)
def _alone(settings: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    settings.MEDIA_ROOT = tmp_path / "media"
    monkeypatch.setattr(current_app, "send_task", lambda *args, **more: None)
    with translation.override("en"):  # A request leaves its language behind.
        yield


@pytest.fixture
def alice() -> User:
    return people.alice()


@pytest.fixture
def page(alice: User) -> Client:
    """Alice's browser, set to Chinese."""
    client = Client(**CHINESE)
    client.force_login(alice)
    return client


def english_on(text: str) -> list[str]:
    """Words of a page that are left in English."""
    return [line for line in words_on(text).split("\n") if re.search("[A-Za-z]{2,}", NAMES.sub("", line))]


def upload(name: str, text: str, user: User, error: Exception | None = None, **more: Any) -> Document:
    """A document that has been read, or failed with ``error``."""
    document = receive([SimpleUploadedFile(name, text.encode())], user, **more).files[0].document
    assert document is not None
    run = runs.claim(document.run_id)
    assert run is not None
    runs.at_step(run, "parsing")
    if error is None:
        read(run)
        runs.finish(run)
    else:
        runs.fail(run, error)
    return Document.objects.get(pk=document.pk)


def fill(user: User) -> None:
    """A base with something of everything, all of it in Chinese."""
    folder = Folder.objects.create(name="人事与行政")
    made = indexed("差旅报销办法", TRAVEL, folder, author=user, language="zh", tags=["财务"])
    edit.update_skill(made.pk, user, content=TRAVEL + "\n\n附则。")
    edit.restore_revision(made.pk, user, edit.append_content(made.pk, user, "补充。").revisions.count())
    written = edit.create_skill(user, name="入职第一周", content="先到前台报到。")
    Skill.objects.filter(pk=written.pk).update(index_state="failed", index_reason=LOGGED)
    upload("已读.md", "# 已读\n\n正文。", user, folder_id=folder.pk)
    upload("损坏.pdf", "坏", user, unreadable("damaged"))
    upload("加密.pdf", "密", user, unreadable("password"))
    receive([SimpleUploadedFile("副本.md", "# 已读\n\n正文。".encode())], user)
    receive([SimpleUploadedFile("排队.md", "排队".encode())], user)
    make_key(user, "笔记本")
    provider = Provider.objects.create(name="自建服务", base_url="https://model.example.com/v1")
    PurposeModel.objects.create(purpose="chat", provider=provider, model="qwen-max")
    ModelCall.objects.create(purpose="chat", provider_name="自建服务", model="qwen-max", latency_ms=900)
    save_override("answer", prompt("answer").content + "\n\n多说一句。", user, version=0)
    talk(user, made)


def talk(user: User, about: Skill) -> None:
    """A conversation with a good answer and one that failed."""
    passage = about.passages.all()[0]
    found = {"count": 3, "status": "done", "skills": [{"name": about.name, "uri": about.uri}]}
    steps = [
        {"id": "1", "kind": "search", "query": "车票", **found},
        {"id": "2", "kind": "read", "uri": about.uri, **found},
        {"id": "3", "kind": "read", "uri": about.uri, "part": 2, **found},
    ]
    conversation = Conversation.objects.create(user=user, title="车票丢了")
    asked = Message.objects.create(conversation=conversation, role="user", content="车票丢了怎么办？")
    answer = Message.objects.create(
        conversation=conversation,
        question=asked,
        role="assistant",
        content="不影响报销。[1]",
        steps=steps,
        reasoning="先查办法。",
        latency_ms=1200,
    )
    Citation.objects.create(
        message=answer, n=1, skill=about, passage_id=passage.pk, uri=about.uri, title=about.name, text="条文"
    )
    Feedback.objects.create(message=answer, rating="incomplete")
    again = Message.objects.create(conversation=conversation, role="user", content="退票费呢？")
    Message.objects.create(
        conversation=conversation, question=again, role="assistant", status="stopped", content=""
    )


def addresses() -> list[str]:
    """The pages of what :func:`fill` made."""
    made = Skill.objects.get(name="差旅报销办法")
    failed = Skill.objects.get(name="入职第一周")
    conversation = Conversation.objects.get()
    answer = Message.objects.get(role="assistant", status="done")
    folder = Folder.objects.get(name="人事与行政")
    one = f"/skills/{made.slug}/"
    passage = made.passages.all()[0].pk
    return [
        *(
            one + more
            for more in ("", "?full=1", f"?passage={passage}", "history/", "edit/", "move/", "append/")
        ),
        f"/skills/{failed.slug}/",
        f"/c/{conversation.pk}/",
        f"/c/{conversation.pk}/?answer={answer.pk}&source=1",
        f"/documents/?folder={folder.pk}",
        *(f"/documents/{document.pk}/" for document in Document.objects.all()),
        f"/documents/{Document.objects.all()[0].pk}/move/",
        f"/folders/{folder.pk}/",
        f"/folders/{folder.pk}/delete/",
        f"/models/provider/{Provider.objects.get().pk}/",
        "/models/provider/",
    ]


def test_no_page_has_english_left(page: Client, alice: User) -> None:
    """Every page of a base that holds something of everything."""
    fill(alice)
    left = {}
    for address in [*PAGES, *addresses()]:
        response = page.get(address)
        assert response.status_code == (404 if "nothing-here" in address else 200), address
        text = response.content.decode()
        if "<html" in text:
            assert '<html lang="zh-Hans"' in text, address
        if found := english_on(text):
            left[address] = found
    assert left == {}


def test_english_would_be_found(client: Client, alice: User) -> None:
    """The same look at pages in English finds what it is for."""
    client.force_login(alice)
    found = english_on(client.get("/documents/").content.decode())
    assert {"Documents", "Choose files", "No documents yet", "File name or title"} <= set(found)


def test_strangers_are_met_in_their_language() -> None:
    """Set-up before there is an admin, then the sign-in page, as the browser asks for."""
    client = Client(**CHINESE)
    announce("http://127.0.0.1:8000")
    first = client.get("/setup/", follow=True).content.decode()
    assert '<html lang="zh-Hans"' in first
    assert "创建管理员" in first
    assert english_on(first) == []
    wrong = client.post("/setup/account/", {"token": "x", "email": "a", "password": "1"}).content.decode()
    assert english_on(wrong) == []
    people.alice()
    assert english_on(client.get("/login/?next=/me/").content.decode()) == []
    refused = client.post("/login/", {"username": "alice@example.com", "password": "x"}).content.decode()
    assert "邮箱或密码不对" in refused
    assert english_on(refused) == []


@pytest.mark.parametrize("role", [people.bob, people.carol, people.dave])
def test_smaller_roles_read_chinese_too(role: Any, alice: User) -> None:
    """What a page says to those who may do less, and what it refuses."""
    fill(alice)
    client = Client(**CHINESE)
    client.force_login(role())
    for address in [*PAGES[:16], *addresses()]:
        assert english_on(client.get(address).content.decode()) == [], address


def test_the_menu_comes_before_the_browser(page: Client, client: Client) -> None:
    """English chosen in the menu stays English in a Chinese browser, and the other way round."""
    page.post("/language/", {"language": "en", "next": "/"})
    assert '<html lang="en"' in page.get("/").content.decode()
    client.post("/language/", {"language": "zh-hans", "next": "/login/"})
    shown = client.get("/login/", headers={"accept-language": "en"}).content.decode()
    assert '<html lang="zh-Hans"' in shown
    assert "登录" in shown


@pytest.mark.parametrize("asked", ["zh-CN", "zh", "zh-Hans", "zh-SG", "zh-Hans-CN"])
def test_every_name_of_the_language_is_known(asked: str, alice: User) -> None:
    """However a browser names simplified Chinese."""
    shown = Client().get("/login/", headers={"accept-language": asked}).content.decode()
    assert '<html lang="zh-Hans"' in shown


def test_programs_are_answered_in_their_language(alice: User) -> None:
    """A problem document in Chinese for who asks for Chinese."""
    headers = people.bearer(alice) | {"accept-language": "zh-CN"}
    problem = Client().get("/api/folders/019a0000-0000-7000-8000-000000000000", headers=headers).json()
    assert re.search("[\u4e00-\u9fff]", problem["detail"])
    assert english_on(f"<p>{problem['detail']}</p>") == []


def test_time_is_told_in_chinese() -> None:
    """How long ago, and how long; one form for every number."""
    now = timezone.now()
    with translation.override("zh-hans"):
        ago = {days: ago_words(now - timedelta(days=days), now) for days in (0, 1, 3, 20, 100, 800)}
        assert ago == {0: "刚刚", 1: "昨天", 3: "3 天前", 20: "2 周前", 100: "3 个月前", 800: "2 年前"}
        assert ago_words(now - timedelta(minutes=1), now) == "1 分钟前"
        assert [duration(seconds) for seconds in (0.84, 12, 150)] == ["0.8 秒", "12 秒", "2 分钟"]


def test_the_admin_site_names_its_fields_in_chinese(page: Client, alice: User) -> None:
    """Column heads, filters and tables; what is Django's own is Django's to translate."""
    fill(alice)
    index = lxml.html.document_fromstring(page.get("/admin/").content.decode())
    tables = index.xpath("//th[@scope='row']/a")
    left = {}
    for table in tables:
        shown = lxml.html.document_fromstring(page.get(table.get("href")).content.decode())
        heads = [head.text_content() for head in [table, *shown.xpath("//thead//th//a | //thead//th//span")]]
        if found := [head for head in heads if re.search("[A-Za-z]{3,}", NAMES.sub("", head))]:
            left[table.get("href")] = found
    assert len(tables) > 20
    assert left == {}
