"""Starting again: how long `manage.py serve` takes until it is ready on a home that was used before.

.venv/bin/python -m bench.start [--times 3]
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path

from tests.running import Site

LIMIT = 10.0


def main() -> None:
    """Run and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--times", type=int, default=3)
    times = options.parse_args().times
    with tempfile.TemporaryDirectory(prefix="kb-bench-") as folder:
        home = Path(folder)
        seconds = []
        for _ in range(times + 1):
            site = Site(home)
            with site:
                seconds.append(site.ready_seconds)
    first, again = seconds[0], seconds[1:]
    print(f"first start (database made)   {first:6.2f} s")
    print(f"starting again                {statistics.median(again):6.2f} s   worst {max(again):.2f} s")
    print(f"limit                         {LIMIT:6.2f} s   {'ok' if max(again) <= LIMIT else 'TOO SLOW'}")


if __name__ == "__main__":
    main()
