"""The API described: the token scheme of its OpenAPI schema, and the same schema as a page without
any script."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator

from leaderboard.web.api.examples import Example, recorded_examples

Schema = Mapping[str, Any]


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # registers itself, untyped
    target_class = "benchmarks.submissions.api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "A personal token, made on the page Tokens.",
        }


@dataclass(frozen=True, slots=True)
class ApiParameter:
    """`place`: path, query, header, or body for a field of a form."""

    name: str
    place: str
    type: str
    is_required: bool
    about: SafeString


@dataclass(frozen=True, slots=True)
class ApiOperation:
    anchor: str
    method: str
    path: str
    summary: str
    description: SafeString
    needs_account: bool
    parameters: tuple[ApiParameter, ...]
    answers: tuple[dict[str, Any], ...]
    examples: tuple[Example, ...]


@require_safe
def api_docs(request: HttpRequest) -> HttpResponse:
    return render(request, "site/api_docs.html", {"page": api_docs_page()})


@cache
def api_docs_page() -> dict[str, Any]:
    """Made once: the schema is the code, and changes with it alone."""
    schema: Schema = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    operations = tuple(
        api_operation(path, method, operation, schema)
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    )
    return {
        "title": schema["info"]["title"],
        "version": schema["info"]["version"],
        "operations": operations,
    }


def api_operation(path: str, method: str, operation: Schema, schema: Schema) -> ApiOperation:
    return ApiOperation(
        anchor=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation["summary"],
        description=with_code(operation["description"]),
        needs_account={} not in operation["security"],
        parameters=(
            *sorted(map(api_parameter, operation.get("parameters", ())), key=place_order),
            *form_fields(operation, schema),
        ),
        answers=tuple(
            {
                "status": status,
                "media_type": media_type,
                "about": with_code(answer.get("description", "")),
            }
            for status, answer in operation["responses"].items()
            for media_type in answer.get("content", {"": None})
        ),
        examples=tuple(recorded_examples().get(operation["operationId"], ())),
    )


def place_order(parameter: ApiParameter) -> int:
    """What the address needs, then what it may have."""
    return ("path", "query", "header").index(parameter.place)


def with_code(text: str) -> SafeString:
    """What stands between backticks as code."""
    words = (
        (format_html("<code>{}</code>", part) if n % 2 else part,)
        for n, part in enumerate(text.split("`"))
    )
    return format_html_join("", "{}", words)


def api_parameter(parameter: Schema) -> ApiParameter:
    return ApiParameter(
        name=parameter["name"],
        place=parameter["in"],
        type=type_name(parameter["schema"]),
        is_required=parameter.get("required", False),
        about=with_code(parameter.get("description", "").partition("\n")[0]),
    )


def form_fields(operation: Schema, schema: Schema) -> tuple[ApiParameter, ...]:
    """The fields of the operation's form; none where it has no body."""
    found = []
    for content in operation.get("requestBody", {}).get("content", {}).values():
        form = resolved(content["schema"], schema)
        for name, field in form["properties"].items():
            is_required = name in form.get("required", ())
            about = with_code(field.get("description", "").partition("\n")[0])
            found.append(
                ApiParameter(name, "body", type_name(resolved(field, schema)), is_required, about)
            )
    return tuple(found)


def resolved(part: Schema, schema: Schema) -> Schema:
    """The component a schema names, or the schema itself."""
    reference = part.get("$ref") or next(
        (option["$ref"] for option in part.get("allOf", ()) if "$ref" in option), ""
    )
    component: Schema = (
        schema["components"]["schemas"][reference.rpartition("/")[2]] if reference else part
    )
    return component


def type_name(field: Schema) -> str:
    """The type as a reader wants it: "public or private" rather than "string"."""
    if "oneOf" in field:
        return type_name(field["oneOf"][0])
    if "enum" in field:
        return " or ".join(str(value) for value in field["enum"] if value)
    return str(
        {"binary": "file", "uuid": "UUID", "uri": "URL"}.get(
            field.get("format", ""), field.get("type", "")
        )
    )
