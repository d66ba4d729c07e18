"""The embedders, the bundled one for real and Ollama's over its wire protocol."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hermes.memory.embedders.choose import Choice, choice, choose, for_vectors
from hermes.memory.embedders.minilm import MiniLMEmbedder
from hermes.memory.embedders.ollama import OllamaEmbedder
from hermes.memory.embedders.static import StaticEmbedder
from hermes.memory.errors import EmbedderError
from hermes.memory.tables import parse_vector_set, vector_set
from hermes.tests.servers.ollama import OllamaServer, Reply
from hermes.tests.servers.ollama_shapes import vector


@pytest.fixture(scope="module")
def static() -> StaticEmbedder:
    """The bundled embedder."""
    return StaticEmbedder()


@pytest.fixture
def server() -> Iterator[OllamaServer]:
    """An Ollama server with nomic-embed-text."""
    with OllamaServer() as running:
        yield running


@pytest.fixture
def nobody() -> str:
    """An address where nothing listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


def test_the_bundled_embedder_puts_like_near_like(static: StaticEmbedder) -> None:
    texts = ["retry the upload when it fails", "again after an upload error", "paint it blue"]
    vectors = static.embed(texts)
    assert vectors.shape == (3, static.dimension)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    question = static.embed_query("upload retries")
    assert question @ vectors[0] > question @ vectors[2]
    assert question @ vectors[1] > question @ vectors[2]


@pytest.mark.parametrize("text", ["", " \n", "\x00", "日本語のテキスト", "x" * 100_000, "🦜" * 999])
def test_the_bundled_embedder_takes_any_text(static: StaticEmbedder, text: str) -> None:
    vectors = static.embed([text, "a plain one"])
    assert np.isfinite(vectors).all()
    assert np.linalg.norm(vectors[0]) == pytest.approx(1, abs=1e-4) or not vectors[0].any()


def test_nothing_gives_no_vectors(static: StaticEmbedder, server: OllamaServer) -> None:
    assert static.embed([]).shape == (0, 256)
    assert OllamaEmbedder(host=server.url).embed([]).shape == (0, 768)


def test_ollama_gets_the_prefixes_its_model_was_trained_with(server: OllamaServer) -> None:
    embedder = OllamaEmbedder(host=server.url)
    assert np.allclose(embedder.embed(["a b"])[0], vector("search_document: a b"), atol=1e-6)
    assert np.allclose(embedder.embed_query("a b"), vector("search_query: a b"), atol=1e-6)
    assert embedder.embed(["x"] * 70).shape == (70, 768)


def test_a_batch_that_fails_for_one_text_is_halved_and_the_others_stay_whole(
    server: OllamaServer,
) -> None:
    too_long = Reply(status=400, error="the input length exceeds the context length")
    server.script(too_long, too_long)
    texts = [f"text {number}" for number in range(9)]
    vectors = OllamaEmbedder(host=server.url).embed(texts)
    expected = [vector(f"search_document: {text}") for text in texts]
    assert np.allclose(vectors, expected, atol=1e-6)
    sizes = [len(call["input"]) for call in server.calls("/api/embed")]
    assert sizes == [9, 4, 2, 2, 5]


def scripted(*rows: list[float]) -> Reply:
    return Reply(body=json.dumps({"model": "m", "embeddings": rows}).encode())


def test_a_text_that_gives_no_number_is_cut_until_it_gives_some(server: OllamaServer) -> None:
    nan = Reply(status=400, error="embedding contains NaN or Inf")
    server.script(nan)
    vectors = OllamaEmbedder(host=server.url).embed(["word " * 20])
    assert np.linalg.norm(vectors[0]) == pytest.approx(1, abs=1e-5)
    for _ in range(8):
        server.script(nan)
    assert not OllamaEmbedder(host=server.url).embed(["word " * 20]).any()


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply(status=404, error="model 'x' not found"), "has no model"),
        (Reply(status=503, error="server busy"), "failed to embed: .*busy"),
        (Reply(status=500, body=b"<html>oops</html>"), "failed to embed"),
        (Reply(body=b"<html>a login page</html>"), "is not an Ollama server"),
        (Reply(body=b'{"model": "m", "embeddings": "none"}'), "is not an Ollama server"),
        (Reply(body=b'{"model": "m", "embeddings": []}'), "gave no vectors"),
        (scripted([1.0, 0.0]), "shape"),
        (scripted([1.0] * 768, [1.0] * 768), "shape"),
    ],
)
def test_what_an_ollama_server_does_wrong_is_told_in_one_line(
    server: OllamaServer, reply: Reply, said: str
) -> None:
    server.script(reply)
    with pytest.raises(EmbedderError, match=said) as caught:
        OllamaEmbedder(host=server.url).embed(["text"])
    assert "\n" not in caught.value.message
    assert caught.value.hint


