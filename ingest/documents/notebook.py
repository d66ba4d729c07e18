"""A Jupyter notebook as Markdown: its cells in their order, what they printed only where it is short."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel, Field, JsonValue, ValidationError

SHORT = 400
"""Characters of what a cell printed, up to which it is kept."""

_Text = str | list[str]


class NotANotebook(Exception):
    """This is no notebook, or not all of one."""


class _Output(BaseModel):
    output_type: str = ""
    text: _Text | None = None
    data: dict[str, JsonValue] | None = None
    ename: str = ""
    evalue: str = ""


class _Cell(BaseModel):
    cell_type: str
    source: _Text = ""
    input: _Text = ""
    """What the source of code was called before 2015."""
    level: int = Field(default=1, ge=1, le=6)
    outputs: list[_Output] = []


class _Sheet(BaseModel):
    cells: list[_Cell] = []


class _Named(BaseModel):
    name: str = ""
    language: str = ""


class _About(BaseModel):
    kernelspec: _Named = _Named()
    language_info: _Named = _Named()


class _Notebook(BaseModel):
    cells: list[_Cell] | None = None
    worksheets: list[_Sheet] | None = None
    """Where the cells were before 2015."""
    metadata: _About = _About()


def as_markdown(text: str) -> str:
    """Return a notebook's cells as Markdown. Raise NotANotebook."""
    try:
        book = _Notebook.model_validate_json(text)
    except (ValidationError, RecursionError) as error:
        raise NotANotebook("no notebook, or a broken one") from error
    cells = book.cells
    if cells is None and book.worksheets is not None:
        cells = [cell for sheet in book.worksheets for cell in sheet.cells]
    if cells is None:
        raise NotANotebook("no notebook: it has no cells")
    about = book.metadata
    language = about.kernelspec.language or about.language_info.name or "python"
    return "\n\n".join(part for cell in cells for part in _parts(cell, language)) + "\n"


def _parts(cell: _Cell, language: str) -> Iterator[str]:
    source = _joined(cell.source or cell.input).strip("\n")
    if cell.cell_type == "code":
        if source.strip():
            yield _fenced(source, language)
        for output in cell.outputs:
            said = _said(output).strip()
            if said and len(said) <= SHORT:
                yield _fenced(said, "text")
    elif cell.cell_type == "heading" and source:
        yield f"{'#' * cell.level} {source}"
    elif source.strip():
        yield source


def _said(output: _Output) -> str:
    """Return what an output says in words; of a picture or a table nothing."""
    if output.output_type in ("error", "pyerr"):
        return f"{output.ename}: {output.evalue}"
    if output.data is None:
        return _joined(output.text or "")
    plain = output.data.get("text/plain") if len(output.data) == 1 else None
    if isinstance(plain, list):
        return "".join(str(line) for line in plain)
    return plain if isinstance(plain, str) else ""


def _joined(text: _Text) -> str:
    return text if isinstance(text, str) else "".join(text)


def _fenced(text: str, language: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"
