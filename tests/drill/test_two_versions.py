"""Which release the drill of two versions begins with."""

import pytest

from tests.drill.two_versions import release_before


def test_a_release_that_is_not_in_the_history_is_skipped_with_a_sentence():
    with pytest.raises(LookupError, match=r"^Skipped: v0\.0\.0, the release before, is not in the"):
        release_before("v0.0.0")
