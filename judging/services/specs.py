"""Judge specs: made once, never changed."""

import re
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from benchmarks.common.hashing import digest_of
from benchmarks.protocols.base import BenchmarkProtocol, Rules
from judging.judge_names import USUAL_PROVIDER, names_a_model, read_model_name
from judging.judge_parameters import merged
from judging.models import JudgeSpec
from judging.services.prompts import ensure_prompt_set

OTHER_RULES = f"{JudgeSpec.RULES}:"
"""What the name of offline rules beside the usual ones begins with."""


class UnknownJudgeError(LookupError):
    pass


def ensure_spec(
    *,
    of: BenchmarkProtocol,
    kind: str,
    endpoint: str = "",
    model: str = "",
    parameters: Mapping[str, Any] | None = None,
    repeats: int = 0,
    parser: str = "",
    prompts: str = "",
    answers_as: str = "",
    rules: str = "",
) -> JudgeSpec:
    """The spec with exactly this content; its slug names kind, model or `rules`, and the first
    digits of its hash.

    rules: the name of offline rules, "" for the usual ones. Raises UnknownJudgeError where the
    benchmark has none of that name.
    """
    offline = kind == JudgeSpec.RULES
    prompt_set = None if offline else ensure_prompt_set(of=of, version=prompts)
    spec = JudgeSpec(
        protocol=of.slug,
        kind=kind,
        endpoint=endpoint,
        model=known_rules(of, rules).model if offline else model,
        answers_as=answers_as,
        parameters={} if offline else dict(parameters or usual_parameters(of, endpoint, model)),
        prompt_set=prompt_set,
        parser=parser or of.judging.PARSERS[0],
        parser_version=of.judging.PARSER_VERSIONS[0],
        repeats=1 if offline else repeats or of.judging.DEFAULT_REPEATS,
    )
    spec.content_hash = digest_of(
        [
            [spec.protocol, spec.kind, spec.endpoint, spec.model, spec.parameters],
            [
                spec.parser,
                spec.parser_version,
                spec.repeats,
                prompt_set.content_hash if prompt_set else "",
            ],
            *([spec.answers_as] if spec.answers_as else []),
        ]
    )
    name = re.sub("[^A-Za-z0-9]", "-", f"{of.slug}-{kind}-{rules if offline else model}").strip("-")
    spec.slug = f"{name[:40].rstrip('-')}-{spec.content_hash[:6]}"
    found, _ = JudgeSpec.objects.get_or_create(
        content_hash=spec.content_hash,
        defaults={
            f.attname: getattr(spec, f.attname)
            for f in JudgeSpec._meta.concrete_fields
            if f.name != "id"
        },
    )
    return found


def known_rules(of: BenchmarkProtocol, name: str) -> Rules:
    if (found := of.rules(name)) is None:
        known = ", ".join(["rules", *(f"{OTHER_RULES}{one.name}" for one in of.other_rules)])
        raise UnknownJudgeError(f"There is no judge {OTHER_RULES + name!r}; known: {known}.")
    return found


def usual_parameters(of: BenchmarkProtocol, endpoint: str, model: str) -> dict[str, Any]:
    """Those of the protocol, and what JUDGE_PARAMETERS_… says of the model. They are part of the
    spec: other ones are another judge."""
    return merged(of.parameters, chosen_parameters(endpoint, model))


def chosen_parameters(endpoint: str, model: str) -> Mapping[str, Any]:
    by_model: Mapping[str, Mapping[str, Any]] = settings.JUDGE_ENDPOINTS.get(endpoint, {}).get(
        "parameters", {}
    )
    return by_model.get(model, {})


def provider_of(endpoint: str) -> str:
    """The file in judging/judges/providers that its models are asked by."""
    configured: str = settings.JUDGE_ENDPOINTS.get(endpoint, {}).get("provider", USUAL_PROVIDER)
    return configured


def find_spec(
    *, of: BenchmarkProtocol, name: str = "", prompts: str = "", parser: str = ""
) -> JudgeSpec:
    """The spec called `name`: "rules", "rules:NAME", "model:MODEL@ENDPOINT" (with a prompt set and
    reply parser, the defaults unless named, and "=REPORTED" where the endpoint must report that
    model), or the slug of one made before.

    Raises UnknownJudgeError, also where a model is to judge a benchmark that only its rules decide.
    """
    name = name or (settings.DEFAULT_JUDGE if of.default_prompts else JudgeSpec.RULES)
    if parser and parser not in of.judging.PARSERS:
        raise UnknownJudgeError(
            f"There is no parser {parser!r}; known: {', '.join(of.judging.PARSERS)}."
        )
    if name == JudgeSpec.RULES:
        return ensure_spec(of=of, kind=JudgeSpec.RULES)
    if name.startswith(OTHER_RULES) and name != OTHER_RULES:
        return ensure_spec(of=of, kind=JudgeSpec.RULES, rules=name.removeprefix(OTHER_RULES))
    if names_a_model(name):
        if not of.default_prompts:
            raise UnknownJudgeError(f"No model judges {of.title}: its rules decide.")
        if (asked := read_model_name(name)) is None:
            raise UnknownJudgeError(
                f"There is no judge {name!r}: say model:MODEL@ENDPOINT, both without blanks."
            )
        if asked.endpoint not in settings.JUDGE_ENDPOINTS:
            known = ", ".join(sorted(settings.JUDGE_ENDPOINTS)) or "none"
            raise UnknownJudgeError(
                f"There is no judge endpoint {asked.endpoint!r}. Set JUDGE_ENDPOINTS; known: "
                f"{known}."
            )
        kind = provider_of(asked.endpoint)
        return ensure_spec(of=of, kind=kind, **asked._asdict(), prompts=prompts, parser=parser)
    found = JudgeSpec.objects.filter(slug=name, protocol=of.slug).first()
    if found is None:
        raise UnknownJudgeError(
            f"There is no judge {name!r}: say rules, model:MODEL@ENDPOINT or the name of a spec."
        )
    return found