def test_an_ollama_that_is_away_is_told_of_with_what_to_do(nobody: str) -> None:
    with pytest.raises(EmbedderError, match="does not answer") as caught:
        OllamaEmbedder(host=nobody).embed_query("text")
    assert "ollama serve" in caught.value.hint
    with pytest.raises(EmbedderError):
        OllamaEmbedder("model-of-unknown-size", nobody)


def test_a_proxy_is_not_asked(server: OllamaServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    embedder = OllamaEmbedder(host=server.url)
    assert embedder.present()
    assert embedder.embed_query("text").shape == (768,)


def test_auto_takes_ollamas_where_it_is_and_the_bundled_one_elsewhere(
    server: OllamaServer, nobody: str
) -> None:
    best = choice("auto", host=server.url)
    assert (best.embedder.name if best.embedder else None, best.note) == ("ollama", "")
    plain = choice("auto", host=nobody)
    assert plain.embedder is not None
    assert plain.embedder.name == "static"
    assert "ollama pull nomic-embed-text" in plain.note
    lacking = choice("auto", model="mxbai-embed-large", host=server.url)
    assert lacking.embedder is not None
    assert lacking.embedder.name == "static"


def test_auto_keeps_ollamas_vectors_while_the_server_is_off(nobody: str) -> None:
    kept = choice("auto", host=nobody, keep="ollama")
    assert kept.embedder is not None
    assert kept.embedder.name == "ollama"
    assert "full text only for now" in kept.note


@pytest.mark.parametrize(
    ("provider", "name"), [("static", "static"), ("ollama", "ollama"), ("none", None)]
)
def test_what_the_settings_name_is_taken(nobody: str, provider: str, name: str | None) -> None:
    embedder = choose(provider, host=nobody)  # type: ignore[arg-type]
    assert (embedder.name if embedder else None) == name


def test_minilm_without_its_files_leaves_full_text_and_says_what_to_do(tmp_path: Path) -> None:
    assert choice("none") == Choice(None)
    unset = choice("minilm")
    assert unset.embedder is None
    assert "minilm_folder" in unset.note
    (tmp_path / "model.onnx").write_bytes(b"")
    lacking = choice("minilm", minilm_folder=tmp_path)
    assert lacking.embedder is None
    assert "tokenizer.json" in lacking.note
    with pytest.raises(EmbedderError, match=r"has no tokenizer\.json"):
        MiniLMEmbedder(tmp_path)


def test_the_tables_name_tells_which_embedder_can_read_it(static: StaticEmbedder) -> None:
    ours = vector_set(static)
    assert parse_vector_set(ours.name) == ours
    found = for_vectors(ours)
    assert found is not None
    assert vector_set(found) == ours
    other = parse_vector_set("vectors_static_256_another-scheme")
    assert other is not None
    assert for_vectors(other) is None
    assert parse_vector_set("chunks") is None
    remote = vector_set(OllamaEmbedder("nomic-embed-text:v1.5"))
    assert parse_vector_set(remote.name + "_message") == remote


def test_the_bundled_embedder_leaves_logging_as_it_was() -> None:
    code = (
        "import logging; from hermes.memory.embedders.static import StaticEmbedder; "
        "StaticEmbedder(); logging.getLogger('hermes').info('not for the terminal'); "
        "print(logging.getLogger().handlers, logging.getLogger().level)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (ran.stdout, ran.stderr) == ("[] 30\n", "")
