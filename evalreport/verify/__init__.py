"""A run held against itself: its files, its chain, and every number made again.

Follow a run through the modules:

    verify         files against manifest, manifests against chain
    recorded_spec  the spec that results carry, read again
    recorded_tables  tables and curves of results as what the engine counts
    recorded_state  the results as the engine works on them, without rows
    recorded_models  each dataset and model as the engine works on it, without rows
    rebuild_parts  how each kind of record is made again
    rebuild_plan   the plan again, and the measures held against it
    rebuild_measures  measures and tables by the engine's evaluation of the recorded tables
    rebuild_comparisons  comparisons by the engine's methods on what is recorded beside them
    rebuild_records  impact, looks, omnibus tests from what is recorded beside them
    rebuild_readers  readers from what is recorded beside them
    rebuild_criteria  criteria from the measures they are about
    accounts       rows, labels and provenance, which have to add up
    failures       what is recorded as failed
    leaves         what is compared of a record, leaf by leaf
    recompute      every record against the others, every number counted
    printed        every number on the page against results.json
    kept           what is kept of rows, counted again
"""
