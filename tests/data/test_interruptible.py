"""A query that ends just while it is looked at is an answer, not a time-out."""

from __future__ import annotations

import pytest

from evalreport.data.interruptible import interruptible


class Connection:
    """Stands for a connection: tells no progress, and whether it was interrupted."""

    interrupted = False

    def query_progress(self) -> float:
        return -1.0

    def interrupt(self) -> None:
        self.interrupted = True


def test_an_answer_that_comes_while_it_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    class LateError(TimeoutError):
        """The look ends at the very moment at which the work does."""

    from concurrent.futures import Future

    waiting = Future.result

    def result(self: Future[int], timeout: float | None = None) -> int:
        found = waiting(self, None)
        if timeout is not None:
            raise LateError
        return found

    monkeypatch.setattr(Future, "result", result)
    connection = Connection()
    assert interruptible(connection, lambda: 7) == 7
    assert not connection.interrupted


def test_an_error_of_the_work_is_its_own() -> None:
    def work() -> None:
        raise TimeoutError("of the work")

    connection = Connection()
    with pytest.raises(TimeoutError, match="of the work"):
        interruptible(connection, work)
    assert connection.interrupted
