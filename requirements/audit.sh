#!/bin/sh
# Looks the locked packages up in the index of known vulnerabilities.
#
#     sh requirements/audit.sh PYTHON FOLDER LOCK...
#
# Status 1 where one is known. Without the index, or without the tool that asks it,
# nothing can be said: that is told, and is no failure.
set -u
python=$1
folder=$2
shift 2

here=$(dirname "$0")
if ! [ -x "$folder/bin/pip-audit" ]; then
    "$python" -m venv "$folder" >/dev/null 2>&1 &&
        timeout 120 "$folder/bin/python" -m pip --disable-pip-version-check --quiet --quiet \
            install --no-deps --require-hashes -r "$here/audit.txt" >/dev/null 2>&1 || {
        rm -rf "$folder"
        echo "audit: pip-audit could not be installed; nothing was looked up"
        exit 0
    }
fi

status=0
for lock in "$@"; do
    found=$(timeout 120 "$folder/bin/pip-audit" --progress-spinner off --disable-pip \
        --require-hashes --format json -r "$lock" 2>/dev/null)
    printf '%s' "$found" | "$folder/bin/python" "$here/audit_answer.py" "$lock" || status=1
done
exit $status
