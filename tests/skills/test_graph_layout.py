"""Where the graph's dots and areas are: the same each time, apart from each other, few moved by a new one."""

from __future__ import annotations

import random
import uuid

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skills.graph.areas import LEVELS, Area, FolderRow, Layout, area_tree, lay_out
from skills.graph.fetch import Node, fold
from skills.graph.treemap import Rect, divide, room_for
from skills.graph.words import shorten, width

ROOM = 0.02


def node(n: int, folder: uuid.UUID | None, name: str = "") -> Node:
    return Node(uuid.UUID(int=n + 1), f"s-{n}", name or f"Skill {n:05}", folder, 0, 100, True, 1, 0)


def folder_id(n: int) -> uuid.UUID:
    return uuid.UUID(int=10_000_000 + n)


def base(skills: int, folders: int, seed: int = 1) -> tuple[list[Node], list[FolderRow]]:
    """A tree of folders at random, and skills in them (some in none)."""
    chance = random.Random(seed)  # noqa: S311 - the same each time
    rows: list[FolderRow] = []
    for n in range(folders):
        parent = folder_id(chance.randrange(n)) if n and chance.random() < 0.7 else None
        rows.append((folder_id(n), parent, f"Folder {n}"))
    nodes = [
        node(n, folder_id(chance.randrange(folders)) if folders and chance.random() < 0.95 else None)
        for n in range(skills)
    ]
    return nodes, rows


def laid(nodes: list[Node], rows: list[FolderRow]) -> Layout:
    return lay_out(nodes, area_tree(nodes, rows, "Unfiled"))


def overlap(a: Rect, b: Rect) -> bool:
    return (
        min(a.x + a.w, b.x + b.w) - max(a.x, b.x) > ROOM and min(a.y + a.h, b.y + b.h) - max(a.y, b.y) > ROOM
    )


def holds(a: Rect, x: float, y: float) -> bool:
    return a.x - ROOM <= x <= a.x + a.w + ROOM and a.y - ROOM <= y <= a.y + a.h + ROOM


@given(st.lists(st.floats(0.5, 500), min_size=1, max_size=60), st.floats(10, 2000), st.floats(10, 2000))
@settings(max_examples=60, deadline=None)
def test_a_rectangle_is_divided_in_proportion(weights: list[float], w: float, h: float) -> None:
    """Parts fill it, lie within it, share nothing, and have the sizes of their weights."""
    parts = divide(Rect(5, 7, w, h), weights)
    assert len(parts) == len(weights)
    assert sum(p.w * p.h for p in parts) == pytest.approx(w * h, rel=1e-6)
    for weight, part in zip(weights, parts, strict=True):
        assert part.w * part.h == pytest.approx(w * h * weight / sum(weights), rel=1e-6)
        assert holds(Rect(5, 7, w, h).inside(-1e-3, -1e-3), part.x, part.y)
    scale = 1e-7 * max(w, h)
    assert not any(
        overlap(a.inside(scale, scale), b.inside(scale, scale))
        for n, a in enumerate(parts)
        for b in parts[:n]
    )


@pytest.mark.parametrize(("skills", "folders"), [(1, 0), (20, 4), (300, 30), (2_000, 200), (2_000, 1_500)])
def test_dots_are_apart_and_in_their_areas(skills: int, folders: int) -> None:
    """No two at one place; each in every area of its folders; areas of one level never overlap."""
    layout = laid(*base(skills, folders))
    assert len({(round(x, 3), round(y, 3)) for x, y in layout.points}) == skills
    _x, _y, w, h = layout.box
    assert all(0 <= x <= w and 0 <= y <= h for x, y in layout.points)
    for n, chain in enumerate(layout.above):
        assert chain and len(chain) <= LEVELS
        assert all(holds(area.rect, *layout.points[n]) for area in chain)
    for level in range(LEVELS):
        rects = [area.rect for area in layout.areas if area.level == level]
        assert not any(overlap(a, b) for n, a in enumerate(rects) for b in rects[:n])


def test_the_same_base_makes_the_same_picture() -> None:
    """Whatever order the rows come in."""
    nodes, rows = base(300, 30)
    first = laid(nodes, rows)
    shuffled = nodes[:]
    random.Random(3).shuffle(shuffled)  # noqa: S311 - the same each time
    second = laid(shuffled, rows)
    where = {n.id: second.points[place] for place, n in enumerate(shuffled)}
    assert all(np.allclose(first.points[place], where[n.id]) for place, n in enumerate(nodes))


def test_a_new_skill_moves_few_of_the_others() -> None:
    """Usually only those after it in its folder; the median over many new ones is next to none."""
    nodes, rows = base(1_000, 60)
    before = np.array(laid(nodes, rows).points)
    moved = []
    for n in range(60):
        grown = [*nodes, node(5_000 + n, folder_id(n))]
        after = np.array(laid(grown, rows).points[:-1])
        moved.append(int((np.hypot(*(after - before).T) > 1.0).sum()))
    assert np.median(moved) <= 1
    assert sum(count == 0 for count in moved) > 30


def test_deep_folders_share_an_area_and_chains_are_one() -> None:
    """Three levels are drawn; a folder that holds only a folder is one area with it."""
    rows: list[FolderRow] = [(folder_id(n), folder_id(n - 1) if n else None, f"F{n}") for n in range(900)]
    nodes = [node(0, folder_id(899)), node(1, folder_id(899))]
    (area,) = area_tree(nodes, rows, "Unfiled")
    assert area.name.startswith("F0 / F1 / ") and area.dots == [0, 1] and not area.within
    nodes = [node(n, folder_id(n)) for n in range(6)]
    (top,) = area_tree(nodes, rows, "Unfiled")
    found: list[Area] = [top]
    while found[-1].within:
        found += found[-1].within
    assert [(a.name, a.level, a.dots) for a in found] == [
        ("F0", 0, [0]),
        ("F1", 1, [1]),
        ("F2", 2, [2, 3, 4, 5]),
    ]
    assert top.count == 6


def test_skills_lie_in_the_lists_order() -> None:
    """Down the columns by priority, then name; what has no folder that one sees lies in "Unfiled"."""
    nodes = [node(0, None, "b"), node(1, None, "a"), node(2, folder_id(5), "c")]
    (area,) = area_tree(nodes, [], "Unfiled")
    assert (area.name, area.dots) == ("Unfiled", [1, 0, 2])
    layout = lay_out(nodes, [area])
    assert layout.points[1][1] < layout.points[0][1] or layout.points[1][0] < layout.points[0][0]


def test_room_grows_in_steps() -> None:
    """Never less than what is there, and less than half as much again."""
    for count in range(1, 3_000):
        assert count <= room_for(count) <= max(count * 1.31 + 1, 3)


def test_long_names_are_cut_where_they_would_be_too_wide() -> None:
    """Han letters count double; marks and controls nothing; line breaks are blanks."""
    assert shorten("Travel", 10) == "Travel"
    assert shorten("差旅费用报销办法", 5) == "差旅费用…"
    assert shorten("two\nlines", 20) == "two lines"
    assert width(shorten("W" * 300, 12)) <= 12
    assert width("\u202e\u0301") == 0
    assert shorten("", 5) == ""


def test_folding_is_the_same_from_both_ends() -> None:
    """In whichever order the rows come."""
    rows = [(0, 1, "relation", "subset"), (1, 0, "relation", "superset"), (1, 0, "relation", "new_type")]
    assert set(fold(rows)) == set(fold(reversed(rows)))
    assert len(fold(rows)) == 2
