"""Tools: a tool is one decorated function with typed arguments.

    @tool
    def git_show(shop: Workshop, sha: Annotated[str, Field(description="…")]) -> str:
        "Show one commit: …"

Its declaration for the prompt and the check of a call's arguments both come from the signature.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from ...memory.errors import HermesError
from .workshop import Workshop

Function = Callable[..., str]


class _Arguments(BaseModel):
    # Small models write numbers as strings and the other way round; neither is worth a refusal.
    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)


class CallRefused(HermesError):
    """A call that is not carried out; the message goes back to the model."""

    code = "call_refused"


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that a model may call."""

    name: str
    description: str
    arguments: type[BaseModel]
    function: Function

    def declaration(self) -> dict[str, Any]:
        """Return the tool as the prompt declares it: name, description, parameters."""
        schema = self.arguments.model_json_schema()
        properties = {
            name: {key: field[key] for key in ("type", "description", "enum") if key in field}
            for name, field in schema["properties"].items()
        }
        parameters = {
            "type": "object",
            "properties": properties,
            "required": schema.get("required", []),
        }
        function = {"name": self.name, "description": self.description, "parameters": parameters}
        return {"type": "function", "function": function}


def tool(function: Function) -> Tool:
    """Make a tool of a function whose first parameter is the Workshop and which returns text."""
    hints = get_type_hints(function, include_extras=True)
    parameters = list(inspect.signature(function).parameters.values())[1:]
    fields: dict[str, Any] = {
        parameter.name: (
            hints[parameter.name],
            ... if parameter.default is inspect.Parameter.empty else parameter.default,
        )
        for parameter in parameters
    }
    return Tool(
        name=function.__name__,
        description=inspect.cleandoc(function.__doc__ or "").partition("\n\n")[0],
        arguments=create_model(function.__name__, __base__=_Arguments, **fields),
        function=function,
    )


class Toolbox:
    """The tools one agent may use, by name."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools = {each.name: each for each in tools}

    @property
    def names(self) -> frozenset[str]:
        """The names of all tools."""
        return frozenset(self._tools)

    def declarations(self) -> str:
        """Return all declarations as JSON, one a line; "" when there are no tools."""
        return "\n".join(
            json.dumps(each.declaration(), ensure_ascii=False) for each in self._tools.values()
        )

    def call(self, name: str, arguments: Mapping[str, Any], workshop: Workshop) -> str:
        """Call a tool. Raise CallRefused, in words a model can act on, when it may not be called
        so or fails in a way that other arguments would not."""
        known = self._tools.get(name)
        if known is None:
            raise CallRefused(f"there is no tool {name!r}; there are: {', '.join(self._tools)}")
        given = {key: value for key, value in arguments.items() if value is not None}
        try:
            checked = known.arguments.model_validate(given)
        except ValidationError as error:
            problems = "; ".join(
                f"{'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}"
                for problem in error.errors(include_url=False, include_context=False)
            )
            raise CallRefused(f"the arguments of {name} are wrong: {problems}") from None
        values = {field: getattr(checked, field) for field in type(checked).model_fields}
        try:
            return known.function(workshop, **values)
        except CallRefused:
            raise
        except HermesError as error:
            raise CallRefused(f"{name} failed: {error.message}") from error
