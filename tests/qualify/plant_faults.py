"""Plants 200 faults, each where a tool has to find it, and 50 healthy installs and runs.

    python tests/qualify/plant_faults.py              all of it, some twenty minutes: make faults
    python tests/qualify/plant_faults.py --every 20   each twentieth
    python tests/qualify/plant_faults.py --kind seals one kind

Every fault has to be found (a status that is not 0) and named (the words beside it in what is
said) by ``qualify`` or ``verify``; nothing healthy may be found. The draw of places is seeded.
Ends with 1 where that is not so. Seals need the extra ``sign`` and openssl.
"""

from __future__ import annotations

import argparse
import compileall
import hashlib
import io
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from qualify.installs import (
    ROOT,
    Install,
    installed,
    with_dependency,
    write_record,
)
from seal.conftest import authority_in, openssl

from evalreport.cli import status_of
from evalreport.runs.hashing import canonical_json

AT = "2026-11-21T12:00:00Z"
SPEC = """\
evalreport: 1
title: Forty rows
datasets: {d: {path: data.csv, target: y}}
models: {m: {score: p}}
metrics: [recall, specificity, precision, npv, accuracy, f1, mcc, roc_auc, brier]
acceptance: [{metric: recall, at_least: 0.1}]
report: {formats: [html]}
"""
ROWS = "y,p\n" + "".join(f"{k % 2},{(7 * k % 40) / 40}\n" for k in range(40))
SMALL = ("click", "tinycss2", "tinyhtml5", "webencodings", "cssselect2", "pydyf", "mdurl",
         "wcwidth", "jinja2", "markupsafe", "pyphen")  # fmt: skip
#: A statement of the code and what it becomes: another constant, count or sign.
CONSTANTS = (
    ("metrics/counts.py", "return ratio(c.tp + c.tn, c.n)", "return ratio(c.tp + c.tn, c.n + 1)"),
    ("metrics/counts.py", "return ratio(c.tp, c.positives)", "return ratio(c.tp, c.positives + 1)"),
    ("metrics/counts.py", "return ratio(c.tn, c.tn + c.fp)", "return ratio(c.tn, c.tn + c.fn)"),
    ("metrics/counts.py", "return ratio(c.tp, c.tp + c.fp)", "return ratio(c.tp + 1, c.tp + c.fp)"),
    ("metrics/counts.py", "return ratio(c.tn, c.tn + c.fn)", "return ratio(c.tn, c.tn + c.fp)"),
    ("metrics/combined.py", "return ratio(2 * c.tp, 2 * c.tp", "return ratio(2 * c.tp, 3 * c.tp"),
    ("metrics/combined.py", "top + c.fp + square * c.fn", "top + c.fp + 1.001 * square * c.fn"),
    ("metrics/combined.py", "ratio(c.tn, c.tn + c.fp) - 1", "ratio(c.tn, c.tn + c.fp) - 0.999"),
    ("metrics/matrix.py", "m.n * m.correct - m.chance, m.n", "m.n * m.correct - m.chance - 1, m.n"),
    ("metrics/diagnostic.py", "ratio(c.fp, c.fp + c.tn))", "ratio(c.fp + 1, c.fp + c.tn))"),
    ("metrics/probabilities.py", "(scores - positive) ** 2", "(scores - positive) ** 3"),
    ("metrics/ranking.py", "by_chance = width * width / 2", "by_chance = width * width / 2.01"),
    ("statistics/proportions.py", "(2.0 * (n + z2))", "(2.0 * (n + z2 + 0.01))"),
    ("statistics/proportions.py", "_wald_limits(x, n, level, 0.0)",
     "_wald_limits(x, n, level, 0.001)"),
    ("statistics/proportions.py", "p = (x + z * z / 2.0) / total", "p = (x + z * z / 2.1) / total"),
    ("statistics/proportions.py", "x + 0.5, n - x + 0.5\n", "x + 0.5, n - x + 0.49\n"),
    ("statistics/proportions.py",
     "return _exact_limits(x, n, (1.0 - level) / 2.0)",
     "return _exact_limits(x, n, (1.0 - level) / 2.1)"),
    ("statistics/proportions.py", "x - 0.5, n, z).low", "x - 0.4, n, z).low"),
    ("statistics/proportions.py", "return 0.5 * (beta_cdf", "return 0.51 * (beta_cdf"),
    ("statistics/proportions.py", "minus_log1p(down)) - z2", "minus_log1p(down)) - 1.01 * z2"),
)  # fmt: skip

