import pytest

from benchmarks.protocols.remembering import KEPT, remembering


def test_a_text_is_read_once_however_long_while_it_is_among_those_asked_last():
    asked: list[str] = []

    def reading(text: str) -> str:
        asked.append(text)
        return text.upper()

    read, long = remembering(reading), "a" * 20_000
    assert [read(text) for text in ("yes", "yes", long, long)] == ["YES"] * 2 + ["A" * 20_000] * 2
    assert asked == ["yes", long]
    texts = [f"no {n}" for n in range(KEPT + 10)]
    assert [read(text) for text in texts] == [text.upper() for text in texts]
    asked.clear()
    again = [texts[-1], texts[20], texts[0]]
    assert [read(text) for text in again] == [text.upper() for text in again]
    assert asked == ["no 0"]


def test_other_arguments_are_read_anew():
    read = remembering(lambda *texts: texts)
    given = [("a", "b"), ("ab", ""), ("a', 'b",), ("\ud800",), ("\\ud800",), (["a"],), ("['a']",)]
    assert [read(*one) for one in given] == given


def test_a_reader_that_fails_is_asked_again():
    busy = [ValueError("busy")]

    def reading(text: str) -> str:
        if busy:
            raise busy.pop()
        return text

    read = remembering(reading)
    with pytest.raises(ValueError, match="busy"):
        read("a")
    assert read("a") == "a"
