"""Judge specs and prompt sets: made once, never changed."""

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from benchmarks.protocols.base import BenchmarkProtocol
from benchmarks.services import digest_of
from judging.models import JudgeSpec, PromptSet


class UnknownJudgeError(LookupError):
    pass


def ensure_prompt_set(*, of: BenchmarkProtocol, version: str = "") -> PromptSet:
    """The prompt set of a file of the protocol is in the database afterwards. A changed file is an error."""
    version = version or of.default_prompts
    document = tomllib.loads((of.prompts / f"{version}.toml").read_text("utf-8"))
    digest = digest_of([of.slug, version, document["texts"]])
    found, _ = PromptSet.objects.get_or_create(
        protocol=of.slug,
        version=version,
        defaults={"texts": document["texts"], "about": document.get("about", ""), "content_hash": digest},
    )
    if found.content_hash != digest:
        raise ValueError(f"The prompts {of.slug} {version} differ from those already used; give them a new version.")
    return found


def ensure_spec(
    *,
    of: BenchmarkProtocol,
    kind: str,
    endpoint: str = "",
    model: str = "",
    parameters: Mapping[str, Any] | None = None,
    repeats: int = 0,
    parser: str = "",
) -> JudgeSpec:
    """The spec with exactly this content; its slug names kind, model and the first digits of its hash."""
    offline = kind == JudgeSpec.Kind.RULES
    prompts = None if offline else ensure_prompt_set(of=of)
    spec = JudgeSpec(
        protocol=of.slug,
        kind=kind,
        endpoint=endpoint,
        model=of.judging.RULES_VERSION if offline else model,
        parameters=dict({} if offline else (parameters or {"temperature": 0})),
        prompt_set=prompts,
        parser=parser or of.judging.PARSERS[0],
        parser_version=of.judging.PARSER_VERSION,
        repeats=1 if offline else repeats or of.judging.DEFAULT_REPEATS,
    )
    spec.content_hash = digest_of(
        [
            [spec.protocol, spec.kind, spec.endpoint, spec.model, spec.parameters],
            [spec.parser, spec.parser_version, spec.repeats, prompts.content_hash if prompts else ""],
        ]
    )
    name = re.sub("[^A-Za-z0-9]", "-", f"{of.slug}-{kind}-{'' if offline else model}").strip("-")
    spec.slug = f"{name[:40].rstrip('-')}-{spec.content_hash[:6]}"
    found, _ = JudgeSpec.objects.get_or_create(
        content_hash=spec.content_hash,
        defaults={f.attname: getattr(spec, f.attname) for f in JudgeSpec._meta.concrete_fields if f.name != "id"},
    )
    return found


def find_spec(*, of: BenchmarkProtocol, name: str = "") -> JudgeSpec:
    """The spec called `name`: "rules", "openai:MODEL@ENDPOINT", or the slug of one made before."""
    name = name or settings.DEFAULT_JUDGE
    if name == JudgeSpec.Kind.RULES:
        return ensure_spec(of=of, kind=JudgeSpec.Kind.RULES)
    if name.startswith("openai:") and "@" in name:
        model, _, endpoint = name.removeprefix("openai:").rpartition("@")
        if endpoint in settings.JUDGE_ENDPOINTS:
            return ensure_spec(of=of, kind=JudgeSpec.Kind.OPENAI, endpoint=endpoint, model=model)
        known = ", ".join(sorted(settings.JUDGE_ENDPOINTS)) or "none"
        raise UnknownJudgeError(f"There is no judge endpoint {endpoint!r}. Set JUDGE_ENDPOINTS; known: {known}.")
    found = JudgeSpec.objects.filter(slug=name, protocol=of.slug).first()
    if found is None:
        raise UnknownJudgeError(f"There is no judge {name!r}: say rules, openai:MODEL@ENDPOINT or the name of a spec.")
    return found
