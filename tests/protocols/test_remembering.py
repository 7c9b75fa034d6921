from benchmarks.protocols.remembering import KEPT, remembering


def test_a_text_is_read_once_however_long_it_is():
    asked: list[str] = []

    def reading(text: str, others: list[str]) -> str:
        asked.append(text)
        return text[:3].upper()

    read = remembering(reading)
    long = "a" * 20_000

    assert [read(text, ["b"]) for text in ("yes", "yes", long, long)] == [
        "YES",
        "YES",
        "AAA",
        "AAA",
    ]
    assert asked == ["yes", long]


def test_other_arguments_are_read_anew():
    read = remembering(lambda *texts: texts)
    given = [("a", "b"), ("ab", ""), ("a', 'b",), ("\ud800",), ("\\ud800",), (["a"],), ("['a']",)]
    assert [read(*one) for one in given] == given


def test_a_reader_that_fails_is_asked_again():
    answers = iter((ValueError("busy"), "read"))

    def reading(text: str) -> str:
        found = next(answers)
        if isinstance(found, Exception):
            raise found
        return found

    read = remembering(reading)
    try:
        read("a")
    except ValueError:
        assert read("a") == "read"


def test_of_more_texts_than_are_kept_those_asked_last_are_known():
    asked: list[str] = []

    def reading(text: str) -> str:
        asked.append(text)
        return text.upper()

    read = remembering(reading)
    texts = [f"no {n}" for n in range(KEPT + 10)]
    assert [read(text) for text in texts] == [text.upper() for text in texts]
    asked.clear()
    assert [read(text) for text in (texts[-1], texts[20], texts[0])] == [
        "NO 20009",
        "NO 20",
        "NO 0",
    ]
    assert asked == ["no 0"]
