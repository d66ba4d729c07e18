"""Run in a project's own interpreter: which tests its testmon record ties to what changed.

Reads the record only. Standard library, and testmon for how it takes a file apart, which depends
on the version of Python. Prints JSON.
"""

# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportMissingImports=false

import json
import os
import sqlite3
import sys
from pathlib import Path

KNOWN = 14  # testmon 2.2's PRAGMA user_version

QUERY = """
SELECT t.test_name, f.filename, f.method_checksums
FROM test_execution t
JOIN test_execution_file_fp link ON link.test_execution_id = t.id
JOIN file_fp f ON f.id = link.fingerprint_id
WHERE t.environment_id = ? AND f.fsha IS NOT NULL
"""


def main(root: str, data: str) -> dict[str, object]:
    """Return what to print."""
    from testmon.common import (  # type: ignore[import-not-found,unused-ignore]
        drop_patch_version,
        get_system_packages,
    )
    from testmon.process_code import (  # type: ignore[import-not-found,unused-ignore]
        Module,
        blob_to_checksums,
        bytes_to_string_and_fsha,
    )

    record = sqlite3.connect(Path(data).as_uri() + "?mode=ro", uri=True, timeout=10)
    version = record.execute("PRAGMA user_version").fetchone()[0]
    if version != KNOWN:
        raise SystemExit(f"its record is of version {version}, not {KNOWN}")
    known = record.execute("SELECT max(id) FROM environment").fetchone()
    environment = known[0]
    sys.path.insert(0, root)  # as when tests run: packages may be described there
    view = f"Python {sys.version.split()[0]}; {drop_patch_version(get_system_packages())}"
    checksums: dict[str, set[int]] = {}
    affected: dict[str, str] = {}
    files: set[str] = set()
    for test, name, blob in record.execute(QUERY, (environment,)):
        files.add(test.split("::", 1)[0])
        if name not in checksums:
            try:
                with open(os.path.join(root, name), "rb") as file:
                    text = bytes_to_string_and_fsha(file.read())[0]
                module = Module(source_code=text, ext=name.rsplit(".", 1)[-1])
                checksums[name] = set(module.method_checksums)
            except OSError:
                checksums[name] = set()
        if set(blob_to_checksums(blob)) - checksums[name]:
            affected.setdefault(test, name)
    return {
        "environment": environment or 0,
        "packages": view,
        "affected": affected,
        "files": sorted(files),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1], sys.argv[2])))
