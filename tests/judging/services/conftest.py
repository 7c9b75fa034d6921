from tests.judging.made_once import module_submission, owner, rosa, spelling, submission

__all__ = ["module_submission", "owner", "rosa", "spelling", "submission"]  # for pytest to find
