"""A run made again for ``verify``: its files drawn from its results.json, or all of it computed.

Whoever changes a page, a table or a PDF and makes the hashes fit is found by drawing the file
again: it follows from results.json alone, byte by byte. Another release of the program, or of
the libraries that draw, may draw otherwise; then that is said in place of a problem.

``evalreport verify --rerun`` computes everything again and compares it byte by byte.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from evalreport.cli.document_text import READERS, compared_text
from evalreport.cli.progress import Progress
from evalreport.cli.rendering import drawing_options, read_results, when_of
from evalreport.engine.prepared import Prepared, silent
from evalreport.engine.reference.run import ReferenceRun, read_reference
from evalreport.errors import FilesError, Location, Problem, UsageError
from evalreport.publish.folder import details, drawing_versions, template_of
from evalreport.publish.formats import DrawingOptions, drawn
from evalreport.results.history import HistoryLine
from evalreport.results.lookup import Results
from evalreport.results.records import CountingEngine, Look, Provenance
from evalreport.runs.hashing import canonical_json
from evalreport.runs.history import earlier_runs, run_before
from evalreport.runs.manifest import Manifest, RunDetails, read_manifest
from evalreport.runs.row_digests import with_rows_counted
from evalreport.spec.formats import FILES
from evalreport.spec.load import LoadedSpec
from evalreport.verify.printed import version_problems
from evalreport.version import __version__

#: The files that follow from results.json, and the format that makes them.
FORMATS = {file: name for name, file in FILES.items() if name != "json"}
ALWAYS = ("measures.csv",)
#: Files of a run that do not follow from results.json.
OTHERS = ("results.json", "rows.json")

_DRAWING = re.compile(r"<svg\b.*?</svg>", re.DOTALL)


@dataclass
class Redrawn:
    """What came of it: problems, the files that came out the same, and what was not compared.

    ``partly``: how far files were compared that did not come out byte by byte.
    """

    problems: list[Problem] = field(default_factory=list)
    same: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    partly: list[str] = field(default_factory=list)


def formats_in(run: Path) -> tuple[str, ...]:
    """The formats whose files are in a run."""
    return tuple(kind for name, kind in FORMATS.items() if any(run.glob(name)))


def redraw(run: Path, data: bytes, results: Results) -> Redrawn:
    """Every file of a run again from its results, and its manifest. Raises FilesError."""
    found = Redrawn()
    manifest, _ = read_manifest(run)
    where = Location(str(run / "MANIFEST.json"))
    found.problems += [Problem(what, "", where) for what in manifest_problems(manifest, results)]
    if results.provenance.version != __version__:
        found.notes.append(
            f"the files were drawn by version {results.provenance.version}, this is {__version__}: "
            "not drawn again, but the numbers of the page were compared"
        )
        found.partly += _not_compared(manifest, ())
        found.problems += _versions_named(run, manifest, results)
        return found
    options = _options(run, results)
    if isinstance(options, str):
        found.notes.append(options)
        found.partly += _not_compared(manifest, ("report.html", "report.pdf"))
        options = drawing_options(results, "standard", _without_pages(formats_in(run)))
    _compare(run, data, options, manifest, found)
    for name in manifest.outputs:
        if name not in (*FORMATS, *ALWAYS, *OTHERS):
            found.notes.append(f"{name} does not follow from results.json")
    if "rows.json" in manifest.outputs:
        found.notes.append(
            "rows.json: its rows were counted against the tables; their digests need the data"
        )
    return found


def _options(run: Path, results: Results) -> DrawingOptions | str:
    """How the run was drawn; or why its pages cannot be drawn again."""
    from evalreport.render.locate import find_template

    options = drawing_options(results, None, formats_in(run))
    try:
        find_template(options.template)
    except (FilesError, UsageError) as error:
        return f"the page and the PDF were not drawn again: {error.problems[0].what}"
    return options


def _without_pages(formats: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(kind for kind in formats if kind not in ("html", "pdf"))


def _compare(
    run: Path, data: bytes, options: DrawingOptions, manifest: Manifest, found: Redrawn
) -> None:
    """Compare the bytes of every file that was drawn again."""
    made = drawn(data, options, silent)
    found.notes += [f"not drawn again: {error.problems[0].what}" for error in made.problems]
    if made.problems:
        lacking = [name for name in manifest.outputs if name in FORMATS and name not in made.files]
        found.partly += _not_compared(manifest, lacking)
    own = {name: manifest.details.versions.get(name) for name in drawing_versions()}
    alike = own == drawing_versions()
    for name, content in sorted(made.files.items()):
        if name in OTHERS or not (run / name).is_file():
            continue
        there = (run / name).read_bytes()
        if there == content:
            found.same.append(name)
        elif alike or not _drawn_otherwise(name, there, content):
            what = f"{name} is not what results.json gives: it comes out differently"
            found.problems.append(Problem(what, "", Location(str(run / name))))
        elif name in READERS:
            _compare_text(run / name, there, content, found)
        else:
            found.notes.append(
                f"{name}: pictures or letters are drawn otherwise by other libraries"
            )
            told = "all but its pictures compared" if name == "report.html" else "NOT compared"
            found.partly.append(f"{name}: {told}")


def _not_compared(manifest: Manifest, names: Sequence[str]) -> list[str]:
    """What is said of files that were not drawn again: of these, or of all that are drawn."""
    drawn_files = [name for name in manifest.outputs if name not in OTHERS]
    return [f"{name}: NOT compared" for name in drawn_files if name in names or not names]


def _versions_named(run: Path, manifest: Manifest, results: Results) -> Iterator[Problem]:
    """Documents of another version that name neither it nor nothing; the page is read elsewhere."""
    for name in manifest.outputs:
        path = run / name
        if name in OTHERS or name == "report.html" or not path.is_file():
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        if name in READERS:
            with suppress(ImportError):
                told = READERS[name][0](path.read_bytes())
                text = "" if told is None else " ".join(chain.from_iterable(told.pages))
        for what in version_problems(text, results):
            yield Problem(what, "", Location(str(path)))


def _compare_text(path: Path, there: bytes, content: bytes, found: Redrawn) -> None:
    """What a PDF or Word document of other libraries tells: its text, pages and attachments."""
    try:
        text = compared_text(path.name, there, content)
    except ImportError:
        found.notes.append(f"{path.name}: its text can be compared where pypdf is installed")
        found.partly.append(f"{path.name}: NOT compared")
        return
    found.problems += [Problem(what, "", Location(str(path))) for what in text.problems]
    pages = ", ".join(map(str, text.unordered))
    but = f" but for the order of words on page {pages}" if pages else ""
    found.partly.append(f"{path.name}: text compared{but}")


def _drawn_otherwise(name: str, there: bytes, content: bytes) -> bool:
    """Whether other releases of the libraries that draw can be the cause of a difference."""
    if name in READERS or name.startswith("figure-"):
        return True
    texts = (body.decode("utf-8", "replace") for body in (there, content))
    one, other = (_DRAWING.sub("", text) for text in texts)
    return name == "report.html" and one == other


def manifest_problems(manifest: Manifest, results: Results) -> Iterator[str]:
    """What the manifest says otherwise than the results that it lists."""
    told, settings = manifest.details, manifest.details.settings
    if results.provenance.spec is None:
        yield "results.json names no spec"
        return
    given = details(results, settings.get("series", ""), settings.get("cadence"))
    drawing = drawing_versions().keys() - results.provenance.versions.keys()
    one, two = (_comparable(of, drawing) for of in (told, given))
    pairs: dict[str, tuple[object, object]] = {name: (one[name], two[name]) for name in one}
    # another version may have other settings
    known = {"overrides", "as_of", *(settings.keys() & ("delivered", "positive"))}
    known |= given.settings.keys() & {"engine"}
    if told.version == __version__:
        known |= settings.keys() | given.settings.keys()
    pairs |= {name: (settings.get(name), given.settings.get(name)) for name in sorted(known)}
    for name, (stated, expected) in pairs.items():
        if stated != expected:
            yield f"{name} is {stated!r}, results.json has {expected!r}"


def _comparable(told: RunDetails, drawing: Collection[str]) -> dict[str, object]:
    """What a manifest says beside its settings; of versions those behind the numbers."""
    return {
        **{name: getattr(told, name) for name in ("when", "version", "outcome", "plan_sha256")},
        "spec": told.spec,
        "inputs": sorted((one.name, one.sha256, one.size) for one in told.inputs),
        "versions": {one: own for one, own in told.versions.items() if one not in drawing},
    }


def rerun_problems(
    run: Path,
    spec: Path | None,
    allowed: tuple[str, ...],
    trusted: tuple[str, ...],
    hosts: tuple[str, ...],
    progress: Progress,
    given: tuple[str, ...] = (),
) -> list[Problem]:
    """Files of a run that do not come out the same again from its spec and data.

    The spec is looked for where ``spec`` says, else by its name in the current
    folder; it must have the hash that the run recorded. Models are trained again: kept
    predictions are those of the run, and would agree with it whatever they hold.
    ``allowed`` are packages that the caller admits, ``trusted`` types of saved models, ``hosts``
    computers; what the run names is not trusted for being named there. ``given`` are overrides in
    place of recorded ones: of a path that was absolute, the run holds the name alone.
    """
    from evalreport.engine.predicting import Fitting
    from evalreport.engine.read_and_plan import prepare
    from evalreport.engine.run import evaluate
    from evalreport.results.codec import encode
    from evalreport.spec.load import load_spec
    from evalreport.spec.overrides import replaced

    _, results = read_results(run / "results.json")
    made_by, recorded = results.provenance, results.provenance.spec
    if recorded is None:
        hint = "the results of a spec that is a file"
        raise UsageError(Problem("these results were made without one", hint, Location(str(run))))
    path = spec or Path(recorded.name)
    if spec is None and not path.is_file():
        raise FilesError(
            Problem(
                "the spec of this run is not in the current folder",
                "where it is, with --spec PATH",
                Location(str(path)),
            )
        )
    overrides = replaced(recorded.overrides, given)
    loaded = load_spec(path, overrides, allow_import=allowed, allow_hosts=hosts)
    if loaded.sha256 != recorded.sha256:
        raise UsageError(
            Problem(
                "is not the spec of this run: its sha256 differs",
                "the spec as it was, with --spec",
                Location(str(path)),
            )
        )
    when = when_of(results)
    fitting = Fitting(
        allowed=allowed, trusted=trusted, step=progress.step, advance=progress.advance
    )
    prepared = prepare(loaded, engine=_engine(made_by.engine), step=progress.step, fitting=fitting)
    if changed := _other_files(run, made_by, prepared):
        return changed
    earlier = _earlier(run, loaded)
    again = evaluate(
        prepared,
        made_by.at,
        progress.step,
        progress.advance,
        clock=made_by.clock,
        before=_look_before(run, results),
        earlier=earlier,
        preceding=run_before(run.resolve().parent, earlier, loaded.spec.as_of or made_by.at),
    )
    data = canonical_json(encode(again))
    report = loaded.spec.report
    made = drawn(
        data,
        DrawingOptions(
            formats=formats_in(run),
            template=template_of(loaded),
            when=when,
            variant=report.pdf.variant,
            page_size=report.page_size,
            spec_text=loaded.text,
        ),
        progress.step,
    )
    return [
        Problem(f"{name} comes out differently", "", Location(str(run / name)))
        for name, content in sorted(made.files.items())
        if (run / name).is_file() and (run / name).read_bytes() != content
    ]


def _other_files(run: Path, made_by: Provenance, prepared: Prepared) -> list[Problem]:
    """The files that are not those that the run read: nothing else can be told with them."""
    read = {one.dataset: one.sha256 for one in made_by.inputs}
    return [
        Problem(
            f"{one.name} is not the file that this run read: its sha256 differs",
            "the file as it was; the output of another one shows nothing about this run",
            Location(str(run)),
        )
        for one in prepared.inputs
        if one.sha256 is not None and read.get(one.dataset, one.sha256) not in (None, one.sha256)
    ]


def _earlier(run: Path, loaded: LoadedSpec) -> tuple[HistoryLine, ...]:
    """The runs that stood in the series when this one was made, as far as it lies among them."""
    own = run.resolve()
    if loaded.spec.cadence is None:
        return ()
    return earlier_runs(own.parent, loaded.series, own.name)


def _look_before(run: Path, results: Results) -> ReferenceRun | None:
    """The run with the looks before this one, which stands beside it. Raises FilesError."""
    names = {one.previous or one.instead_of for one in results.of(Look)}
    for name in sorted(filter(None, names)):
        path = run.resolve().parent / name
        return with_rows_counted(read_reference(path, Location(str(path))), path.parent)
    return None


def _engine(made_by: CountingEngine | None) -> str:
    """The engine to ask for: what was asked for, where that is what counted.

    Memory may take the place of the engine of this process where rows are few. Earlier
    releases loaded the rows where any engine that was named could not count them.
    """
    if made_by is None:
        return "auto"
    takes_place = made_by.asked == "duckdb" and made_by.name == "memory"
    return made_by.asked if takes_place or made_by.asked in ("auto", made_by.name) else "memory"
