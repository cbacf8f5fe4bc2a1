"""Where the rows of a dataset are that lie behind an address, or in the file of a database."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from evalreport.data.source import Source, open_source
from evalreport.errors import LostError
from evalreport.spec import hosts
from evalreport.spec.datasets import ClusterTable, Query

T = TypeVar("T")
#: Seconds before a server is asked again.
PAUSE = 1.0


@dataclass(frozen=True)
class Address(Source):
    """A database of a server, or a table of a cluster: ``address`` holds no password."""

    address: str = ""


def open_table(asked: ClusterTable, url: str) -> Source:
    """The table of a cluster; nothing is asked of it yet."""
    version = "" if asked.version is None else f", version {asked.version}"
    return Address(
        f"{asked.table} (Spark{version})", Path(), ".spark-table", 0, "", (), address=url
    )


def open_database(folder: Path, query: Query) -> Source:
    """The database of a query: a file, hashed, or an address. Raises FilesError."""
    if query.database.startswith(hosts.POSTGRES):
        name = urlsplit(query.database).path.lstrip("/") or "database"
        return Address(f"{name} (Postgres)", Path(), ".postgres", 0, "", (), address=query.database)
    return open_source(folder / query.database, query.database)


def again(retries: int, work: Callable[[], T]) -> T:
    """What some work gives, tried up to ``retries`` times more where a connection is lost."""
    for _ in range(retries):
        try:
            return work()
        except LostError:
            time.sleep(PAUSE)
    return work()


def connection_settings(address: str, environment: Mapping[str, str]) -> dict[str, Any]:
    """How to connect to a Postgres server, as libpq calls it.

    To any host but this computer the connection is encrypted and the server has to prove who it
    is, unless the operator's PGSSLMODE says otherwise; a spec can only ask for more.

    >>> connection_settings("postgresql://me@db.example.org/study", {})
    {'host': 'db.example.org', 'user': 'me', 'dbname': 'study', 'sslmode': 'verify-full'}
    """
    parts = hosts.postgres_address(address)
    found: dict[str, Any] = {}
    if parts.places:
        found["host"] = ",".join(host for host, _ in parts.places)
        if any(port for _, port in parts.places):
            found["port"] = ",".join(port or "" for _, port in parts.places)
    found |= {k: v for k, v in (("user", parts.user), ("dbname", parts.database)) if v}
    elsewhere = [host for host in environment.get("PGHOST", "").split(",") if not parts.places]
    if parts.local and all(hosts.is_local(host) for host in elsewhere if host):
        return found | ({"sslmode": parts.sslmode} if parts.sslmode else {})
    own = environment.get("PGSSLMODE", "verify-full")
    order = [mode for mode in (own, parts.sslmode) if mode in hosts.SSL_MODES]
    found["sslmode"] = max(order, key=hosts.SSL_MODES.index, default=own)
    if not found["sslmode"].startswith("verify"):
        # Who answers is not proven: a password is never given as it is, only as a proof of it.
        found["require_auth"] = environment.get("PGREQUIREAUTH", "!password")
    return found
