"""The built wheel, installed where nothing of the repository is in sight."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest
from programs import program

REPOSITORY = Path(__file__).resolve().parents[2]
CARRIED = ("templates", "configs", "sample_data")

pytestmark = [pytest.mark.wheel, pytest.mark.long]


class Installed(NamedTuple):
    python: Path
    command: Path
    data: Path


def build(folder: Path) -> Path:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=REPOSITORY,
        check=True,
        capture_output=True,
        text=True,
        timeout=300,
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """A new environment with the wheel; the dependencies are those of this one, by path.

    A .pth file found through another .pth file is not followed, so an editable install
    of the repository stays out of sight.
    """
    home = tmp_path_factory.mktemp("installed") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    python = home / "bin" / "python"
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"),
            *("--no-deps", "--no-index", "--disable-pip-version-check", str(wheel)),
        ],
        check=True,
        timeout=300,
    )
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = home / "lib" / version / "site-packages"
    here = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
    (packages / "dependencies.pth").write_text("\n".join(here) + "\n", encoding="utf-8")
    return Installed(python, home / "bin" / "evalreport", packages / "evalreport" / "_data")


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    folder = tmp_path / "empty"
    folder.mkdir()
    return folder


def run(
    installed: Installed, folder: Path, *arguments: str | Path
) -> subprocess.CompletedProcess[str]:
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "COVERAGE_PROCESS_START")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    return subprocess.run(
        [str(installed.command), *map(str, arguments)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def results_of(runs: Path) -> dict[str, object]:
    loaded = json.loads((runs / "latest" / "results.json").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def shared_files() -> list[str]:
    """Every file that the wheel has to carry, as kept in the repository."""
    return sorted(
        path.relative_to(REPOSITORY).as_posix()
        for folder in CARRIED
        for path in (REPOSITORY / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    )


def test_wheel_carries_every_template_config_and_sample(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        for name in shared_files():
            carried = f"evalreport/_data/{name}"
            assert carried in names
            assert archive.read(carried) == (REPOSITORY / name).read_bytes()


def test_wheel_carries_the_package_its_licences_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.split("/")[0] for name in names} == {"evalreport", "evalreport-0.1.0.dist-info"}
    licences = {Path(name).name for name in names if "/licenses/" in name}
    assert licences >= {"LICENSE", "report-sans-OFL.txt", "report-serif-OFL.txt"}
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]
    assert "evalreport/cli/__init__.py" in names
    assert "evalreport/py.typed" in names


def test_wheel_has_the_same_bytes_twice(wheel: Path, tmp_path: Path) -> None:
    assert build(tmp_path).read_bytes() == wheel.read_bytes()


def test_wheel_has_the_same_bytes_from_another_folder_at_another_time(
    wheel: Path, tmp_path: Path
) -> None:
    """Another path, other times of files, another umask, zone and language."""
    copy = tmp_path / "elsewhere" / "a clone"
    listed = subprocess.run(
        [program("git"), "ls-files", "-z"],
        cwd=REPOSITORY,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    for name in filter(None, listed.split("\0")):
        target = copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((REPOSITORY / name).read_bytes())
        target.chmod((REPOSITORY / name).stat().st_mode & 0o100 | 0o600)
        os.utime(target, (1_000_000_000, 1_000_000_000))
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "made")],
        cwd=copy,
        check=True,
        capture_output=True,
        env={**os.environ, "TZ": "Asia/Tokyo", "LC_ALL": "C"},
        umask=0o077,
        timeout=300,
    )
    (again,) = (tmp_path / "made").glob("*.whl")
    assert again.read_bytes() == wheel.read_bytes()


def test_a_fresh_install_qualifies(installed: Installed, empty: Path) -> None:
    """What an installer leaves of the wheel is as its record says, by the tool's own looking."""
    done = run(installed, empty, "qualify", "--parts", "IQ", "--formats", "", "-o", "out")
    assert done.returncode == 0, done.stdout
    found = json.loads((empty / "out" / "qualification.json").read_text(encoding="utf-8"))
    (files,) = (one for one in found["checks"] if one["what"] == "files of the product")
    assert files["outcome"] == "passed"
    damaged = installed.data / "configs" / "digits.yaml"
    before = damaged.read_bytes()
    damaged.write_bytes(before + b" ")
    try:
        done = run(installed, empty, "qualify", "--parts", "IQ", "--formats", "", "-o", "out")
    finally:
        damaged.write_bytes(before)
    assert done.returncode == 1
    assert "evalreport/_data/configs/digits.yaml: altered" in done.stdout


