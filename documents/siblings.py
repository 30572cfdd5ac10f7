"""Where a folder stands among its siblings: a number between two others, disturbing as few as can be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from uuid import UUID

from django.utils.translation import gettext as _

from documents.models import Folder
from kbsite.accounts.models import User
from kbsite.exceptions import NotFound

# Siblings made without an order come after the ones before them.
STEP = 10
FEW = 16
LARGEST = 2**31 - 1  # what the column holds


def order_beside(parent: Folder | None, but: Folder, *, before: UUID | None, after: UUID | None) -> int:
    """A sort_order for ``but`` right before or after a folder of ``parent``; makes room if there is none.

    At most one statement changes siblings. Raises NotFound when that folder is not in ``parent``.
    """
    others = Folder.objects.filter(parent=parent, is_system=False).exclude(pk=but.pk)
    siblings = list(others.order_by("place"))
    beside = before or after
    at = next((n for n, sibling in enumerate(siblings) if sibling.pk == beside), None)
    if at is None:
        raise NotFound(_("The folder beside it is no longer there. Load the page again."))
    order, changed = room([sibling.sort_order for sibling in siblings], at if before else at + 1)
    for n, new in changed.items():
        siblings[n].sort_order = new
    if changed:
        Folder.objects.bulk_update([siblings[n] for n in changed], ["sort_order"])
    return order


def beside(folder: Folder, user: User) -> dict[str, UUID | None]:
    """Where ``folder`` stands now, as :func:`documents.folders.move` takes it: its parent, and a
    neighbour that ``user`` may see.
    """
    others = Folder.objects.visible_to(user).filter(parent=folder.parent_id, is_system=False)
    where: dict[str, UUID | None] = {"parent_id": folder.parent_id}
    if following := others.filter(place__gt=folder.place).order_by("place").first():
        return where | {"before": following.pk}
    earlier = others.filter(place__lt=folder.place).order_by("-place").first()
    return where | {"after": earlier.pk} if earlier else where


def room(orders: Sequence[int], at: int) -> tuple[int, dict[int, int]]:
    """The number for a new one before ``orders[at]`` (rising), and new numbers for a few others by index.

    The run that changes is the smallest with room in it, or less than twice that.
    """
    for first, last in _runs(len(orders), at):
        low = orders[first - 1] if first else None
        high = orders[last] if last < len(orders) else None
        numbers = _between(low, high, last - first + 1)
        if numbers:
            new = numbers[at - first]
            rest = [*numbers[: at - first], *numbers[at - first + 1 :]]
            return new, dict(zip(range(first, last), rest, strict=True))
    raise AssertionError("the whole run always has room")


def _runs(count: int, at: int) -> Iterator[tuple[int, int]]:
    """Runs of siblings around ``at``, shortest first: [first, last)."""
    sizes = list(range(min(FEW, count) + 1))
    while sizes[-1] < count:
        sizes.append(min(2 * sizes[-1], count))
    for size in sizes:
        for first in range(max(0, at - size), min(at, count - size) + 1):
            yield first, first + size


def _between(low: int | None, high: int | None, count: int) -> list[int]:
    """``count`` numbers between two, evenly; without an end in steps of ten; none where there is no room."""
    if low is None and high is None:
        return [STEP * n for n in range(1, count + 1)]
    if low is None:
        assert high is not None  # noqa: S101 - the case before
        return [high - STEP * n for n in range(count, 0, -1)] if high - STEP * count >= -LARGEST else []
    if high is None:
        return [low + STEP * n for n in range(1, count + 1)] if low + STEP * count <= LARGEST else []
    if high - low <= count:
        return []
    return [low + (high - low) * n // (count + 1) for n in range(1, count + 1)]
