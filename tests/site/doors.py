"""Who may open which door: ``anyone``, or the smallest role. Bodies are good enough to get past parsing."""

from __future__ import annotations

import json

ANYONE = "anyone"
SETUP = "setup"  # open until there is an admin, then admins only


def _json(**body: object) -> str:
    return json.dumps(body)


FOLDER = "01890000-0000-7000-8000-000000000000"
# One file, as a browser sends it.
FORM = """--x\r
Content-Disposition: form-data; name="file"; filename="a.md"\r
Content-Type: text/markdown\r
\r
# Words\r
--x--\r
"""


def kind(body: str) -> str:
    """The content type of a body in the table."""
    return "multipart/form-data; boundary=x" if body.startswith("--x") else "application/json"


QUESTION = _json(message="What is the secret plan?")
SKILL = _json(name="New", description="", category="knowledge", content="text")

API: dict[str, tuple[str, str]] = {
    "GET /api/health": (ANYONE, ""),
    "GET /api/health/detail": ("reader", ""),
    "GET /api/me": ("reader", ""),
    "GET /api/keys": ("reader", ""),
    "POST /api/keys": ("reader", _json(name="another")),
    "DELETE /api/keys/{key_id}": ("reader", ""),
    "GET /api/quick-setup/state": ("admin", ""),
    "GET /api/quick-setup/checklist": ("admin", ""),
    "POST /api/quick-setup/test-connection": ("admin", _json(base_url="http://127.0.0.1:9/v1")),
    "POST /api/quick-setup/essential": ("admin", _json()),
    "POST /api/quick-setup/reset": ("admin", ""),
    "GET /api/prompts": ("curator", ""),
    "GET /api/prompts/{key}": ("curator", ""),
    "PUT /api/prompts/{key}": ("curator", _json(content="x")),
    "POST /api/prompts/{key}/reset": ("curator", ""),
    "POST /api/prompts/{key}/preview": ("curator", _json(variables={})),
    "POST /api/chat/stream": ("reader", QUESTION),
    "POST /api/chat": ("reader", QUESTION),
    "GET /api/chat/messages/{message_id}/stream": ("reader", ""),
    "POST /api/chat/messages/{message_id}/stop": ("reader", ""),
    "POST /api/chat/messages/{message_id}/regenerate": ("reader", ""),
    "POST /api/chat/messages/{message_id}/feedback": ("reader", _json(rating="helpful")),
    "GET /api/conversations": ("reader", ""),
    "POST /api/conversations": ("reader", _json(title="x")),
    "GET /api/conversations/{conversation_id}": ("reader", ""),
    "PUT /api/conversations/{conversation_id}": ("reader", _json(title="x")),
    "DELETE /api/conversations/{conversation_id}": ("reader", ""),
    "GET /api/conversations/{conversation_id}/messages": ("reader", ""),
    "GET /api/conversations/{conversation_id}/export": ("reader", ""),
    "GET /api/search": ("reader", ""),
    "POST /api/search": ("reader", _json(query="secret")),
    "POST /api/skills/search": ("reader", _json(query="secret")),
    "GET /api/skills": ("reader", ""),
    "POST /api/skills": ("editor", SKILL),
    "POST /api/skills/move": ("editor", _json(ids=[FOLDER], folder_id=None)),
    "GET /api/skills/{skill_id}": ("reader", ""),
    "PUT /api/skills/{skill_id}": ("editor", _json(name="x")),
    "DELETE /api/skills/{skill_id}": ("editor", ""),
    "POST /api/skills/{skill_id}/move": ("editor", ""),
    "POST /api/skills/{skill_id}/append": ("editor", _json(content="x")),
    "POST /api/skills/{skill_id}/layers": ("editor", ""),
    "POST /api/skills/{skill_id}/retry": ("editor", ""),
    "GET /api/skills/{skill_id}/revisions": ("reader", ""),
    "POST /api/skills/{skill_id}/revisions/{number}/restore": ("editor", ""),
    "GET /api/skills/{skill_id}/relations": ("reader", ""),
    "GET /api/trash": ("editor", ""),
    "POST /api/trash/restore": ("editor", _json(items=[{"kind": "skill", "id": FOLDER}])),
    "DELETE /api/trash/{kind}/{thing_id}": ("curator", ""),
    "GET /api/knowledge": ("reader", ""),
    "POST /api/knowledge": ("editor", _json(content="text")),
    "GET /api/knowledge/search": ("reader", ""),
    "GET /api/knowledge/pending": ("reader", ""),
    "POST /api/knowledge/process": ("editor", ""),
    "GET /api/knowledge/status/{reference}": ("reader", ""),
    "GET /api/knowledge/{reference}": ("reader", ""),
    "PUT /api/knowledge/{reference}": ("editor", _json(content="x")),
    "DELETE /api/knowledge/{reference}": ("editor", ""),
    "GET /api/documents": ("reader", ""),
    "POST /api/documents/upload": ("editor", FORM),
    "GET /api/documents/search": ("reader", ""),
    "GET /api/documents/{document_id}": ("reader", ""),
    "DELETE /api/documents/{document_id}": ("editor", ""),
    "GET /api/documents/{document_id}/content": ("reader", ""),
    "GET /api/documents/{document_id}/download": ("reader", ""),
    "GET /api/documents/{document_id}/versions": ("reader", ""),
    "POST /api/documents/{document_id}/move": ("editor", _json(folder_id=None)),
    "POST /api/documents/{document_id}/retry": ("editor", ""),
    "POST /api/documents/{document_id}/decide": ("editor", _json(choice="keep")),
    "POST /api/documents/{document_id}/unlock": ("editor", _json(password="x")),
    "POST /api/upload/batch": ("editor", FORM),
    "GET /api/upload/tasks/{task_id}": ("reader", ""),
    "DELETE /api/upload/tasks/{task_id}": ("editor", ""),
    "GET /api/upload/tasks/{task_id}/stream": ("reader", ""),
    **{
        f"{method} /api{place}{path}": row
        for place in ("", "/documents")
        for (method, path), row in {
            ("GET", "/folders"): ("reader", ""),
            ("POST", "/folders"): ("editor", _json(name="x")),
            ("GET", "/folders/{folder_id}"): ("reader", ""),
            ("PUT", "/folders/{folder_id}"): ("editor", _json(name="x")),
            ("DELETE", "/folders/{folder_id}"): ("editor", ""),
            ("POST", "/folders/{folder_id}/move"): ("editor", _json(parent_id=None)),
            ("POST", "/folders/{folder_id}/move-contents"): ("editor", _json(folder_id=None)),
        }.items()
    },
}

