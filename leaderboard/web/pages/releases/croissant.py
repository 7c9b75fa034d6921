"""What machines read of a release: a schema.org Dataset in the vocabulary of Croissant 1.0, the
format of MLCommons for data sets (http://mlcommons.org/croissant/1.0).

Where nobody said who made a dataset or under which licence, it says that, and does not guess.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.safestring import SafeString, mark_safe

from benchmarks.models import Release, ReleaseArchive
from benchmarks.releases.files import QUESTIONS, archive_name

CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The terms of the vocabulary by the names that its appendix 1 and its own tools give them."""
PICTURES = "pictures"
FIELDS: Sequence[tuple[str, str, bool, str]] = (
    ("id", "sc:Text", False, "Identifier of the question in this release"),
    ("question", "sc:Text", False, "What the model is asked"),
    ("pictures", "sc:Text", True, "Names of its pictures in the archive, by their SHA-256"),
    ("ability", "sc:Text", False, "Ability that the question is about"),
    ("subtask", "sc:Text", False, "Subtask of the ability"),
)
"""Name in a line of the list of questions, type, whether there are many, meaning."""


def dataset_document(
    release: Release, archive: ReleaseArchive | None, *, page_url: str, archive_url: str
) -> dict[str, Any]:
    """Without an archive it describes no files. Addresses are whole ones."""
    opened = release.opened or release.created
    files = {} if archive is None else files_document(release, archive, archive_url)
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": release.title,
        "alternateName": release.slug,
        "description": description_of(release),
        "url": page_url,
        "license": release.licence_url or release.licence or "not stated",
        "creator": {
            "@type": "sc:Organization",
            "name": release.creator or f"The authors of {release.benchmark.title}",
        },
        "datePublished": opened.date().isoformat(),
        "version": "1.0.0",
        "identifier": f"sha256:{release.public_checksum}",
        "inLanguage": release.language,
        "keywords": ["vision-language models", "evaluation", release.benchmark.title],
        "isAccessibleForFree": True,
        **files,
    }


def description_of(release: Release) -> str:
    return (
        f"The {release.question_count:,} questions of {release.title}, a release of the benchmark "
        f"{release.benchmark.title} for vision-language models, without their reference answers."
    )


def files_document(release: Release, archive: ReleaseArchive, archive_url: str) -> dict[str, Any]:
    """The archive, what is in it, and what a line of its questions holds."""
    whole = archive_name(release)
    distribution: list[dict[str, Any]] = [
        {
            "@type": "cr:FileObject",
            "@id": whole,
            "name": whole,
            "description": "Questions, pictures, a template and an example program.",
            "contentUrl": archive_url,
            "contentSize": f"{archive.size} B",
            "encodingFormat": "application/zip",
            "sha256": archive.sha256,
        },
        {
            "@type": "cr:FileObject",
            "@id": QUESTIONS,
            "name": QUESTIONS,
            "description": "A question per line, as JSON.",
            "containedIn": {"@id": whole},
            "contentUrl": QUESTIONS,
            "encodingFormat": "application/jsonlines",
            "sha256": archive.questions_sha256,
        },
    ]
    record_sets = [questions_record_set()]
    if archive.pictures:
        distribution.append(
            {
                "@type": "cr:FileSet",
                "@id": PICTURES,
                "name": PICTURES,
                "description": "Every picture that a question shows, once.",
                "containedIn": {"@id": whole},
                "encodingFormat": "image/*",
                "includes": "pictures/*",
            }
        )
        record_sets.append(pictures_record_set())
    return {"distribution": distribution, "recordSet": record_sets}


def questions_record_set() -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": "questions",
        "name": "questions",
        "description": "What a model is asked, in the order of the dataset's file.",
        "key": {"@id": "questions/id"},
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"questions/{name}",
                "name": name,
                "description": about,
                "dataType": data_type,
                **({"repeated": True} if is_many else {}),
                "source": {"fileObject": {"@id": QUESTIONS}, "extract": {"column": name}},
            }
            for name, data_type, is_many, about in FIELDS
        ],
    }


def pictures_record_set() -> dict[str, Any]:
    """Each picture by the name that questions call it."""
    return {
        "@type": "cr:RecordSet",
        "@id": "figures",
        "name": "figures",
        "description": "The pictures, one each.",
        "key": {"@id": "figures/name"},
        "field": [
            picture_field("name", "sc:Text", "Its name in the archive", "fullpath"),
            picture_field("picture", "sc:ImageObject", "The picture itself", "content"),
        ],
    }


def picture_field(name: str, data_type: str, about: str, taken: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"figures/{name}",
        "name": name,
        "description": about,
        "dataType": data_type,
        "source": {"fileSet": {"@id": PICTURES}, "extract": {"fileProperty": taken}},
    }


def in_a_page(document: Mapping[str, Any]) -> SafeString:
    """The document as the content of a script element: no text in it can end that."""
    text = json.dumps(document, ensure_ascii=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return mark_safe(text)  # noqa: S308  # what could end the element was just written as escapes
