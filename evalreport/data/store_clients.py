"""The clients of object stores: each is made once for every place that speaks for a store.

Credentials are found by the chain of the store's own client (environment, profiles, roles of the
machine). What pyarrow's clients do not look for, though the store's other tools do, is taken from
the environment here: addresses of servers that speak for a store, and the account and key of
Azure.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from evalreport.errors import FilesError, Location, Problem

#: Seconds until a store that does not answer is given up, and one that stops in the midst.
_CONNECT, _REQUEST = 10, 60
#: The end of the names of Azure's hosts, outside of its separate clouds.
_SUFFIX = "core.windows.net"


def client_of(address: str) -> Any:
    """The client of the store that holds an object. Raises FilesError where none can be made."""
    try:
        import pyarrow.fs  # noqa: F401
    except ImportError:
        raise not_installed() from None
    scheme = _scheme_of(address)
    return _made(scheme, tuple(_settings(address).items()))


def _scheme_of(address: str) -> str:
    return address.partition("://")[0].lower()


def _settings(address: str) -> dict[str, Any]:
    """How the client of an object's store is made."""
    _, settings = _KINDS[_scheme_of(address)]
    try:
        return settings(os.environ)
    except ValueError as error:
        raise failed(address, str(error), "its name in AZURE_STORAGE_ACCOUNT") from None


@lru_cache(maxsize=8)
def _made(scheme: str, settings: tuple[tuple[str, Any], ...]) -> Any:
    from pyarrow import fs

    kind, _ = _KINDS[scheme]
    return getattr(fs, kind)(**dict(settings))


def s3_settings(environment: Mapping[str, str]) -> dict[str, Any]:
    """How a client of S3 is made.

    >>> s3_settings({"AWS_REGION": "eu-north-1"})
    {'connect_timeout': 10, 'request_timeout': 60, 'region': 'eu-north-1'}
    """
    named = {
        "endpoint_override": ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
        "region": ("AWS_REGION", "AWS_DEFAULT_REGION"),
    }
    found: dict[str, Any] = {"connect_timeout": _CONNECT, "request_timeout": _REQUEST}
    for setting, names in named.items():
        value = _first(environment, *names)
        if value is not None:
            found[setting] = value
    return found


def gs_settings(environment: Mapping[str, str]) -> dict[str, Any]:
    """How a client of Google Cloud Storage is made; a server of STORAGE_EMULATOR_HOST asks no one.

    >>> found = gs_settings({"STORAGE_EMULATOR_HOST": "http://127.0.0.1:9023"})
    >>> found["endpoint_override"], found["scheme"], found["anonymous"]
    ('127.0.0.1:9023', 'http', True)
    """
    # By itself it would go on for a quarter of an hour.
    found: dict[str, Any] = {"retry_time_limit": dt.timedelta(seconds=_CONNECT)}
    host = environment.get("STORAGE_EMULATOR_HOST")
    if host:
        parts = urlsplit(host if "://" in host else f"http://{host}")
        found |= {"endpoint_override": parts.netloc, "scheme": parts.scheme, "anonymous": True}
    return found


def az_settings(environment: Mapping[str, str]) -> dict[str, Any]:
    """How a client of Azure's blobs is made. Raises ValueError where the account is not known.

    Account, key and address are those of AZURE_STORAGE_CONNECTION_STRING, or of the variables
    that Azure's own command reads; without a key the client's chain finds who asks.

    >>> az_settings({"AZURE_STORAGE_ACCOUNT": "ours", "AZURE_STORAGE_KEY": "a2V5"})
    {'account_name': 'ours', 'account_key': 'a2V5'}
    """
    told = dict(
        part.strip().split("=", 1)
        for part in environment.get("AZURE_STORAGE_CONNECTION_STRING", "").split(";")
        if "=" in part
    )
    account = told.get("AccountName") or _first(
        environment, "AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_ACCOUNT_NAME"
    )
    if not account:
        raise ValueError("the account of Azure is not known")
    found: dict[str, Any] = {"account_name": account}
    # One of them alone; what stands beside the account's name belongs to it.
    for setting, value in (
        ("account_key", told.get("AccountKey")),
        ("sas_token", told.get("SharedAccessSignature")),
        ("account_key", environment.get("AZURE_STORAGE_KEY")),
        ("sas_token", environment.get("AZURE_STORAGE_SAS_TOKEN")),
    ):
        if value:
            found[setting] = value
            break
    if told.get("BlobEndpoint"):
        found |= _endpoint_of_blobs(told["BlobEndpoint"], account)
    elif told.get("EndpointSuffix", _SUFFIX) != _SUFFIX:
        found["blob_storage_authority"] = f".blob.{told['EndpointSuffix']}"
        found["dfs_storage_authority"] = f".dfs.{told['EndpointSuffix']}"
    return found


def _endpoint_of_blobs(address: str, account: str) -> dict[str, str]:
    """Where blobs are asked for; an account's own host is named by what follows the account.

    >>> _endpoint_of_blobs("http://127.0.0.1:10000/ours", "ours")["blob_storage_authority"]
    '127.0.0.1:10000'
    >>> _endpoint_of_blobs("https://ours.blob.core.windows.net/", "ours")["dfs_storage_authority"]
    '.dfs.core.windows.net'
    """
    parts = urlsplit(address)
    blob = parts.netloc
    if blob.startswith(f"{account}."):
        blob = blob.removeprefix(account)
    dfs = blob.replace(".blob.", ".dfs.", 1) if blob.startswith(".blob.") else blob
    return {
        "blob_storage_authority": blob,
        "blob_storage_scheme": parts.scheme,
        "dfs_storage_authority": dfs,
        "dfs_storage_scheme": parts.scheme,
    }


#: By how addresses begin: the client's name in pyarrow, and what gives the settings of one.
_KINDS: Mapping[str, tuple[str, Callable[[Mapping[str, str]], dict[str, Any]]]] = MappingProxyType(
    {
        "s3": ("S3FileSystem", s3_settings),
        "gs": ("GcsFileSystem", gs_settings),
        "az": ("AzureFileSystem", az_settings),
    }
)
#: How addresses of stores begin.
SCHEMES = tuple(_KINDS)


def _first(environment: Mapping[str, str], *names: str) -> str | None:
    """The value of the first variable that has one."""
    return next((environment[name] for name in names if environment.get(name)), None)


def failed(address: str, what: str, instead: str) -> FilesError:
    """The error for an object, or a store, that cannot be read."""
    return FilesError(Problem(what, instead, Location(address)))


def not_installed() -> FilesError:
    """The error where what reads object stores is not installed."""
    return FilesError(Problem("object stores need a reader", "pip install 'evalreport[stores]'"))
