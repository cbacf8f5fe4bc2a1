"""What a run finds, as records: the content of ``results.json``, typed and declared once.

    records    one frozen dataclass for each kind of record that is written
    history    the same for a line of the history of runs
    identity   which number a record is of: the one key that numbers are looked up by
    lookup     all records of a run together, and how to find one of them
    codec      records from JSON and back, strictly
    schema     the JSON Schema, derived from the records

The lowest layer of the package but for errors: what computes, checks, compares and draws
speaks these records, and a field is read by its name, never by a key of text.
"""
