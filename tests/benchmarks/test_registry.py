import pytest

from benchmarks.registry import UnknownProtocolError, protocol, protocols


def test_every_protocol_of_the_settings_is_known_by_its_slug(settings):
    assert len(protocols()) == len(settings.PROTOCOLS)
    assert all(found.slug == slug for slug, found in protocols().items())


def test_an_unknown_protocol_is_refused_with_the_known_ones():
    with pytest.raises(
        UnknownProtocolError, match=r"There is no protocol 'nothing'\. Known: .*spelling"
    ):
        protocol("nothing")
