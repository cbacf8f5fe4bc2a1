"""How the ROC curves of every two models lie to each other, in one sentence each."""

from __future__ import annotations

from evalreport.report.contents import Contents
from evalreport.report.model import Block, Column, PlainTable, TableRow
from evalreport.report.numbers import value_text
from evalreport.report.words import counted, label_text, listed, prose
from evalreport.results.records import RocLead, RocRelation

#: Pairs of models that are written out; every pair is in results.json.
MOST_PAIRS = 15
#: Crossings named in one sentence.
MOST_CROSSINGS = 4
NOTE = (
    "A curve lies above another where it finds more of the positives at the same false positive "
    "rate. Of two curves of which one lies above the other everywhere, the upper model is at least "
    "as good for every use; where they cross, the use decides."
)


def roc_relation_blocks(contents: Contents, dataset: str) -> list[Block]:
    """A table of every pair of models of a dataset; of two models the chart itself says it."""
    pairs = [r for r in contents.of(RocRelation) if r.dataset == dataset]
    if len(pairs) < 2:
        return []
    rows = tuple(
        TableRow(
            (
                f"{label_text(r.first)}, {label_text(r.second)}",
                contents.said(r.dataset, relation_words(r)),
            )
        )
        for r in pairs[:MOST_PAIRS]
    )
    more = ""
    if len(pairs) > MOST_PAIRS:
        more = f" {MOST_PAIRS} of {len(pairs)} pairs; the others are in results.json."
    columns = (Column("models", "left", "30%"), Column("their ROC curves", "left", "70%"))
    return [PlainTable("ROC curves of every two models", columns, rows, NOTE + more, "wraps")]


def relation_words(record: RocRelation) -> str:
    """``A lies above B everywhere``, ``they cross at ...``, or why that is not known."""
    first, second = label_text(record.first), label_text(record.second)
    relation = record.relation
    if relation is None:
        return f"not compared: {prose(record.reason)}"
    if relation == "equal":
        return "the two curves are the same"
    if relation in {"above", "below"}:
        upper, lower = (first, second) if relation == "above" else (second, first)
        lead = record.first_leads if relation == "above" else record.second_leads
        return f"{upper} lies above {lower} everywhere, by {_lead(lead)}"
    shown = [
        f"false positive rate {value_text(point.fpr)} with "
        f"true positive rate {value_text(point.tpr)}"
        for point in record.crossings[:MOST_CROSSINGS]
    ]
    more = int(record.crossing_count) - len(shown)
    if more:
        shown.append(counted(more, "more point"))
    leads = (
        f"{name} leads by {_lead(lead)}"
        for name, lead in ((first, record.first_leads), (second, record.second_leads))
    )
    return f"they cross at {listed(shown)}; {', '.join(leads)}"


def _lead(lead: RocLead) -> str:
    return f"up to {value_text(lead.by)} at a false positive rate of {value_text(lead.fpr)}"
