"""What LanceDB does not import, with all that memory does to a store."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

from hermes.memory.lance_client import CLIENT

CODE = """
    import sys
    from pathlib import Path
    from hermes.memory.embedders.static import StaticEmbedder
    from hermes.memory.errors import StoreUnreachable
    from hermes.memory.hits import TextSearch, VectorSearch
    from hermes.memory.lance_client import CLIENT
    from hermes.memory.memory import Memory
    from hermes.memory.records import Kind
    from hermes.tests.builders.records import batch_of

    folder, embedder = Path(sys.argv[1]), StaticEmbedder()
    with Memory.open(folder, embedder=embedder, write=True) as memory:
        repo = memory.index.add_repo("shop", "/shop/.git", None, None).id
        for first in (0, 30):
            memory.write(repo, *batch_of(repo, range(first, first + 30)))
        assert memory.fill_vectors() > 0
        memory.maintain(force=True)
        assert memory.store.search(TextSearch(Kind.MESSAGE, "chang"))[0]
        assert memory.store.search(VectorSearch(Kind.MESSAGE, embedder.embed_query("change")))[0]
        assert memory.check() == []
        memory.forget_repo(repo)
        assert memory.store.count_chunks() == 0
    nobody = {"aws_endpoint": "http://127.0.0.1:9", "allow_http": "true", "aws_region": "x",
              "aws_access_key_id": "x", "aws_secret_access_key": "x", "client_max_retries": "0"}
    try:
        Memory.open(folder / "far", embedder=None, uri="s3://nowhere/lance",
                    storage_options=nobody, write=True)
    except StoreUnreachable as error:
        print(error.code)
    names = [name for name in sys.modules if name.partition(".")[0] == CLIENT]
    print(*(name for name in names if not name.startswith(f"{CLIENT}.models")))
"""


def test_all_that_memory_does_needs_no_more_than_the_records_of_lancedbs_client(
    tmp_path: Path,
) -> None:
    """Should this fail with a new lancedb, it asks more of its client than before, and starting
    takes twice as long: the log says what for; see whether that can be spared too."""
    said = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(CODE), str(tmp_path)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert said.stderr == ""
    assert said.stdout.split() == ["store_unreachable", CLIENT]
