"""What curators do on the admin site: the review queue, merging, tags of many, export."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from lxml import html

from documents.models import Folder, FolderGrant
from kbsite.accounts.models import AuditEntry, User
from skills import merge, review
from skills.models import Relation, Skill

Write = Callable[..., Skill]
QUEUE = "/admin/skills/skill/review/"
pytestmark = pytest.mark.usefixtures("alice")


@pytest.fixture
def site(carol: User) -> Client:
    client = Client()
    client.force_login(carol)
    return client


def status_of(*skills: Skill) -> list[str]:
    return [Skill.objects.get(pk=skill.pk).status for skill in skills]


def said(answer: Any) -> str:
    """What the page says after a deed."""
    items = html.fromstring(answer.content.decode()).xpath("//ul[@class='messagelist']/li")
    return " ".join(item.text_content().strip() for item in items)


def conflict(one: Skill, two: Skill) -> Relation:
    """A conflict, written both ways; the one of the queue."""
    Relation.objects.create(source=two, target=one, type="conflict", reason="Two prices.")
    Relation.objects.create(source=one, target=two, type="conflict", reason="Two prices.")
    first = min(one, two, key=lambda skill: skill.pk)
    return Relation.objects.get(source=first)


def test_the_queue_counts_what_waits(site: Client, write: Write, carol: User) -> None:
    """By kind, on its tabs and on the first page; a pair of skills once."""
    one, two, wrong, waiting = write("A"), write("B"), write("R"), write("W", index=False)
    conflict(one, two)
    review.set_status([wrong.pk], carol, "rejected")
    for address in (QUEUE, reverse("admin:index")):
        page = html.fromstring(site.get(address).content)
        links = page.xpath("//nav[@class='queue-tabs']/a")
        assert [" ".join(link.text_content().split()) for link in links] == [
            "Pending 1",
            "Rejected 1",
            "Conflicts 1",
        ]
    assert waiting.name in site.get(QUEUE).content.decode()
    rejected = site.get(QUEUE, {"tab": "rejected"}).content.decode()
    assert "Rejected by Carol" in rejected
    conflicts = site.get(QUEUE, {"tab": "conflicts"}).content.decode()
    assert conflicts.count("Two prices.") == 1


def test_an_empty_queue_says_so(site: Client) -> None:
    """Each tab in its own words; an unknown one is the first."""
    for tab, sentence in (("pending", "Nothing waits"), ("rejected", "No skill is"), ("conflicts", "No two")):
        assert sentence in site.get(QUEUE, {"tab": tab}).content.decode()
    assert "Nothing waits" in site.get(QUEUE, {"tab": "x", "page": "zz"}).content.decode()


def test_deciding(site: Client, write: Write) -> None:
    """Restore what was rejected; what was never indexed is left, and the page says so."""
    skill, waiting = write("A"), write("W", index=False)
    review.set_status([skill.pk], User.objects.get(role="curator"), "rejected")
    answer = site.post(
        f"{QUEUE}?tab=rejected", {"deed": "approved", "skill": [skill.pk, waiting.pk]}, follow=True
    )
    assert said(answer) == "1 skill changed. What was never indexed, or was merged, is left as it is."
    assert status_of(skill, waiting) == ["approved", "pending"]
    again = site.post(QUEUE, {"deed": "index_again", "skill": [waiting.pk]}, follow=True)
    assert said(again) == "1 skill changed."
    for bad in ({"deed": "nothing", "skill": [skill.pk]}, {"deed": "checked", "skill": ["x"]}, {"deed": ""}):
        assert said(site.post(QUEUE, bad, follow=True))


def test_settling_a_conflict(site: Client, write: Write) -> None:
    """One holds and is checked, the other is rejected; it leaves the queue, the relation stays."""
    one, two = write("A"), write("B")
    relation = conflict(one, two)
    answer = site.post(
        f"{QUEUE}?tab=conflicts",
        {"deed": "settle", "relation": relation.pk, "outcome": "second"},
        follow=True,
    )
    assert said(answer) == "The conflict is settled."
    assert status_of(relation.source, relation.target) == ["rejected", "checked"]
    assert Relation.objects.count() == 2
    assert AuditEntry.objects.filter(action="skill.conflict_settled").exists()
    late = site.post(QUEUE, {"deed": "settle", "relation": relation.pk, "outcome": "first"}, follow=True)
    assert "settled already" in said(late)


def test_both_hold(site: Client, write: Write) -> None:
    """With a reason, which is kept; the relation goes both ways, others stay."""
    one, two = write("A"), write("B")
    relation = conflict(one, two)
    Relation.objects.create(source=one, target=two, type="complement")
    given = {"deed": "settle", "relation": relation.pk, "outcome": "both"}
    assert "Say in a few words" in said(site.post(QUEUE, given, follow=True))
    site.post(QUEUE, given | {"reason": "Different years."})
    assert [row.type for row in Relation.objects.all()] == ["complement"]
    assert AuditEntry.objects.get(action="skill.conflict_settled").detail["reason"] == "Different years."


def test_a_merge_is_taken_back_from_the_queue(site: Client, write: Write, carol: User) -> None:
    """With the text, or only the skill where that was rewritten; approving alone doesn't."""
    target, source = write("A", "First."), write("B", "Second.")
    merge.merge(source.pk, target.pk, carol)
    page = site.get(QUEUE, {"tab": "rejected"}).content.decode()
    assert "Merged into “A”" in page
    site.post(QUEUE, {"deed": "approved", "skill": [source.pk]})
    assert status_of(source) == ["rejected"]
    site.post(QUEUE, {"deed": "take_back", "skill": source.pk})
    assert status_of(source) == ["approved"]
    merge.merge(source.pk, target.pk, carol)
    Skill.objects.filter(pk=target.pk).update(content="Rewritten.")
    refused = site.post(QUEUE, {"deed": "take_back", "skill": source.pk}, follow=True)
    assert "was rewritten since" in said(refused)
    site.post(QUEUE, {"deed": "bring_back", "skill": source.pk})
    assert status_of(source) == ["approved"]
    assert Skill.objects.get(pk=target.pk).content == "Rewritten."


