"""The cast of every test: who they are and what they may do."""

from __future__ import annotations

from kbsite.accounts.keys import make_key
from kbsite.accounts.models import Role, User

PASSWORD = "correct horse battery"


def person(name: str, role: Role) -> User:
    """Somebody of that name and role; their address is ``name@example.com``."""
    return User.objects.create_user(f"{name.lower()}@example.com", PASSWORD, name=name, role=role)


def alice() -> User:
    """The admin."""
    return person("Alice", Role.ADMIN)


def bob() -> User:
    """An editor."""
    return person("Bob", Role.EDITOR)


def carol() -> User:
    """A curator."""
    return person("Carol", Role.CURATOR)


def dave() -> User:
    """A reader."""
    return person("Dave", Role.READER)


def bearer(user: User, **narrower: object) -> dict[str, str]:
    """Request headers that carry a fresh key of ``user``."""
    _, token = make_key(user, "test", **narrower)  # type: ignore[arg-type]
    return {"authorization": f"Bearer {token}"}
