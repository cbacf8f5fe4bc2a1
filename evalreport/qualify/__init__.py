"""Does this installation work as it was tested? Three parts, each a list of checks with outcomes.

    requirements    what the tool has to do, numbered
    checks          one thing looked at, and what came of it
    installation    IQ: files, dependencies, libraries and fonts against what was released
    reference       OQ: cases with known answers, worked by the installed code
    commands        OQ: the same bytes twice, exit statuses, hostile files, no network
    performance     PQ: the user's own spec, twice or against a stored run
    whole           all of it, as data of one kind

It says what was looked at on this machine and what was found; what to conclude is the reader's.
"""
