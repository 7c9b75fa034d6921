"""The cache in the database, in which limits of sign-in are."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.core.cache.backends.db import DatabaseCache
from django.db import DatabaseError, OperationalError, connections, router


class LimitsCache(DatabaseCache):
    """DatabaseCache, which takes every error of the database for "somebody else was quicker": where
    nothing can be written the right password would be one try too many. Raises OperationalError
    there."""

    def _base_set(self, *args: Any, **options: Any) -> bool:
        alias = router.db_for_write(self.cache_model_class)
        failed: list[DatabaseError] = []
        with connections[alias].execute_wrapper(partial(keep_error, failed)):
            is_done = bool(super()._base_set(*args, **options))  # type: ignore[misc]  # not in the stubs
        if not is_done and failed and isinstance(failed[-1], OperationalError):
            raise failed[-1]
        return is_done


def keep_error(failed: list[DatabaseError], execute: Callable[..., Any], *statement: Any) -> Any:
    try:
        return execute(*statement)
    except DatabaseError as error:
        failed.append(error)
        raise
