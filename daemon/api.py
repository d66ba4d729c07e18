"""The API: JSON over HTTP on the daemon's socket; streams are one JSON object a line."""

from __future__ import annotations

import asyncio
import os
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from .. import __version__
from ..memory.errors import HermesError
from .api_ask import add_ask
from .api_attention import add_attention
from .api_brief import add_brief
from .api_chunks import add_chunks
from .api_commits import add_commits
from .api_council import add_council
from .api_council_learning import add_council_learning
from .api_documents import add_documents
from .api_forget import add_forget
from .api_jobs import add_jobs
from .api_journal import add_journal
from .api_memory_audit import add_memory_audit
from .api_models import add_models
from .api_repos import add_repos
from .api_run import add_run
from .api_schedule import add_schedule
from .api_show import add_show
from .api_sources import add_sources
from .api_tests import add_tests
from .api_themes import add_themes
from .api_trust import add_trust
from .api_web import add_web
from .api_webhooks import add_webhooks
from .doctor import examine
from .guard import Guard
from .host import Host
from .listen import Door
from .models import Models
from .status import status
from .trouble import Trouble, add_trouble
from .wire import Json, of_error, of_fault

API_VERSION = 1

STATUS = {
    "empty_question": 422,
    "no_judgment": 422,
    "no_verdict": 409,
    "no_such_preset": 404,
    "nobody": 404,
    "not_in_memory": 404,
    "nothing_to_forget": 404,
    "no_branch": 404,
    "path_missing": 404,
    "no_such_agent": 404,
    "no_such_entry": 404,
    "no_such_night": 404,
    "no_such_id": 404,
    "no_such_test": 404,
    "no_such_source": 404,
    "no_token": 409,
    "source_away": 503,
    "source_broken": 422,
    "source_refused": 409,
    "not_trusted": 403,
    "not_taken_up": 503,
    "wrong_state": 409,
    "ambiguous": 409,
    "no_worker": 503,
    "store_busy": 503,
    "store_damaged": 500,
    "store_too_new": 500,
    "store_unreachable": 503,
    "no_space": 507,
    "read_only": 503,
    "no_memory": 503,
    "no_page": 503,
    "no_webhooks": 503,
}
"""HTTP's status by our code for what is wrong; 400 for all others."""


def create_app(host: Host, door: Door) -> ASGIApp:
    """Given a host, return the application that answers for it behind ``door``."""
    return Guard(answering(host), door)


def answering(host: Host) -> ASGIApp:
    """Given a host, return the application that answers for it, to whoever reaches it."""
    return Trouble(endpoints(host), host)


def endpoints(host: Host) -> FastAPI:
    """Given a host, return all that can be asked of it; docs/api.md lists them."""
    # No pages of documentation: they would load scripts from elsewhere.
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    _add_basics(app, host)
    add_repos(app, host)
    add_chunks(app, host)
    add_show(app, host)
    add_ask(app, host)
    add_jobs(app, host)
    add_run(app, host)
    add_journal(app, host)
    add_models(app, _models(host), host.paths.log_file)
    add_schedule(app, host)
    add_sources(app, host)
    add_attention(app, host)
    add_trouble(app, host)
    add_trust(app, host)
    add_tests(app, host)
    add_commits(app, host)
    add_documents(app, host)
    add_brief(app, host)
    add_forget(app, host)
    add_themes(app, host)
    add_memory_audit(app, host)
    add_council(app, host)
    add_council_learning(app, host)
    add_web(app, host)
    add_webhooks(app, host)
    _add_errors(app, host)
    return app


def _models(host: Host) -> Models:
    return Models(
        host.settings.models.provider,
        host.chat.hosts if host.chat else None,
        host.chat.keeper if host.chat else None,
        host.ledger.calls.by_agent if host.ledger else lambda since: (),
        host.agents,
    )


def _add_basics(app: FastAPI, host: Host) -> None:
    @app.get("/v1/hello")
    async def hello() -> Json:
        return Json(
            {
                "version": __version__,
                "api": API_VERSION,
                "pid": os.getpid(),
                "started": host.holder.started,
                "home": host.paths.state_folder,
            }
        )

    @app.get("/v1/status")
    async def show_status() -> Json:
        return Json(await status(host))

    @app.get("/v1/doctor")
    async def show_doctor() -> Json:
        return Json({"checks": await examine(host)})

    @app.post("/v1/shutdown")
    async def shutdown() -> Json:
        # A moment later, so that this answer is out before connections are asked to close.
        asyncio.get_running_loop().call_soon(host.stop.set)
        return Json({"stopping": True}, status_code=202)


def _add_errors(app: FastAPI, host: Host) -> None:
    @app.exception_handler(HermesError)
    async def designed(request: Request, error: HermesError) -> Json:
        return Json(of_error(error), status_code=STATUS.get(error.code, 400))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Json:
        return Json(
            {"error": _in_words(error), "hint": "", "code": "invalid_request"}, status_code=422
        )

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Json:
        what = f"{error.detail}: {request.method} {request.url.path}"
        content = {
            "error": what,
            "hint": "are client and daemon of the same version?",
            "code": "http",
        }
        return Json(content, status_code=error.status_code)

    @app.exception_handler(Exception)
    async def fault(request: Request, error: Exception) -> Json:
        # Starlette raises it again after this answer; the server logs it with its traceback, and
        # ends the connection.
        return Json(of_fault(host.paths.log_file), status_code=500, headers={"connection": "close"})


def _in_words(error: RequestValidationError) -> str:
    """Given what pydantic found, return one line that names every field."""
    problems: list[str] = []
    for detail in error.errors():
        found: dict[str, Any] = detail
        place = ".".join(str(part) for part in found["loc"] if part != "body")
        message = str(found["msg"]).removeprefix("Value error, ")
        problems.append(message if place == "question" or not place else f"{place}: {message}")
    return "; ".join(problems)
