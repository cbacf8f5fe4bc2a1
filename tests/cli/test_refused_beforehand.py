"""``check`` finds what ``run`` would refuse: at its place, all at once, before any number."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import evalreport
from evalreport.cli import status_of
from evalreport.errors import SpecError
from evalreport.render.locate import BASE as FILE

BASE = """evalreport: 1
datasets:
  d: {path: d.csv, target: y}
models:
  lr: {score: p}
metrics: [recall]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = "".join(f"{'yes' if k % 2 else 'no'},0.{k}\n" for k in range(10, 30))
    (tmp_path / "d.csv").write_text("y,p\n" + rows)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(text: str, capsys: pytest.CaptureFixture[str], *command: str) -> tuple[int, list[str]]:
    Path("s.yaml").write_text(text)
    status = status_of([*(command or ("check",)), "s.yaml"])
    said = capsys.readouterr()
    assert said.out == "" or status == 0
    return status, said.err.splitlines()


WRONG = [
    (
        "report: {sections: [verdcit]}",
        2,
        "s.yaml:7:21: there is no section 'verdcit'; did you mean 'verdict'?",
    ),
    (
        "cautions: {off: {imbalanced: known}}",
        2,
        "s.yaml:7:18: there is no caution 'imbalanced'; did you mean 'imbalance'?",
    ),
    (
        "report: {template: standrad}",
        2,
        "s.yaml:7:20: no such template: 'standrad'; did you mean 'standard'?",
    ),
    (
        "report: {formats: [htlm]}",
        2,
        "s.yaml:7:20: item 1 of formats is 'htlm'; did you mean 'html'?",
    ),
    (
        "confidence: {methods: {recall: wilsn}}",
        2,
        "s.yaml:7:32: recall has no interval method 'wilsn'; did you mean 'wilson'?",
    ),
    ("report: {logo: mark.png}", 4, "s.yaml:7:16: mark.png: file not found"),
    (
        "comparisons: {reference: {run: runs/before}}",
        4,
        "s.yaml:7:32: 'runs/before' has no results.json",
    ),
    (
        "acceptance: [{metric: recall, reference: {run: runs/before}}]",
        4,
        "s.yaml:7:48: 'runs/before' has no results.json",
    ),
    (
        "drift: {reference: {run: runs/before}}",
        4,
        "s.yaml:7:26: 'runs/before' has no results.json",
    ),
]


@pytest.mark.parametrize(("line", "status", "message"), WRONG, ids=[w[0] for w in WRONG])
def test_check_and_run_refuse_alike(
    line: str, status: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = told(BASE + line + "\n", capsys)
    assert found[0] == status
    assert found[1][0].startswith(message)
    assert len(found[1]) == 1
    again = told(BASE + line + "\n", capsys, "run", "-o", "runs")
    assert again[0] == status
    assert again[1] == found[1]  # not even "reading d" comes before it
    assert not Path("runs").exists()
    assert told(BASE + line + "\n", capsys, "plan") == found


@pytest.mark.parametrize(
    "source",
    [
        "{skops: lr.skops}",
        "{skops: lr.skops, features: [p]}",
        "{onnx: lr.onnx, features: [p]}",
        "{history: {path: steps.csv, step: step, score: p}}",
    ],
)
def test_a_model_that_is_not_there_is_a_matter_of_files(
    source: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, lines = told(BASE.replace("{score: p}", source), capsys)
    assert status == 4
    assert any("file not found" in line and ":5:" in line for line in lines)


def test_other_mistakes_beside_a_missing_model_are_those_of_the_spec(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = BASE.replace("{score: p}", "{skops: lr.skops}").replace("[recall]", "[recal]")
    status, lines = told(text, capsys)
    assert status == 2
    assert len(lines) == 3
    assert "file not found" in "".join(lines)


def test_everything_is_told_at_once_in_the_order_of_the_file(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = BASE.replace("target: y", "target: why").replace(
        "{score: p}", "{skops: lr.skops, features: [p]}"
    )
    status, lines = told(
        text + "report: {sections: [verdict, indxe], logo: mark.svg}\n"
        "cautions: {off: {tiny: known, imbalance: known}}\n",
        capsys,
    )
    assert status == 2
    assert [line.split(": ")[0] for line in lines] == [
        "s.yaml:3:28",
        "s.yaml:5:15",
        "s.yaml:7:30",
        "s.yaml:7:44",
        "s.yaml:8:18",
    ]


def test_a_template_folder_that_cannot_be_used(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "mine").mkdir()
    (folder / "mine" / FILE).write_text("standrad\n")
    status, lines = told(BASE + "report: {template: mine}\n", capsys)
    assert status == 2
    assert lines[0].startswith("s.yaml:7:20: ")
    assert "did you mean 'standard'?" in lines[0]


def test_python_refuses_it_too() -> None:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"m": {"score": "p"}},
        "metrics": ["recall"],
        "cautions": {"off": {"imbalanced": "known"}},
    }
    with pytest.raises(SpecError, match="there is no caution 'imbalanced'"):
        evalreport.run(spec, frames={"d": {"y": ["a", "b"], "p": [0.1, 0.9]}})


@pytest.mark.long
def test_check_stays_light(folder: Path) -> None:
    """None of the heavy libraries is loaded to look up names of sections and cautions."""
    (folder / "s.yaml").write_text(
        BASE + "report: {sections: [verdict]}\ncautions: {off: {imbalance: known}}\n"
    )
    program = (
        "import sys, json\nfrom evalreport.cli import status_of\n"
        "status = status_of(['check', 's.yaml'])\n"
        "heavy = {'pandas', 'matplotlib', 'scipy.stats', 'sklearn', 'weasyprint'}\n"
        "print(json.dumps([status, sorted(heavy & set(sys.modules))]), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stderr.splitlines()[-1]) == [0, []]
