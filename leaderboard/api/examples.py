"""Examples of what the API answers, for its description. A test holds each against the schema."""

from drf_spectacular.utils import OpenApiExample

SITE = "https://assay.example.org"
SUBMITTED = "0c9b5a86-5f0e-4a58-9d7b-3f0f6a2b9d11"
SUBMISSION: dict[str, object] = {
    "id": SUBMITTED,
    "model": "My model",
    "benchmark": "hallusionbench",
    "release": "hallusionbench-mini",
    "visibility": "private",
    "file_name": "answers.csv",
    "sha256": "9a3e" * 16,
    "notes": [],
    "created": "2026-11-20T10:00:00Z",
    "confirmed": "2026-11-20T10:00:00Z",
    "withdrawn": None,
    "links": {
        "self": f"{SITE}/api/v1/submissions/{SUBMITTED}/",
        "page": f"{SITE}/submissions/{SUBMITTED}/",
        "entry": f"{SITE}/api/v1/entries/{SUBMITTED}/",
    },
}
VALID = {
    "state": "valid",
    "benchmark": "hallusionbench",
    "release": "hallusionbench-mini",
    "model": "My model",
    "file_name": "answers.csv",
    "sha256": "9a3e" * 16,
    "answers": 44,
    "notes": [{"code": "bom", "message": "The file begins with a byte order mark, left out."}],
    "no_place": None,
    "estimate": {
        "judge": "hallusionbench-openai-scribe-70680e",
        "cost": "0.210000",
        "refusal": "",
        "judgements": 220,
        "reused": 20,
        "calls": 200,
        "seconds": 42.5,
    },
    "runs_ahead": 2,
}
JUDGING = {
    "state": "judging",
    "sentence": "Being judged.",
    "is_moving": True,
    "answers": 44,
    "calls_planned": 0,
    "estimate": None,
    "judgements": 220,
    "judgements_done": 120,
    "runs": [
        {
            "judge": "hallusionbench-openai-scribe-70680e",
            "asked": 220,
            "judged": 118,
            "unreadable": 2,
            "failed": 0,
            "excluded": 0,
            "open": 100,
            "percent_done": 54,
            "is_scored": False,
            "money": {"spent": "0.110000", "reserved": "0.000500", "estimate": "0.210000"},
            "judgements_per_minute": 300.0,
            "seconds_left": 20,
            "runs_ahead": 0,
            "reasons": [{"reason": "no verdict in the reply", "judgements": 2}],
        }
    ],
}


def answered(name: str, value: object, status: int = 200) -> OpenApiExample:
    return OpenApiExample(name, value=value, response_only=True, status_codes=[str(status)])


ACCEPTED = answered("Accepted", {**SUBMISSION, "state": "waiting"}, 201)
CHECKED = answered("Valid, with validate_only", VALID)
WATCHED = answered("Being judged", {**SUBMISSION, **JUDGING})
CHANGED = answered("Published", {**SUBMISSION, "visibility": "public", "state": "judged"})
