"""Says what pip-audit answered about one lock; status 1 where a vulnerability is known."""

import json
import sys


def main() -> int:
    """Read the answer on standard input; the lock is named as the argument."""
    lock = sys.argv[1]
    try:
        packages = json.loads(sys.stdin.read())["dependencies"]
    except (ValueError, KeyError, TypeError):
        print(f"audit: {lock}: the index could not be asked; nothing was looked up")
        return 0
    known = [one for one in packages if "vulns" in one]
    print(f"audit: {lock}: {len(known)} of {len(packages)} packages were looked up")
    found = [(one, flaw) for one in known for flaw in one["vulns"]]
    for one, flaw in found:
        fixed = ", ".join(flaw.get("fix_versions") or ()) or "no version yet"
        print(f"audit: {one['name']} {one['version']}: {flaw['id']}, fixed in {fixed}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
