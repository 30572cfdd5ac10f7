"""The tree that the folder protocol gives as its example."""

from __future__ import annotations

from documents.models import Folder

# name, the folder it is in, sort_order
EXAMPLE = (
    ("技术文档", None, 10),
    ("前端开发", "技术文档", 0),
    ("后端开发", "技术文档", 1),
    ("React", "前端开发", 0),
    ("Vue", "前端开发", 1),
    ("FastAPI", "后端开发", 0),
    ("产品文档", None, 20),
)


def make_example() -> dict[str, Folder]:
    """The example's folders beside the system folder, by name."""
    made: dict[str, Folder] = {}
    for name, parent, order in EXAMPLE:
        made[name] = Folder.objects.create(name=name, parent=made.get(parent or ""), sort_order=order)
    return made
