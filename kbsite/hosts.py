"""The names under which this machine may be asked for the site."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Sequence
from urllib.parse import urlsplit

import psutil

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


def allowed_hosts(bind: str, url: str, named: Sequence[str]) -> list[str]:
    """Django's ``ALLOWED_HOSTS``: loopback, the host of ``url``, and ``named``.

    With nothing named and ``bind`` open to a network, also this machine's own names and addresses.
    Others are refused: a page elsewhere could make a browser ask under a name of its choosing.
    """
    hosts = [*LOOPBACK, *named]
    if url:
        hosts.append(_bracketed(urlsplit(url).hostname or ""))
    elif not named and bind not in LOOPBACK:
        hosts += _own_names() if _is_unspecified(bind) else [_bracketed(bind)]
    return list(dict.fromkeys(host for host in hosts if host))


def _own_names() -> list[str]:
    name = socket.gethostname()
    addresses = [
        _bracketed(address.address.split("%")[0])
        for card in psutil.net_if_addrs().values()
        for address in card
        if address.family in (socket.AF_INET, socket.AF_INET6)
    ]
    return [name, f"{name.split('.')[0]}.local", *addresses]


def _is_unspecified(bind: str) -> bool:
    try:
        return ipaddress.ip_address(bind.strip("[]")).is_unspecified
    except ValueError:
        return False


def _bracketed(host: str) -> str:
    return f"[{host.strip('[]')}]" if ":" in host else host
