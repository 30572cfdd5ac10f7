"""``manage.py create_api_key EMAIL --name NAME`` prints a key."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from kbsite.accounts.audit import record
from kbsite.accounts.keys import make_key
from kbsite.accounts.models import User


class Command(BaseCommand):
    help = "Make an API key for a person and print it, this once."

    def add_arguments(self, parser: CommandParser) -> None:
        """EMAIL, --name, --read-only."""
        parser.add_argument("email")
        parser.add_argument("--name", default="command line", help="what will use the key")
        parser.add_argument("--read-only", action="store_true", help="read, search and ask only")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the key alone on a line, so that a shell can take it."""
        email = options["email"].strip().lower()
        user = User.objects.filter(email=email, is_active=True).first()
        if user is None:
            known = ", ".join(User.objects.filter(is_active=True).values_list("email", flat=True)[:10])
            raise CommandError(f"Nobody here has the address {email}. People: {known or 'none yet'}.")
        key, token = make_key(user, options["name"], read_only=options["read_only"])
        record(user, "key.made", str(key), by="command")
        self.stdout.write(token)
