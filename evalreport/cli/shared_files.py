"""The files that several specs of one call name: each is hashed and read once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evalreport.errors import EvalreportError

if TYPE_CHECKING:
    from evalreport.cli.publishing import RunOptions
    from evalreport.engine.counting.reads import Held, Key, SharedReads
    from evalreport.spec.load import LoadedSpec


class SharedFiles:
    """Hands each spec what it needs of the shared files; a file is read when first needed.

    A file that only one spec names is left to it. Nothing is kept longer than until
    its last spec has been handed its part.
    """

    def __init__(self, specs: Sequence[Path], options: RunOptions) -> None:
        from evalreport.engine.counting.reads import files_of

        self._engine = options.engine
        self._users: dict[Key, list[tuple[int, LoadedSpec, str]]] = {}
        self._held: dict[Key, Held | None] = {}
        self.loaded: list[LoadedSpec] = []
        for place, path in enumerate(specs):
            loaded = _loaded(path, options)
            if loaded is None:
                continue
            self.loaded.append(loaded)
            for key, name in files_of(loaded):
                self._users.setdefault(key, []).append((place, loaded, name))
        self._users = {key: users for key, users in self._users.items() if len(users) > 1}

    def reads_of(self, place: int) -> SharedReads:
        """How the spec at this place reads its files; places are asked for in order."""
        from evalreport.engine.counting.reads import SharedReads, columns_of, hold

        found: dict[Key, Held] = {}
        for key, users in self._users.items():
            own = [columns_of(loaded, name) for at, loaded, name in users if at == place]
            if not own:
                continue
            if key not in self._held:
                uses = [(loaded, name) for _, loaded, name in users]
                self._held[key] = hold(uses, self._engine)
            held = self._held[key]
            if held is not None:
                every = None if None in own else frozenset().union(*(c or () for c in own))
                found[key] = held.only(every)
            if all(at <= place for at, _, _ in users):
                del self._held[key]
        return SharedReads(found)


def _loaded(path: Path, options: RunOptions) -> LoadedSpec | None:
    """A spec; None where it is wrong, which its own run will tell."""
    try:
        return options.load(path)
    except EvalreportError:
        return None
