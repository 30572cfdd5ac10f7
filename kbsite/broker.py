"""Kombu's PGMQ transport on connections made from ``DATABASE_URL`` as it stands.

``pgmq`` takes a URL apart and puts it together again without the socket folder, the TLS mode
and the quoting; given a pool it leaves the connection to us.
"""

from __future__ import annotations

from django.conf import settings
from kombu.transport import TRANSPORT_ALIASES, pgmq
from pgmq import PGMQueue
from psycopg_pool import ConnectionPool

URL = "skillknow://database"
CONNECTIONS = 4
TIMEOUT_SECONDS = 5.0

TRANSPORT_ALIASES["skillknow"] = "kbsite.broker:Transport"


class Transport(pgmq.Transport):
    """The ``skillknow://`` broker: PGMQ in the site's own database."""

    def _create_pgmq_client(self) -> PGMQueue:
        self._pool = ConnectionPool(
            settings.DATABASE_URL,
            kwargs={"application_name": "kb-queue"},
            min_size=1,
            max_size=CONNECTIONS,
            timeout=TIMEOUT_SECONDS,
            check=ConnectionPool.check_connection,
            name="kb-queue",
            open=True,
        )
        return PGMQueue(conn_string="", pool=self._pool, init_extension=False)

    def close_connection(self, connection: object) -> None:
        """Close the pool too: the client leaves alone what it did not make."""
        super().close_connection(connection)
        self._pool.close()
