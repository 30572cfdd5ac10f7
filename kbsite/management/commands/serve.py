"""``manage.py serve``: the whole site under one supervisor."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from kbsite.parts import PARTS
from kbsite.supervisor import Supervisor


class Command(BaseCommand):
    help = "Start web, worker and beat together; Ctrl-C stops them. Name some to start only those."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("parts", nargs="*", choices=[[], *PARTS], metavar="|".join(PARTS))

    def handle(self, *args: Any, **options: Any) -> None:
        Supervisor(options["parts"] or list(PARTS)).run()
