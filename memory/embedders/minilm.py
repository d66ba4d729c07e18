"""all-MiniLM-L6-v2 through ONNX Runtime: better than the static one, 30 texts a second.

No package on the registries brings this model together with its tokenizer without bringing
PyTorch too, so it is read from a folder that the settings name.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import EmbedderError
from .protocol import Vectors
from .unit import unit

MODEL = "model.onnx"
TOKENIZER = "tokenizer.json"
_DIMENSION = 384
_TOKENS = 128
_CHARACTERS = 2_000


class MiniLMEmbedder:
    """all-MiniLM-L6-v2 from a folder that holds ``model.onnx`` and ``tokenizer.json``."""

    name = "minilm"
    dimension = _DIMENSION
    scheme = "l6-v2-1"

    def __init__(self, folder: Path) -> None:
        """Load the model (0.3 s, 190 MB). Raise EmbedderError where something is missing."""
        for file in (MODEL, TOKENIZER):
            if not (folder / file).is_file():
                raise EmbedderError(
                    f"{folder} has no {file}",
                    hint="Put all-MiniLM-L6-v2's model.onnx and tokenizer.json into the folder"
                    " that `[embedder] minilm_folder` names.",
                )
        try:
            runtime: Any = importlib.import_module("onnxruntime")
            tokenizers: Any = importlib.import_module("tokenizers")
        except ImportError as error:
            raise EmbedderError(
                f"{error.name} is not installed",
                hint='Install the extra: pip install "hermes-ambient[minilm]".',
            ) from error
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1
        options.enable_cpu_mem_arena = False  # it keeps the peak of the longest text for ever
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        self._session = runtime.InferenceSession(
            str(folder / MODEL), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = {given.name for given in self._session.get_inputs()}
        self._tokenizer = tokenizers.Tokenizer.from_file(str(folder / TOKENIZER))
        self._tokenizer.enable_truncation(_TOKENS)
        self._tokenizer.no_padding()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Given documents, return one unit vector each. One at a time: batches are slower."""
        vectors = np.zeros((len(texts), _DIMENSION), dtype=np.float32)
        for row, text in enumerate(texts):
            encoded = self._tokenizer.encode(text[:_CHARACTERS])
            given = {
                "input_ids": encoded.ids,
                "attention_mask": encoded.attention_mask,
                "token_type_ids": encoded.type_ids,
            }
            feed = {
                name: np.asarray([values], dtype=np.int64)
                for name, values in given.items()
                if name in self._inputs
            }
            output = np.asarray(self._session.run(None, feed)[0], dtype=np.float32)
            vectors[row] = output[0].mean(axis=0) if output.ndim == 3 else output[0]
        return unit(vectors)

    def embed_query(self, text: str) -> Vectors:
        """Given a question, return its unit vector."""
        vector: Vectors = self.embed([text])[0]
        return vector
