"""What every page of the shell shows."""

from django.http import HttpRequest


def shell(request: HttpRequest) -> dict[str, object]:
    """Template context for the rail, the tree and the top bar."""
    return {}
