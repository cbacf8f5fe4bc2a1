"""Runs: how one is published, how many are kept, and what changed between them.

Follow a run through the modules:

    clock          the one time of a run
    hashing        fingerprints, and the one way a value becomes JSON bytes
    durable        writes that are on the disk when they return
    signals        SIGTERM and Ctrl-C clean up first
    lock           one at a time changes RUNS
    runs           the folder of runs: checked before any work
    run_folder     build aside, publish whole
    manifest       what was made, from what
    history        one chained line for each run
    recovery       what an interrupted run left is put right by the next
    prune          old runs go, the chain stays
    recorded       the results of one run, verified against its manifest
    diff*          what changed between two runs
    trend*         the course of runs: control limits, breaches in a row
    watch          which run is missing, and which one alarms

What changed, a course and a watch are values of ``results`` (changes, course, watch): JSON is
written of them, and ``report`` makes the pages and the text.
"""