#: Status and everything that was said.
Told = tuple[int, str]


@dataclass(frozen=True)
class Case:
    """What is done and looked at; ``words`` name the fault, None where nothing is wrong."""

    kind: str
    what: str
    look: Callable[[], Told]
    words: str | None = None


def command(*arguments: str | Path) -> Told:
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        status = status_of([*map(str, arguments)])
    return status, said.getvalue()


def flipped(path: Path, place: float = 0.5) -> None:
    data = bytearray(path.read_bytes())
    data[int(len(data) * place)] ^= 1
    path.write_bytes(data)


class Workshop:
    """Where everything is made, once and only if it is needed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.random = random.Random(22)
        self.made = 0

    def place(self) -> Path:
        self.made += 1
        path = self.folder / f"{self.made:04}"
        path.mkdir()
        return path

    # -- installs --------------------------------------------------------------------------

    @cached_property
    def install(self) -> Path:
        return installed(self.place() / "site").site

    def copy(self) -> Install:
        site = self.place() / "site"
        shutil.copytree(self.install, site)
        return Install(site)

    def batch(self, plant: Callable[[Install], list[tuple[str, str]]]) -> Callable[[], list[Case]]:
        """Faults planted together in one install, each of which has to be named."""

        def made() -> list[Case]:
            install = self.copy()
            planted = plant(install)
            told = qualified(install, "IQ")
            return [Case("install", what, lambda: told, words) for what, words in planted]

        return made

    # -- runs ------------------------------------------------------------------------------

    def study(self, rows: str = ROWS, spec: str = SPEC) -> Path:
        folder = self.place()
        (folder / "data.csv").write_text(rows)
        (folder / "spec.yaml").write_text(spec)
        status, said = command("run", folder / "spec.yaml", "-o", folder / "runs", "--at", AT,
                               "--quiet")  # fmt: skip
        assert status in (0, 1), said
        return folder

    @cached_property
    def first(self) -> Path:
        return self.study()

    def again(self) -> Path:
        """A copy of the study, with its history."""
        folder = self.place() / "study"
        shutil.copytree(self.first, folder, symlinks=True)
        return folder

    def alone(self) -> Path:
        """A copy of the run by itself: nothing beside it tells that it was made again."""
        folder = self.place() / "run"
        shutil.copytree((self.first / "runs" / "latest").resolve(), folder)
        return folder

    # -- seals -----------------------------------------------------------------------------

    @cached_property
    def keys(self) -> Path:
        folder = self.place()
        for name in ("own", "other"):
            openssl(folder, "genpkey", "-algorithm", "ed25519", "-out", f"{name}.pem")
            openssl(folder, "pkey", "-in", f"{name}.pem", "-pubout", "-out", f"{name}.pub")
        return folder

    @cached_property
    def authority(self) -> Any:
        return authority_in(self.place())

    @cached_property
    def stranger(self) -> Any:
        return authority_in(self.place())

    def sealed(self, key: str = "own", authority: Any = None, study: Path | None = None) -> Path:
        """A sealed and stamped run in a study of its own."""
        folder = study or self.again()
        run = (folder / "runs" / "latest").resolve()
        asked = folder / "seal.tsq"
        status, said = command("seal", run, "--key", self.keys / f"{key}.pem", "--query", asked)
        assert status == 0, said
        answer = (authority or self.authority).answer(asked)
        status, said = command("seal", run, "--timestamp", answer)
        assert status == 0, said
        return run

    def held(self, run: Path) -> Told:
        return command("verify", run, "--sealed-by", self.keys / "own.pub",
                       "--authority", self.authority.root)  # fmt: skip


def qualified(install: Install, parts: str) -> Told:
    out = install.site.parent / "out"
    done = install.run("qualify", "--parts", parts, "--formats", "", "-o", out)
    return done.returncode, done.stdout + done.stderr


def worked(install: Install) -> Told:
    """The reference cases of the second part, by the code of an install."""
    code = (
        "import sys; from evalreport.qualify.reference import reference; "
        f"found = [f for f in reference(lambda *_: None, {AT!r}) if f.outcome != 'passed']; "
        "print(*(f.reason for f in found), sep='\\n'); sys.exit(bool(found))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(install.site), "PATH": "/usr/bin:/bin", "HOME": "/tmp"},
        cwd=install.site, timeout=1200,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


# -- faults --------------------------------------------------------------------------------


def files_of_the_product(shop: Workshop) -> Iterator[Callable[[], list[Case]]]:
    """40 bytes, 5 files too few, 5 too many, 5 compiled; and 5 bytes that stop the tool itself."""

    def bytes_added(install: Install) -> list[tuple[str, str]]:
        files = sorted(p for p in install.package.rglob("*") if p.is_file())
        chosen = shop.random.sample(files, 40)
        for path in chosen:
            # A byte more at the end: Python runs on, and so the tool can say all 40.
            path.write_bytes(path.read_bytes() + b"\n")
        return [(f"a byte in {p.name}", f"{p.relative_to(install.site)}: altered") for p in chosen]

    def too_few(install: Install) -> list[tuple[str, str]]:
        files = sorted((install.package / "_data" / "sample_data").glob("*.csv"))[:5]
        for path in files:
            path.unlink()
        return [(f"no {p.name}", f"{p.relative_to(install.site)}: No such file") for p in files]

    def too_many(install: Install) -> list[tuple[str, str]]:
        folders = ("metrics", "engine", "report", "_data/templates", "seal")
        files = [install.package / folder / "more.py" for folder in folders]
        for path in files:
            path.write_text("x = 1\n")
        return [
            (f"{p.parent.name}/more.py", f"{p.relative_to(install.site)}: added") for p in files
        ]

    def compiled(install: Install) -> list[tuple[str, str]]:
        folder = install.package / "metrics"
        compileall.compile_dir(str(folder), quiet=1)
        names = ("counts", "combined", "matrix", "ranking", "curves")
        (other,) = (folder / "__pycache__").glob("chance.*.pyc")
        for name in names:
            (path,) = (folder / "__pycache__").glob(f"{name}.*.pyc")
            path.write_bytes(path.read_bytes()[:16] + other.read_bytes()[16:])
        return [(f"{n}.pyc", f"evalreport/metrics/{n}.py: compiled, it is") for n in names]

    yield shop.batch(bytes_added)
    yield shop.batch(too_few)
    yield shop.batch(too_many)
    yield shop.batch(compiled)
    for name in ("metrics/counts.py", "spec/models.py", "report/build.py", "engine/run.py",
                 "statistics/tail.py"):  # fmt: skip
        yield lambda name=name: [_stopped(shop, name)]


def _stopped(shop: Workshop, name: str) -> Case:
    install = shop.copy()
    flipped(install.package / name)
    words = f"evalreport/{name}: altered"
    return Case("install", f"a bit in {name}", lambda: qualified(install, "IQ"), words)


def dependencies(shop: Workshop) -> Iterator[Callable[[], list[Case]]]:
    """Of some dependencies: a byte, another version, a file too few."""

    def altered(install: Install) -> list[tuple[str, str]]:
        found = []
        for name in SMALL:
            with_dependency(install, name)
            path = next(iter(sorted((install.site / name).glob("*.py"))))
            path.write_bytes(path.read_bytes() + b"\n")
            found.append((f"a byte in {name}", f"{path.relative_to(install.site)}: altered"))
        return found

    def versions(install: Install) -> list[tuple[str, str]]:
        for name in SMALL:
            info = with_dependency(install, name)
            text = (info / "METADATA").read_text()
            changed = re.sub(r"^Version: .*$", "Version: 0.0.1", text, count=1, flags=re.MULTILINE)
            (info / "METADATA").write_text(changed)
            write_record(info, install.site, (install.site / name).rglob("*.py"))
        return [(f"{n} 0.0.1", f"{n}: 0.0.1 is not what was tested") for n in SMALL]

    def few(install: Install) -> list[tuple[str, str]]:
        found = []
        for name in SMALL:
            info = with_dependency(install, name)
            victim = next(p for p in sorted(info.rglob("*")) if p.name in ("WHEEL", "INSTALLER"))
            victim.unlink()
            found.append(
                (f"{name} without {victim.name}", f"{victim.relative_to(install.site)}: No")
            )
        return found

    for plant in (altered, versions, few):
        yield shop.batch(plant)


def constants(shop: Workshop) -> Iterator[Callable[[], list[Case]]]:
    """A constant in a metric, with the record made to fit: found by what it answers."""
    for name, old, new in CONSTANTS:

        def made(name: str = name, old: str = old, new: str = new) -> list[Case]:
            install = shop.copy()
            path = install.package / name
            text = path.read_text()
            assert old in text, (name, old)
            path.write_text(text.replace(old, new, 1))
            install.record()
            return [Case("constant", f"{name}: {new[:50]}", lambda: worked(install), ": found ")]

        yield made


def refitted(run: Path, changed: Callable[[dict[str, bytes]], None]) -> None:
    """Change files of a run, with its manifest made to fit."""
    manifest = json.loads((run / "MANIFEST.json").read_bytes())
    files = {name: (run / name).read_bytes() for name in manifest["outputs"]}
    changed(files)
    for name, data in files.items():
        (run / name).write_bytes(data)
        manifest["outputs"][name] = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    del manifest["sha256"]
    own = hashlib.sha256(canonical_json(manifest)).hexdigest()
    (run / "MANIFEST.json").write_bytes(canonical_json({**manifest, "sha256": own}))


def forgeries(shop: Workshop) -> Iterator[Callable[[], list[Case]]]:
    """20 numbers of the page, 10 values, 10 cells: hashes made to fit, seen by recomputation."""
    run = (shop.first / "runs" / "latest").resolve()
    results = json.loads((run / "results.json").read_bytes())
    valued = [m for m in results["measures"] if m["state"] == "value"]
    counted = [m for m in valued if m["metric"] not in ("roc_auc", "brier")]

    def on_the_page(place: int) -> list[Case]:
        m = valued[place % len(valued)]
        copy = shop.alone()

        def change(files: dict[str, bytes]) -> None:
            page = files["report.html"].decode()
            shown = re.search(
                rf'(data-measure="{m["id"]}".*?data-value="[^"]*"[^>]*>)([^<]*)', page, re.DOTALL
            )
            assert shown is not None
            number = "0.12" + str(100 + place)[1:]
            files["report.html"] = (page[: shown.start(2)] + number + page[shown.end(2) :]).encode()

        refitted(copy, change)
        return [
            Case("page", f"{m['metric']} {place}", lambda: command("verify", copy), "report.html")
        ]

    def in_results(place: int) -> list[Case]:
        m = counted[place % len(counted)]
        copy = shop.alone()

        def change(files: dict[str, bytes]) -> None:
            body = json.loads(files["results.json"])
            own = next(one for one in body["measures"] if one["id"] == m["id"])
            own["value"] = own["value"] * 0.9 - place / 1000 - 0.001
            files["results.json"] = canonical_json(body)

        refitted(copy, change)
        return [Case("value", f"{m['metric']} {place}", lambda: command("verify", copy), m["id"])]

    def in_a_table(place: int) -> list[Case]:
        copy = shop.alone()

        def change(files: dict[str, bytes]) -> None:
            body = json.loads(files["results.json"])
            row = body["tables"][0]["counts"][place % 2]
            row[(place // 2) % 2] += 1 + place // 4
            files["results.json"] = canonical_json(body)

        refitted(copy, change)
        return [Case("table", f"cell {place}", lambda: command("verify", copy), "results.json")]

    for place in range(20):
        yield lambda place=place: on_the_page(place)
    for place in range(10):
        yield lambda place=place: in_results(place)
    for place in range(10):
        yield lambda place=place: in_a_table(place)


def folders(shop: Workshop) -> Iterator[Callable[[], list[Case]]]:
    """Files of a run: altered, missing, added, linked; the history: lines, a name, itself."""
    files = ("results.json", "report.html", "measures.csv", "MANIFEST.json")

    def planted(what: str, plant: Callable[[Path, Path], object], words: str) -> list[Case]:
        study = shop.again()
        run = (study / "runs" / "latest").resolve()
        plant(study / "runs", run)
        return [Case("folder", what, lambda: command("verify", run), words)]

    for name in files:
        for place in (0.1, 0.5, 0.9):
            yield lambda name=name, place=place: planted(
                f"a bit of {name}", lambda _, run: flipped(run / name, place), name
            )
        yield lambda name=name: planted(f"no {name}", lambda _, run: (run / name).unlink(), name)
    yield lambda: planted("one more", lambda _, run: (run / "x.txt").write_text("x"), "x.txt")
    yield lambda: planted(
        "a link", lambda _, run: [(run / "measures.csv").unlink(),
                                  (run / "measures.csv").symlink_to("/etc/hosts")], "measures.csv"
    )  # fmt: skip
    yield lambda: planted(
        "no history", lambda runs, _: (runs / "history.jsonl").unlink(), "history"
    )


def swapped(shop: Workshop) -> Iterator[Callable[[], list[Case]]]:
    """The data or the spec behind a stored run, swapped: found when it is made again."""
    lines = ROWS.splitlines()

    def planted(what: str, plant: Callable[[Path], object], words: str) -> list[Case]:
        study = shop.again()
        plant(study)
        run = (study / "runs" / "latest").resolve()
        return [
            Case("data", what, lambda: command("verify", run, "--rerun", "--spec",
                                               study / "spec.yaml"), words)
        ]  # fmt: skip

    changes = {
        "a label": "\n".join([lines[0], "1,0.0", *lines[2:], ""]),
        "a score": ROWS.replace("0.175", "0.176"),
        "a row less": "\n".join([*lines[:-1], ""]),
        "a row more": ROWS + "1,0.5\n",
        "another order": "\n".join([lines[0], *reversed(lines[1:]), ""]),
        "another line end": ROWS.replace("\n", "\r\n"),
        "labels swapped": "\n".join(
            [lines[0], *(f"{1 - int(v[0])}{v[1:]}" for v in lines[1:]), ""]
        ),
    }  # fmt: skip
    for what, rows in changes.items():
        yield lambda what=what, rows=rows: planted(
            what, lambda study: (study / "data.csv").write_text(rows, newline=""), "results.json"
        )
    for what, spec in {
        "a threshold": SPEC + "thresholds: [0.4]\n",
        "a limit": SPEC.replace("at_least: 0.1", "at_least: 0.05"),
        "a title": SPEC.replace("Forty rows", "Forty lines"),
    }.items():
        yield lambda what=what, spec=spec: planted(
            what, lambda study: (study / "spec.yaml").write_text(spec), "not the spec of this run"
        )


def seals(shop: Workshop) -> Iterator[Callable[[], list[Case]]]:
    """Keys, signatures, statements and stamps that are not what they should be."""
    sealed_files = ("SEAL.json", "SEAL.pub.pem", "SEAL.tsr", "ro-crate-metadata.json")

    def planted(what: str, plant: Callable[[Path], object], words: str) -> list[Case]:
        run = shop.sealed()
        plant(run)
        return [Case("seal", what, lambda: shop.held(run), words)]

    for name in sealed_files:
        yield lambda name=name: planted(f"a bit of {name}", lambda r: flipped(r / name), name)
        yield lambda name=name: planted(f"no {name}", lambda r: (r / name).unlink(), name[:4])
    for name in ("results.json", "report.html", "measures.csv"):
        yield lambda name=name: planted(
            f"{name}, manifest made to fit",
            lambda r: refitted(r, lambda files: files.update({name: files[name] + b" "})),
            name,
        )
    yield lambda: planted("one more file", lambda r: (r / "x.txt").write_text("x"), "x.txt")
    yield lambda: [_wrong(shop, "a wrong key", shop.sealed("other"), "another key")]
    yield lambda: [
        _wrong(shop, "a strange stamp", shop.sealed(authority=shop.stranger), "not among those")
    ]
    yield lambda: planted(
        "another public key",
        lambda r: shutil.copy(shop.keys / "other.pub", r / "SEAL.pub.pem"),
        "SEAL",
    )
    yield lambda: planted(
        "an old stamp", lambda r: shutil.copy(_other(shop) / "SEAL.tsr", r / "SEAL.tsr"),
        "of another signature",
    )  # fmt: skip
    yield lambda: planted(
        "the seal of another run",
        lambda r: [shutil.copy(_other(shop) / name, r / name) for name in sealed_files],
        "altered after the run was sealed",
    )
    yield lambda: planted(
        "no seal at all", lambda r: [(r / name).unlink() for name in sealed_files], "not sealed"
    )
    yield lambda: planted("a statement made again", _restated, "signature is not of this statement")


def _wrong(shop: Workshop, what: str, run: Path, words: str) -> Case:
    return Case("seal", what, lambda: shop.held(run), words)


def _other(shop: Workshop) -> Path:
    return shop.sealed(study=shop.study(ROWS.replace("0.175", "0.2")))


def _restated(run: Path) -> None:
    import base64

    envelope = json.loads((run / "SEAL.json").read_bytes())
    payload = json.loads(base64.b64decode(envelope["payload"]))
    payload["predicate"]["result"] = "WARNED"
    envelope["payload"] = base64.b64encode(canonical_json(payload)).decode()
    (run / "SEAL.json").write_bytes(canonical_json(envelope))


# -- the healthy ---------------------------------------------------------------------------


def healthy(shop: Workshop) -> Iterator[Callable[[], list[Case]]]:
    """50 installs and runs of which nothing is wrong."""

    def plain(install: Install) -> object:
        return None

    def with_compiled(install: Install) -> object:
        return compileall.compile_dir(str(install.package), quiet=2)

    def with_old_compiled(install: Install) -> object:
        compileall.compile_dir(str(install.package / "metrics"), quiet=2)
        return [p.touch() for p in (install.package / "metrics").glob("*.py")]

    def with_optimised(install: Install) -> object:
        return compileall.compile_dir(str(install.package / "spec"), quiet=2, optimize=[0, 1, 2])

    def with_own_dependency(install: Install) -> object:
        return [with_dependency(install, name) for name in SMALL]

    for prepare in (plain, with_compiled, with_old_compiled, with_optimised, with_own_dependency):

        def made(prepare: Callable[[Install], object] = prepare) -> list[Case]:
            install = shop.copy()
            prepare(install)
            what = prepare.__name__.replace("_", " ")
            return [Case("install", what, lambda: qualified(install, "IQ"))]

        yield made

    def verified(seed: int) -> list[Case]:
        draw = random.Random(seed)
        number = draw.randint(4, 300)
        rows = "y,p\n1,0.5\n0,0.5\n" + "".join(
            f"{draw.randint(0, 1)},{draw.random():.{draw.randint(1, 17)}f}\n" for _ in range(number)
        )
        run = shop.study(rows) / "runs" / "latest"
        return [Case("run", f"{number + 2} rows, draw {seed}", lambda: command("verify", run))]

    def sealed(place: int) -> list[Case]:
        run = shop.sealed(study=shop.study(ROWS + f"1,0.{place}\n"))
        return [Case("seal", f"run {place}", lambda: shop.held(run))]

    def again(place: int) -> list[Case]:
        study = shop.study(ROWS + f"0,0.{place}\n")
        run = (study / "runs" / "latest").resolve()
        return [Case("data", f"run {place}", lambda: command(
            "verify", run, "--rerun", "--spec", study / "spec.yaml"))]  # fmt: skip

    for seed in range(25):
        yield lambda seed=seed: verified(seed)
    for place in range(12):
        yield lambda place=place: sealed(place)
    for place in range(7):
        yield lambda place=place: again(place)
    yield lambda: [Case("constant", "as it is", lambda: worked(shop.copy()))]


FAULTS = (files_of_the_product, dependencies, constants, forgeries, folders, swapped, seals)


def main() -> int:
    """Plant, look, tell."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, default=1, help="only each n-th of a kind")
    parser.add_argument("--kind", default="", help="only this kind")
    asked = parser.parse_args()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        shop = Workshop(Path(folder))
        for name, kinds in (("faults", FAULTS), ("healthy", (healthy,))):
            number = 0
            for kind in (k for k in kinds if asked.kind in ("", k.__name__)):
                cases = [c for make in list(kind(shop))[:: asked.every] for c in make()]
                missed = [m for m in map(judged, cases) if m]
                number += len(cases)
                wrong += missed
                print(
                    f"{name}: {kind.__name__}: {len(cases) - len(missed)} of {len(cases)}",
                    flush=True,
                )
                print(*missed, sep="\n", end="\n" if missed else "", flush=True)
            print(f"{name}: {number} in all", flush=True)
    print(f"{len(wrong)} not as they should be")
    return int(bool(wrong))


def judged(case: Case) -> str:
    """Empty where the fault was found and named, or nothing was found of the healthy."""
    status, said = case.look()
    if case.words is None:
        return "" if status == 0 else f"  false alarm, {case.kind}: {case.what}: {said[-300:]}"
    if "Traceback" in said:
        return f"  a traceback, {case.kind}: {case.what}: {said[-300:]}"
    if status == 0:
        return f"  not found, {case.kind}: {case.what}"
    return "" if case.words in said else f"  not named, {case.kind}: {case.what}: {said[-300:]}"


if __name__ == "__main__":
    assert ROOT.is_dir()
    sys.exit(main())
