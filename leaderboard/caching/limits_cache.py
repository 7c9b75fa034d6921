"""The cache in the database, in which limits of sign-in are."""

import errno
from collections.abc import Callable
from typing import Any

from django.core.cache.backends.db import DatabaseCache
from django.db import DatabaseError, connections, router

from benchmarks.file_storage import is_no_space


class LimitsCache(DatabaseCache):
    """DatabaseCache, which takes every error of the database for "somebody else was quicker": on a
    full disk the right password would be one try too many. Raises OSError (ENOSPC) there."""

    def _base_set(self, *args: Any, **options: Any) -> bool:
        alias = router.db_for_write(self.cache_model_class)
        with connections[alias].execute_wrapper(say_no_space):
            return bool(super()._base_set(*args, **options))  # type: ignore[misc]  # not in the stubs


def say_no_space(execute: Callable[..., Any], *statement: Any) -> Any:
    try:
        return execute(*statement)
    except DatabaseError as error:
        if is_no_space(error):
            raise OSError(errno.ENOSPC, "No space left in the database") from error
        raise
