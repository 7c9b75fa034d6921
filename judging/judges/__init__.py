"""One port, several judges. `judge_for` gives the one a spec names."""

from importlib import import_module
from typing import Any

from django.conf import settings

from benchmarks.protocols.base import Rules
from benchmarks.registry import protocol
from judging.judge_names import PROVIDERS
from judging.judge_parameters import limited
from judging.judges.base import Judge, JudgeHaltedError
from judging.judges.rules import RulesJudge
from judging.models import JudgeSpec


def rules_of(spec: JudgeSpec) -> Rules:
    """What an offline judge decides by. Raises JudgeHaltedError where there is no such thing any
    more."""
    if (rules := protocol(spec.protocol).rules(spec.rules_name)) is None:
        raise JudgeHaltedError(
            f"this judge is of rules {spec.model}; today there are none of that name"
        )
    return rules


def judge_for(spec: JudgeSpec) -> Judge:
    """Raises JudgeHaltedError where the spec's endpoint is not configured on this machine, or its
    rules are gone."""
    if spec.kind == JudgeSpec.RULES:
        return RulesJudge(rules_of(spec))
    endpoint = settings.JUDGE_ENDPOINTS.get(spec.endpoint)
    if endpoint is None:
        raise JudgeHaltedError(
            f"The endpoint {spec.endpoint!r} is not in JUDGE_ENDPOINTS on this machine."
        )
    if spec.kind not in PROVIDERS:
        raise JudgeHaltedError(f"There is no provider {spec.kind!r} in judging/judges/providers.")
    judge: Judge = client(spec.kind).Provider(
        url=endpoint["url"],
        key=endpoint["key"],
        model=spec.model,
        parameters=limited(spec.parameters),
        timeout_seconds=settings.JUDGE_TIMEOUT_SECONDS,
        concurrency=settings.JUDGE_CONCURRENCY,
    )
    return judge


def client(provider: str) -> Any:
    """The module that asks endpoints of that interface. The first takes 0.3 s and 7 MB to import,
    and of a site's processes only workers ask: they import it before they take any run."""
    return import_module(f"judging.judges.providers.{provider}")
