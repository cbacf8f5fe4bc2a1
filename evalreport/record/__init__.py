"""A run as evidence: its folder, its manifest, the chain of runs, and their verification.

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
    chain          what is wrong with a history
    files          what is wrong with the files of a run
    recovery       what an interrupted run left is put right by the next
    prune          old runs go, the chain stays
    verify         files against manifest, manifests against chain
    recorded_spec  the spec that results carry, read again
    recorded_tables  tables and curves of results as what the engine counts
    recorded_state  the results as the engine works on them, without rows
    rebuild_parts  how each kind of record is made again
    rebuild_plan   the plan again, and the measures held against it
    rebuild_measures  measures by the engine from the recorded tables
    rebuild_comparisons  comparisons from measures and from what stands beside them
    rebuild_records  impact, looks, readers, omnibus tests from what stands beside them
    accounts       rows, labels and provenance, which have to add up
    failures       what is said to have failed
    leaves         what is compared of a record, leaf by leaf
    recompute      every record against the others, every number counted
    printed        every number on the page against results.json
    kept           what is kept of rows, counted again
    recorded       the results of one run, held against its manifest
    diff*          what changed between two runs
    trend*         the course of runs: control limits, breaches in a row, pages
"""
