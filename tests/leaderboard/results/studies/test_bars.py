"""Agreement as bars: each ends where the axis says its value is."""

from xml.etree import ElementTree

from leaderboard.results.studies.bars import NARROW, WIDE, Bar, BarRow, draw_bars
from tests.each_case import each_case


@each_case("sides", [WIDE, NARROW])
def test_a_bar_and_its_interval_end_at_the_ticks_of_their_values(sides):
    bar = Bar("judge", "75.0 % <b>", 0.75, 0.5, 1.0)
    nothing = Bar("people", "–", None, None, None)
    svg = ElementTree.fromstring(draw_bars([BarRow("<i>", (bar, nothing))], sides, label="&"))
    ticks = {text.text: float(text.attrib["x"]) for text in svg.findall("text[@class='tick']")}
    assert list(ticks) == ["0", "25", "50", "75", "100"]
    assert [float(line.attrib["x1"]) for line in svg.findall("line[@class='grid']")] == [
        *ticks.values()
    ]
    (drawn,) = svg.findall("rect")
    assert float(drawn.attrib["x"]) == ticks["0"]
    assert float(drawn.attrib["x"]) + float(drawn.attrib["width"]) == ticks["75"]
    (span,) = svg.findall("line[@class='span']")
    assert (float(span.attrib["x1"]), float(span.attrib["x2"])) == (ticks["50"], ticks["100"])
    words = [text.text for text in svg.findall("text")]
    assert {"<i>", "75.0 % <b>", "–"} <= {*words}
    assert svg.attrib["aria-label"] == "&"
