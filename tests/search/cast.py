"""A small base that searches are tried on: indexed as the product indexes."""

from __future__ import annotations

from documents.models import Folder
from skills.index import index_skill
from skills.models import Skill

TEXTS = {
    "差旅费用报销办法": (
        "# 差旅费用报销办法\n\n## 第十一条\n\n纸质车票遗失、损毁的，不影响报销，"
        "员工应自行登录 12306 申请开具并下载电子发票。\n\n"
        "## 第十二条\n\n住宿费按城市等级限额报销，一线城市每晚不超过五百元。"
    ),
    "Overseas travel policy": (
        "# Overseas travel policy\n\nIf a ticket or boarding pass is lost, attach the e-ticket receipt "
        "issued by the travel desk together with a short statement. "
        "Claims are closed 60 days after the trip ends."
    ),
    "Connection faults": (
        "# Connection faults\n\nERR_CONN_1042 means that the gateway at 10.20.30.40 refused the connection. "
        "Restart the relay and check device SN-00017."
    ),
    "Coffee machine": (
        "# Coffee machine\n\nDescale the coffee machine every month and empty the tray every evening."
    ),
    "教务系统": "# 教务系统\n\n本文是关于教务使用的一篇小教程，说明如何选课和查询成绩。",
    "质量报告": "# 质量报告\n\n本月产品合格率 95%，比上月提高两个百分点。",
    "Style guide": "# Style guide\n\nThere is no percent sign here. C is a language; its names are short.",
    "C++ rules": "# C++ rules\n\nC++ code uses smart pointers and never raw new.",
}


def skill(name: str, content: str, folder: Folder | None = None, **fields: object) -> Skill:
    """An approved skill, indexed."""
    slug = f"s-{Skill.objects.count()}"
    values = {"status": "approved", "abstract": content.split("\n")[-1][:200], "overview": content, **fields}
    made = Skill.objects.create(slug=slug, name=name, content=content, folder=folder, **values)
    index_skill(made)
    return made


def base() -> dict[str, Skill]:
    """The skills of :data:`TEXTS` by name."""
    return {name: skill(name, text) for name, text in TEXTS.items()}
