"""Which computers a spec may name: this one, and those that the operator allows.

An address in a spec is followed with what the operator's environment holds, a password of a
database (PGPASSWORD and the file beside it) or a token. So a spec may name this
computer by itself, and any other only where ``--allow-host`` names it. Addresses are read by a
grammar of this module that is narrower than those of the drivers, so that nothing can be read in
two ways.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Annotated, TypeAlias
from urllib.parse import unquote

from pydantic import AfterValidator, ValidationInfo

from evalreport.spec.fields import Fault, Text, refuse

#: Where validation finds the hosts that ``--allow-host`` allows.
HOSTS = "allow_hosts"

_HOST = r"(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])"
_PLACE = rf"{_HOST}(?::[0-9]{{1,5}})?"
_POSTGRES = re.compile(
    rf"postgres(?:ql)?://(?:(?P<user>[\w.~%+-]+)@)?(?P<places>{_PLACE}(?:,{_PLACE})*)?"
    r"(?:/(?P<database>[\w.~%+-]*))?(?:\?(?P<parameters>[\w=&%/.~-]*))?",
    re.ASCII,
)
_SPARK = re.compile(rf"sc://(?P<place>{_PLACE})(?:/[\x21-\x7e]*)?", re.ASCII)

#: How TLS is asked of a server, weakest first; a spec may ask for the last two.
SSL_MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")


@dataclass(frozen=True)
class PostgresAddress:
    """The parts of a Postgres address; ``places`` are hosts with their ports as text or None.

    ``sslmode``: what the address asks for, None if nothing.
    """

    places: tuple[tuple[str, str | None], ...]
    user: str | None
    database: str | None
    sslmode: str | None

    @property
    def local(self) -> bool:
        """Whether every host is this computer; true where none is named."""
        return all(is_local(host) for host, _ in self.places)


def postgres_address(address: str) -> PostgresAddress:
    """The parts of an address. Raises ValueError for one in another form.

    >>> postgres_address("postgresql://me@db.example.org:5433/study").places
    (('db.example.org', '5433'),)
    """
    found = _POSTGRES.fullmatch(address)
    if found is None:
        raise ValueError(f"it is not written as {_POSTGRES_FORM}")
    places = tuple(_place(p) for p in (found["places"] or "").split(",") if p)
    modes = dict.fromkeys(SSL_MODES)
    mode = None
    for parameter in (found["parameters"] or "").split("&"):
        key, _, value = parameter.partition("=")
        if key == "host" and value.startswith("/") and "%" not in value and not places:
            places = ((value, None),)
        elif key == "sslmode" and value in modes:
            mode = value
        elif parameter:
            raise ValueError(f"it sets {key or parameter}, and only sslmode can be set there")
    return PostgresAddress(places, _text(found["user"]), _text(found["database"]), mode)


_POSTGRES_FORM = "postgresql://user@host:port/name"
#: How the address of a Postgres server begins.
POSTGRES = ("postgresql://", "postgres://")


def _place(text: str) -> tuple[str, str | None]:
    host, colon, port = text.rpartition(":") if not text.endswith("]") else (text, "", "")
    return (host.strip("[]"), port) if colon else (text.strip("[]"), None)


def _text(part: str | None) -> str | None:
    return unquote(part) if part else None


def is_local(host: str) -> bool:
    """Whether a host is this computer, whatever a name server says.

    >>> [is_local(h) for h in ("localhost", "127.0.0.9", "::1", "/run/postgresql", "10.0.0.1")]
    [True, True, True, True, False]
    """
    if host == "localhost" or host.startswith("/"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _allowed(place: tuple[str, str | None], info: ValidationInfo) -> bool:
    """Whether a host with its port is this computer, or was named with that port or without one."""
    host, port = place[0].lower(), place[1]
    named = {_place(str(name).lower()) for name in (info.context or {}).get(HOSTS, ())}
    return is_local(host) or bool({(host, None), (host, port)} & named)


def _check(places: Sequence[tuple[str, str | None]], info: ValidationInfo) -> None:
    for place in places:
        if not _allowed(place, info):
            raise refuse(
                Fault(
                    f"the host {place[0]} is not this computer",
                    f"if passwords and data may go there: --allow-host {place[0]}",
                )
            )


def database_host(database: str, info: ValidationInfo) -> str:
    """A database that is read and whose host may be asked, or a fault; a file is no matter of this.

    Of any other database the rows are counted by its own tools.
    """
    if not database.startswith(POSTGRES):
        if "://" not in database:
            return database
        raise refuse(
            Fault(
                f"databases behind such an address are not read: {database.partition(':')[0]}://",
                f"{_POSTGRES_FORM}, a SQLite or a DuckDB file; or the answer of the query that "
                "`evalreport plan --sql` prints, run there, as a file with `count: n`",
            )
        )
    try:
        places = postgres_address(database).places
    except ValueError as error:
        told = f"the address of the database is not read: {error}"
        raise refuse(Fault(told, _POSTGRES_FORM)) from None
    _check(places, info)
    return database


#: An object of a store, several of them by a pattern, or all below a name that ends in /.
_STORE = re.compile(r"(s3|gs|az)://(?P<bucket>[A-Za-z0-9][A-Za-z0-9._-]{0,254})/[^\x00-\x1f\x7f]+")


def in_store(path: str, info: ValidationInfo) -> bool:
    """Whether a path is the address of an object in a bucket that may be asked; or a fault.

    Who asks shows the store who they are, so a spec may name no bucket by itself.
    """
    if not path.startswith(("s3://", "gs://", "az://")):
        return False
    found = _STORE.fullmatch(path)
    if found is None:
        told = f"the address of the object is not read: '{path}'"
        raise refuse(Fault(told, f"{path[:2]}://bucket/name"))
    bucket = f"{path[:2]}://{found['bucket']}"
    allowed = {str(name).rstrip("/") for name in (info.context or {}).get(HOSTS, ())}
    if bucket not in allowed:
        raise refuse(
            Fault(
                f"{path}: the bucket is not on this computer",
                f"if it may be asked with your credentials: --allow-host {bucket}",
            )
        )
    return True


#: A secret among the parameters of an address: specs are kept in results.
_TOKEN = re.compile(r";\s*(token|password)\s*=", re.IGNORECASE)


def spark_host(url: str, info: ValidationInfo) -> str:
    """The address of a cluster that may be asked, or a fault."""
    found = _SPARK.fullmatch(url)
    if found is None:
        raise refuse(Fault("the address of the cluster is not read", "sc://host:port"))
    _check([_place(found["place"])], info)
    if _TOKEN.search(url):
        raise refuse(
            Fault(
                "the address of the cluster contains a token",
                "an address without one; the client takes it from SPARK_CONNECT_AUTHENTICATE_TOKEN",
            )
        )
    return url


ClusterAddress: TypeAlias = Annotated[Text, AfterValidator(spark_host)]
