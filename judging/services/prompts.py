"""Prompt sets: from the protocol's folder or an operator's file, validated, hashed, never
changed."""

import tomllib
from collections.abc import Mapping
from string import Template
from typing import Any

from benchmarks.common.hashing import digest_of
from benchmarks.protocols.base import BenchmarkProtocol
from judging.models import DELIMITER, PromptSet, unmarked_answers

PUBLISHED_HINT = (
    " Texts that a benchmark's authors published do not have that: import them with --as-published."
)


class PromptsRefusedError(ValueError):
    """A prompt file cannot be used; the message says why, one reason per line."""


def ensure_prompt_set(*, of: BenchmarkProtocol, version: str = "") -> PromptSet:
    """The prompt set `version` of the protocol: imported before, or in the protocol's folder.
    Raises PromptsRefusedError where there is none, or the file differs from what was used under its
    name."""
    version = version or of.default_prompts
    file = of.prompts / f"{version}.toml"
    if file.is_file():
        return import_prompt_set(of=of, content=file.read_bytes())
    found = PromptSet.objects.filter(protocol=of.slug, version=version).first()
    if found is None:
        raise PromptsRefusedError(
            f"There are no prompts {version!r} of {of.slug}; import them with import_prompts."
        )
    return found


def import_prompt_set(
    *, of: BenchmarkProtocol, content: bytes, as_published: bool = False
) -> PromptSet:
    """The prompt set of a TOML file with `version`, `about` and `[texts]`. The same file again is
    the same set.

    `as_published` takes texts that do not mark where an answer begins and ends, as those of the
    papers; whatever they judge is labelled (PromptSet.caution). Raises PromptsRefusedError for a
    malformed file, and where the version names other texts already, or is that of a set that ships:
    it would keep that one from ever being used.
    """
    document = read_prompts(content)
    problems = prompt_problems(document, default_texts(of), as_published=as_published)
    if problems:
        raise PromptsRefusedError("\n".join(problems))
    version, texts = document["version"], document["texts"]
    shipped = of.prompts / f"{version}.toml"
    if shipped.is_file() and read_prompts(shipped.read_bytes())["texts"] != texts:
        raise PromptsRefusedError(
            f"The version {version} is that of prompts which ship with {of.slug}, and these have "
            "other texts; choose another version."
        )
    digest = digest_of([of.slug, version, texts])
    found, _ = PromptSet.objects.get_or_create(
        protocol=of.slug,
        version=version,
        defaults={
            "texts": texts,
            "about": str(document.get("about", "")).strip(),
            "content_hash": digest,
        },
    )
    if found.content_hash != digest:
        raise PromptsRefusedError(
            f"The prompts {of.slug} {version} exist with other texts; choose another version."
        )
    return found


def read_prompts(content: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise PromptsRefusedError("The file is not UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        raise PromptsRefusedError(f"The file is not TOML: {error}.") from None


def default_texts(of: BenchmarkProtocol) -> Mapping[str, str]:
    file = of.prompts / f"{of.default_prompts}.toml"
    texts: dict[str, str] = read_prompts(file.read_bytes())["texts"]
    return texts


def prompt_problems(
    document: Mapping[str, Any], wanted: Mapping[str, str], *, as_published: bool
) -> list[str]:
    """What is wrong with a prompt file: it needs the texts of the default set, each with the same
    placeholders, but $delimiter where it is `as_published`."""
    version, texts = document.get("version"), document.get("texts")
    problems = []
    if (
        not isinstance(version, str)
        or not version.isascii()
        or not version.replace("-", "").isalnum()
    ):
        problems.append('version: expected letters, digits and hyphens, such as "paper-1".')
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        return [*problems, "[texts]: expected a table of strings."]
    problems += [f"texts.{name}: missing." for name in wanted if name not in texts]
    problems += [
        f"texts.{name}: unknown; known are {', '.join(wanted)}."
        for name in texts
        if name not in wanted
    ]
    for name in wanted.keys() & texts.keys():
        problems += placeholder_problems(name, texts[name], wanted[name], as_published)
    return problems


def placeholder_problems(name: str, text: str, wanted: str, as_published: bool) -> list[str]:
    template = Template(text)
    if not template.is_valid():
        return [f"texts.{name}: a $ stands alone; write $$ for a dollar sign."]
    has, needs = set(template.get_identifiers()), set(Template(wanted).get_identifiers())
    missing = [
        (
            f"texts.{name}: the placeholder ${word} is "
            f"missing.{PUBLISHED_HINT if word == DELIMITER else ''}"
        )
        for word in sorted(needs - has)
        if word != DELIMITER or not as_published
    ]
    unmarked = [
        f"texts.{name}: ${word} must stand between two ${DELIMITER}, with no other placeholder "
        f"before the one or after the other.{PUBLISHED_HINT}"
        for word in unmarked_answers(text)
        if not as_published and {word, DELIMITER} <= has
    ]
    return [
        *missing,
        *unmarked,
        *(f"texts.{name}: ${word} is no placeholder of this text." for word in sorted(has - needs)),
    ]