PAGES: dict[str, str] = {
    "None": ANYONE,
    "language": ANYONE,
    "theme": ANYONE,
    "accounts:login": ANYONE,
    "accounts:logout": ANYONE,
    "accounts:me": "reader",
    "accounts:password": "reader",
    "accounts:key_make": "reader",
    "accounts:key_revoke": "reader",
    "quick_setup:setup": SETUP,
    "quick_setup:account": SETUP,
    "quick_setup:model": "admin",
    "quick_setup:model_test": "admin",
    "quick_setup:samples": "admin",
    "tree": "reader",
    "palette": "reader",
    "styleguide": "curator",
    "llm:models": "admin",
    "llm:offered": "admin",
    "llm:purpose": "admin",
    "llm:provider_new": "admin",
    "llm:provider_test_new": "admin",
    "llm:provider": "admin",
    "llm:provider_test": "admin",
    "llm:provider_delete": "admin",
    "prompts:list": "curator",
    "prompts:prompt": "curator",
    "prompts:reset": "curator",
    "documents:list": "reader",
    "documents:events": "reader",
    "documents:upload": "editor",
    "documents:many": "editor",
    "documents:batch": "editor",
    "documents:document": "reader",
    "documents:download": "reader",
    "documents:retry": "editor",
    "documents:cancel": "editor",
    "documents:decide": "editor",
    "documents:unlock": "editor",
    "documents:move": "editor",
    "documents:delete": "editor",
    "documents:restore": "editor",
    "documents:folder_create": "editor",
    "documents:folder_change": "editor",
    "documents:folder_delete": "editor",
    "documents:folder_restore": "editor",
    "search:search": "reader",
    "skills:list": "reader",
    "skills:new": "editor",
    "skills:skill": "reader",
    "skills:content": "reader",
    "skills:state": "reader",
    "skills:history": "reader",
    "skills:edit": "editor",
    "skills:append": "editor",
    "skills:move": "editor",
    "skills:layers": "editor",
    "skills:retry": "editor",
    "skills:restore": "editor",
    "skills:delete": "editor",
    "skills:undelete": "editor",
    "skills:trash": "editor",
    "skills:trash_restore": "editor",
    "skills:trash_delete": "curator",
    "knowledge:list": "reader",
    "knowledge:understood": "editor",
    "knowledge:delete_many": "editor",
    "knowledge:restore": "editor",
    "knowledge:note": "reader",
    "knowledge:state": "reader",
    "knowledge:change": "editor",
    "knowledge:delete": "editor",
    "chat:ask": "reader",
    "chat:conversations": "reader",
    "chat:conversation": "reader",
    "chat:rename": "reader",
    "chat:pin": "reader",
    "chat:delete": "reader",
    "chat:restore": "reader",
    "chat:export": "reader",
    "chat:stream": "reader",
    "chat:stop": "reader",
    "chat:again": "reader",
    "chat:feedback": "reader",
}
