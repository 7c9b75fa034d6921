"""What a study is called wherever it is shown.

One of this site by its own title, which its raters read as well. A file from elsewhere by its
release, for its name may be that of an entry that is not public; and both by the first signs of
their address, for two studies of one release are nothing rare.
"""

from collections.abc import Iterable

from judging.panel.models import RatingFile

CODE_LENGTH = 8  # as short names of commits: two of a site's hundreds are equal once in 100,000


def study_title(releases: Iterable[str], file: RatingFile) -> str:
    return file.study.title if file.study else about_study(releases, file)


def about_study(releases: Iterable[str], file: RatingFile) -> str:
    """releases: titles of those whose answers people were asked about."""
    return f"{', '.join(dict.fromkeys(releases))}, study {study_code(file)}"


def study_code(file: RatingFile) -> str:
    return file.report_id.hex[:CODE_LENGTH]
