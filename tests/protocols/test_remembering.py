from benchmarks.protocols.remembering import KEPT, LONGEST, remembering


def test_a_short_text_is_read_once_and_a_long_one_each_time():
    asked: list[str] = []

    def reading(text: str) -> str:
        asked.append(text)
        return text.upper()

    read = remembering(reading)
    long = "a" * (LONGEST + 1)

    assert [read("yes"), read("yes"), read(long), read(long)] == ["YES", "YES", *[long.upper()] * 2]
    assert asked == ["yes", long, long]


def test_more_texts_than_are_kept_are_read_rightly():
    read = remembering(str.upper)

    assert all(read(f"no {n}") == f"NO {n}" for n in [*range(KEPT + 10), 0])
