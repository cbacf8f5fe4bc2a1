"""What verify cannot find in a run that stands alone; each is also on the page about verify."""

from __future__ import annotations

#: Changes that nothing in a run tells, when all that follows from them is changed alike.
BEYOND = (
    "two subgroups, models or datasets changed for each other, with all that goes by their order",
    "the clock, in the results, the manifest, the history and the name of the folder",
    "sha256 of what was read, in the results and the manifest",
    "tables and scores that were made up together with everything that follows from them",
    "a part taken out and recorded as failed, or comparisons recorded as failed beside those there",
    "digests of ids and rows in rows.json",
    "versions of libraries, engine, names and sizes of what was read, whether the clock was given",
    "the file name of the spec, and the notes of the plan on how rows were counted",
    "numbers of a run that is said to be of another version: verify with the version it names",
    "the name of a test that needs the rows, what a table says it lacks, runs in a row that failed",
    "the PDF, where the libraries that draw are not those that drew it",
    "numbers that are named above as not recomputed",
)
#: What finds them.
INSTEAD = (
    "--rerun with the data, a seal (--sealed-by) or a line of the history kept elsewhere (--anchor)"
)
