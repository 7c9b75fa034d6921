"""A table of cases as one test: collecting a test costs 4 ms in each process, a case nothing."""

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

Test = Callable[..., None]


def each_case(
    names: str, cases: Iterable[Any] | Callable[[], Iterable[Any]]
) -> Callable[[Test], Test]:
    """As `pytest.mark.parametrize`, for functions without a state: what fails is told of every case
    that does. Fixtures are made once for all cases. A function makes its cases when the test runs,
    and not in each process that collects it."""
    columns = [name.strip() for name in names.split(",")]

    def of_one_case(test: Test) -> Test:
        def of_all_cases(**fixtures: Any) -> None:
            made = cases() if callable(cases) else cases
            rows = [case if len(columns) > 1 else (case,) for case in made]
            assert rows, "without a case nothing is looked at"
            failed: list[BaseException] = []
            for row in rows:
                case = dict(zip(columns, row, strict=True))
                try:
                    test(**fixtures, **case)
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"The case: {case!r}"[:1000])
                    failed.append(error)
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} of {len(rows)} cases", failed)

        signature = inspect.signature(test)
        fixtures = [each for each in signature.parameters.values() if each.name not in columns]
        of_all_cases.__name__, of_all_cases.__doc__ = test.__name__, test.__doc__
        of_all_cases.__module__ = test.__module__
        of_all_cases.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=fixtures
        )
        return of_all_cases

    return of_one_case
