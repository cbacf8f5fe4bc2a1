"""A published run, sealed: nothing in its folder can change unseen without the key.

    crate        the run as a research object: RO-Crate, by the Process Run Crate profile
    statement    what is signed: an in-toto statement of every file with its hash
    envelope     the signature around it: DSSE, with the user's key
    stamp        the time of the signature, by an authority of time stamps: RFC 3161
    sealing      a seal is put on a run
    check        a seal is held against the run, offline

A seal says that the holder of a key had these files with this content; with a time stamp, that
the signature existed at that time. It says nothing of whether the numbers are right.
"""
