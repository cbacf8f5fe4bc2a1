"""What fills the first page where it has room: a plot that then stands nowhere else."""

from __future__ import annotations

from evalreport.report.contents import Contents
from evalreport.report.leading import front_views
from evalreport.report.series import front_criterion
from evalreport.results.records import Criterion

#: Lines of a plot on a page with nothing else below its results, and what takes their place: a row
#: of two tables, a fact of the study, a criterion beyond those that results have lines for anyway.
LINES, OF_TABLES, OF_FACT, MOST_CRITERIA = 26, 6, 4 / 3, 8


def lines_of_room(contents: Contents) -> int:
    """How many lines a plot of groups or folds may have beside or below tables of two classes.

    None where several classes have a plot of their own there, or a series its course.
    """
    asked = "verdict" in contents.sections and not contents.words.brief and not contents.large
    if not asked or not all(map(contents.is_binary, contents.views)):
        return 0
    if front_criterion(contents) is not None:
        return 0
    tables = (len(front_views(contents)) + 1) // 2
    criteria = max(0, len(contents.of(Criterion)) - MOST_CRITERIA)
    taken = OF_TABLES * tables + OF_FACT * len(contents.words.study) + criteria
    return max(0, int(LINES - taken))
