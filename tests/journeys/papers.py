"""Three real files, made on the spot: Chinese Markdown, an English PDF, a Chinese Word document."""

from __future__ import annotations

from pathlib import Path

from docx import Document
from playwright.sync_api import Browser

LEAVE = """# 年假管理规定

## 天数

工作满一年不满十年的员工，每年享有五天年假；满十年不满二十年的，十天；满二十年的，十五天。

## 结转

当年没有休完的年假可以结转到次年三月三十一日，逾期作废。因工作需要不能休假的，由部门负责人书面确认，
按日工资的三倍折算补偿。

## 申请

休假三天以内提前两个工作日申请，超过三天提前十个工作日申请。
"""

HANDBOOK = """
<html lang="en"><body>
<h1>Laboratory safety handbook</h1>
<p>This handbook is for everyone who works in the wet laboratory on the second floor.</p>
<h2>Chemical spills</h2>
<p>If an acid is spilled, leave the bench at once and warn the people next to you. Cover the spill
with sodium bicarbonate until it stops fizzing, then sweep it into the yellow waste drum. Spills of more
than one litre are left to the emergency team on extension 4400.</p>
<h2>Working alone</h2>
<p>Nobody works alone in the laboratory after eight in the evening. A second person must be within calling
distance, and the door stays open.</p>
</body></html>
"""


def write_papers(folder: Path, browser: Browser) -> list[Path]:
    """The three files in ``folder``."""
    leave = folder / "年假管理规定.md"
    leave.write_text(LEAVE, encoding="utf-8")
    handbook = folder / "Laboratory safety handbook.pdf"
    page = browser.new_page()
    page.set_content(HANDBOOK)
    page.pdf(path=handbook)
    page.close()
    return [leave, handbook, _contract(folder / "采购合同审批流程.docx")]


def _contract(path: Path) -> Path:
    paper = Document()
    paper.add_heading("采购合同审批流程", level=1)
    paper.add_heading("金额分级", level=2)
    paper.add_paragraph("五万元以下的采购合同由部门经理审批；五万元以上、五十万元以下的，由财务总监审批；")
    paper.add_paragraph("五十万元以上的采购合同必须经过总经理办公会集体讨论，并留存会议纪要。")
    table = paper.add_table(rows=2, cols=2)
    for cell, text in zip(
        (c for row in table.rows for c in row.cells), ["环节", "时限", "法务审核", "三个工作日"], strict=True
    ):
        cell.text = text
    paper.add_heading("归档", level=2)
    paper.add_paragraph("合同签署后七日内，经办人把原件送交档案室，扫描件上传合同系统。")
    paper.save(str(path))
    return path
