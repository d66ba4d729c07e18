"""The API's view of the language model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from .models import Models
from .wire import Json, stream


class PullIn(BaseModel):
    """A model to fetch."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[
        str, Field(max_length=300, pattern=r"^[A-Za-z0-9][\w.:/-]*$", examples=["hermes3:8b"])
    ]


def add_models(app: FastAPI, models: Models, log_file: Path) -> None:
    """Add ``/v1/models`` to the application."""

    @app.get("/v1/models")
    async def show() -> Json:
        return Json(await models.fields())

    @app.post("/v1/models/pull")
    async def pull(asked: PullIn) -> StreamingResponse:
        return stream(models.pull(asked.name), log_file)