def test_merging_from_the_list(site: Client, write: Write) -> None:
    """Exactly two; the page can be turned round; a refusal keeps the text."""
    one, two, three = write("A", "First."), write("B", "Second."), write("C")
    changelist = reverse("admin:skills_skill_changelist")

    def act(*skills: Skill) -> Any:
        given = {"action": "merge_two", "_selected_action": [str(skill.pk) for skill in skills]}
        return site.post(changelist, given, follow=True)

    assert "exactly two" in said(act(one, two, three))
    assert "exactly two" in said(act(one))
    page = act(two, one)
    assert page.redirect_chain[-1][0].endswith(f"?into={one.pk}&from={two.pk}")
    assert f"?into={two.pk}&amp;from={one.pk}" in page.content.decode()
    address = page.redirect_chain[-1][0]
    Skill.objects.filter(pk=one.pk).update(version=7)
    given = {"content": "Kept <words>", "source_version": "1", "target_version": "1"}
    late = site.post(address, given)
    assert (late.status_code, "Kept &lt;words&gt;" in late.content.decode()) == (412, True)
    assert site.get(reverse("admin:skills_skill_merge"), {"into": "x"}).status_code == 422
    gone = site.get(reverse("admin:skills_skill_merge"), {"into": str(one.pk), "from": "0" * 32}, follow=True)
    assert "One of the two skills is gone" in said(gone)


def test_tags_of_many(site: Client, write: Write) -> None:
    """A page asks which; each that changes gets a revision; refused words stay in their field."""
    one, two = write("A", tags=["old", "x"]), write("B", tags=["old"])
    system = write("S")
    Skill.objects.filter(pk=system.pk).update(type="system")
    picked = {
        "action": "change_tags",
        "_selected_action": [str(skill.pk) for skill in (one, two, system)],
    }
    changelist = reverse("admin:skills_skill_changelist")
    page = site.post(changelist, picked).content.decode()
    assert "Of 2 skills" in page
    assert "They have now: old, x" in page
    refused = site.post(changelist, picked | {"apply": "1", "add": "t" * 61})
    assert (refused.status_code, "t" * 61 in refused.content.decode()) == (422, True)
    site.post(changelist, picked | {"apply": "1", "add": "new，x", "remove": "old"})
    assert [Skill.objects.get(pk=skill.pk).tags for skill in (one, two)] == [["x", "new"], ["new", "x"]]
    assert one.revisions.latest("number").why == "Tags changed"
    assert Skill.objects.get(pk=system.pk).tags == []


def test_exporting_a_selection(site: Client, write: Write) -> None:
    """A zip of Markdown files."""
    one, _two = write("A", "First."), write("B")
    picked = {"action": "export_them", "_selected_action": [str(one.pk)]}
    answer = site.post(reverse("admin:skills_skill_changelist"), picked)
    assert answer.headers["content-type"] == "application/zip"
    assert AuditEntry.objects.get(action="skill.exported").detail["count"] == 1


def test_what_is_closed_is_closed_to_curators(write: Write, alice: User, carol: User) -> None:
    """B50: queue, counts, merge, settle."""
    folder = Folder.objects.create(name="Closed")
    secret = write("Secret", folder_id=folder.pk)
    mine = write("Mine")
    waiting = write("Hush", folder_id=folder.pk, index=False)
    relation = conflict(mine, secret)
    FolderGrant.objects.create(folder=folder, user=alice)
    client = Client()
    client.force_login(carol)
    for tab in ("pending", "rejected", "conflicts"):
        page = client.get(QUEUE, {"tab": tab}).content.decode()
        assert "Secret" not in page
        assert "Hush" not in page
    assert 'class="count">1' not in page
    for into, other in ((mine, secret), (secret, mine)):
        address = reverse("admin:skills_skill_merge")
        page = client.get(
            address, {"into": str(into.pk), "from": str(other.pk)}, follow=True
        ).content.decode()
        assert "Secret" not in page
    client.post(QUEUE, {"deed": "settle", "relation": relation.pk, "outcome": "both", "reason": "r"})
    client.post(QUEUE, {"deed": "rejected", "skill": [secret.pk, waiting.pk]})
    assert status_of(secret, waiting) == ["approved", "pending"]
    assert Relation.objects.count() == 2


def test_editors_are_kept_out(bob: User, write: Write) -> None:
    """It is for curators."""
    client = Client()
    client.force_login(bob)
    for name in ("review", "merge"):
        assert client.get(reverse(f"admin:skills_skill_{name}")).status_code in (302, 403)


def test_the_queue_takes_a_fixed_number_of_queries(
    site: Client, write: Write, carol: User, django_assert_max_num_queries: Any
) -> None:
    """However much waits."""
    skills = [write(f"n{n}", index=False) for n in range(12)]
    Skill.objects.filter(pk__in=[skill.pk for skill in skills[:6]]).update(status="approved")
    review.set_status([skill.pk for skill in skills[:3]], carol, "rejected")
    for one, two in zip(skills[3:5], skills[5:7], strict=True):
        conflict(one, two)
    for tab in ("pending", "rejected", "conflicts"):
        with django_assert_max_num_queries(14):
            site.get(QUEUE, {"tab": tab})
    with django_assert_max_num_queries(16):
        site.get(reverse("admin:skills_skill_changelist"))