def test_installed_package_is_the_one_from_the_wheel(installed: Installed, empty: Path) -> None:
    found = subprocess.run(
        [str(installed.python), "-c", "import evalreport; print(evalreport.__file__)"],
        cwd=empty,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert Path(found.strip()).is_relative_to(installed.data.parent)


def test_run_in_an_empty_folder_uses_the_shipped_templates(
    installed: Installed, empty: Path
) -> None:
    """Ten rows: 4 true positives, 1 false negative, 2 false positives, 3 true negatives."""
    scores = [0.9, 0.8, 0.7, 0.6, 0.4, 0.9, 0.5, 0.3, 0.2, 0.1]
    truth = ["yes"] * 5 + ["no"] * 5
    lines = [
        f"{row},{label},{score}"
        for row, (label, score) in enumerate(zip(truth, scores, strict=True))
    ]
    (empty / "data.csv").write_text("\n".join(["row,truth,score", *lines, ""]), encoding="utf-8")
    (empty / "spec.yaml").write_text(
        "evalreport: 1\n"
        "title: Ten rows\n"
        "datasets: {ten: {path: data.csv, target: truth, id: row}}\n"
        "models: {only: {score: score}}\n"
        "metrics: [recall, precision]\n"
        "report: {formats: [html]}\n",
        encoding="utf-8",
    )
    done = run(installed, empty, "run", "spec.yaml", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    measures = results_of(empty / "runs")["measures"]
    assert isinstance(measures, list)
    value = {one["metric"]: one["value"] for one in measures}
    assert value["recall"] == pytest.approx(4 / 5)
    assert value["precision"] == pytest.approx(4 / 6)
    page = (empty / "runs" / "latest" / "report.html").read_text(encoding="utf-8")
    assert "Ten rows" in page
    assert "Report Sans" in page


@pytest.mark.parametrize("config", sorted(path.name for path in REPOSITORY.glob("configs/*.yaml")))
def test_shipped_config_runs_on_the_shipped_data(
    installed: Installed, empty: Path, config: str
) -> None:
    spec = installed.data / "configs" / config
    done = run(installed, empty, "run", spec, "-o", "out", "--formats", "html")
    assert done.returncode in {0, 1}, done.stderr
    assert results_of(empty / "out")["schema"] == "evalreport/results/1"
    assert (empty / "out" / "latest" / "report.html").is_file()


def test_init_writes_a_first_spec_that_runs(installed: Installed, empty: Path) -> None:
    data = empty / "breast_cancer.csv"
    data.write_bytes((installed.data / "sample_data" / "breast_cancer.csv").read_bytes())
    made = run(installed, empty, "init", data.name)
    assert made.returncode == 0, made.stderr
    specs = sorted(empty.glob("*.yaml"))
    if not specs:  # written to standard output instead
        specs = [empty / "spec.yaml"]
        specs[0].write_text(made.stdout, encoding="utf-8")
    (spec,) = specs
    checked = run(installed, empty, "check", spec.name)
    assert checked.returncode == 0, checked.stderr
    done = run(installed, empty, "run", spec.name, "--formats", "html")
    assert done.returncode == 0, done.stderr
    ledger = results_of(empty / "runs")["rows"]
    assert isinstance(ledger, list)
    with data.open(encoding="utf-8", newline="") as stream:
        count = sum(1 for _ in csv.DictReader(stream))
    assert {row["used"] for row in ledger} == {count}
