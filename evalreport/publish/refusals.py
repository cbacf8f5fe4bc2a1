"""What a run would refuse although the spec is well-formed, found before anything is computed.

Names of sections and cautions, the template, files that are named beside the data, and earlier
runs: their homes are above the spec, so the spec alone cannot know them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from evalreport.errors import (
    DataError,
    EvalreportError,
    ExitStatus,
    FilesError,
    Location,
    Problem,
    SpecError,
    did_you_mean,
)
from evalreport.plan.columns import missing_files
from evalreport.publish.folder import template_of
from evalreport.spec.comparisons import RunReference
from evalreport.spec.load import LoadedSpec, in_order


def check_names(loaded: LoadedSpec) -> None:
    """Raise every name of a spec that nothing stands for.

    SpecError for names, FilesError where only files or earlier runs are missing.
    """
    names = [*_sections(loaded), *_cautions(loaded)]
    raise_together(names, lambda: _template(loaded), lambda: _files(loaded), lambda: _runs(loaded))


def raise_together(problems: list[Problem], *checks: Callable[[], None]) -> None:
    """Run every check, and raise all that they find at once, after ``problems`` of the spec.

    The spec's own mistakes decide on the exit status, then files, then data.
    """
    found, first = list(problems), ExitStatus.BUG
    if problems:
        first = SpecError.status
    for check in checks:
        try:
            check()
        except EvalreportError as error:
            found += error.problems
            first = min(first, error.status, key=_RANKS.index)
    if found:
        raise _KINDS.get(first, EvalreportError)(*in_order(found))


#: What decides on the exit status where several things are wrong: the spec, files, data.
_KINDS: dict[ExitStatus, type[EvalreportError]] = {
    ExitStatus.USAGE: SpecError,
    ExitStatus.FILES: FilesError,
    ExitStatus.DATA: DataError,
}
_RANKS = [*_KINDS, *(status for status in ExitStatus if status not in _KINDS)]


def _sections(loaded: LoadedSpec) -> Iterator[Problem]:
    wanted = loaded.spec.report.sections
    if not wanted:
        return
    from evalreport.report.sections import sections  # charts take long to load

    for place, name in enumerate(wanted):
        if name not in sections():
            hint = did_you_mean(name, sections(), "sections")
            where = loaded.where(("report", "sections", place))
            yield Problem(f"there is no section '{name}'", hint, where)


def _cautions(loaded: LoadedSpec) -> Iterator[Problem]:
    for code in loaded.spec.cautions.off:
        from evalreport.engine.cautions.catalogue import code_problem

        problem = code_problem(code)
        if problem is not None:
            where = loaded.where_key(("cautions", "off", code))
            yield Problem(problem.what, problem.instead, where)


def _template(loaded: LoadedSpec) -> None:
    """A folder of one's own is looked into; a shipped template is known to the spec."""
    template = template_of(loaded)
    if isinstance(template, str):
        return
    from evalreport.render.locate import find_template

    try:
        find_template(template)
    except EvalreportError as error:
        raise _placed(error, loaded.where(("report", "template"))) from None


def _files(loaded: LoadedSpec) -> None:
    problems = missing_files(loaded.document, loaded.folder or Path())
    if problems:
        raise FilesError(*problems)


def _runs(loaded: LoadedSpec) -> None:
    """Earlier runs that comparisons, drift or criteria refer to."""
    spec = loaded.spec
    criteria = (one for _, one in spec.criteria)
    asked = [one.reference for one in (spec.comparisons, spec.drift, *criteria) if one]
    if not any(isinstance(reference, RunReference) for reference in asked):
        return
    from evalreport.engine.reference.run import read_references

    read_references(loaded)


def _placed(error: EvalreportError, where: Location) -> EvalreportError:
    """The same error at its place in the spec, with the file it is about in words."""
    return type(error)(
        *(
            Problem(f"{p.where}: {p.what}" if p.where else p.what, p.instead, where)
            for p in error.problems
        )
    )
