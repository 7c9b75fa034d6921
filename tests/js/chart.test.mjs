import assert from "node:assert/strict";
import { test } from "node:test";

import { closedBoxes, dotsOf, hex, mixed, sideRoom, themed } from "../../static/js/chart.js";

const COLOURS = {
    series: ["#111111", "#222222"],
    ramp: ["#ffffff", "#888888", "#000000"],
    ink: "ink",
    muted: "muted",
    line: "line",
    surface: "surface",
    font: "sans",
};

test("a radar's traces take the colour of their series, and keep their marker", () => {
    const trace = { type: "scatterpolar", marker: { symbol: "square", size: 8 }, meta: { series: 2 }, r: [1, null] };
    const figure = { data: [trace], layout: { polar: { radialaxis: { range: [0, 10] }, angularaxis: { rotation: 90 } } } };
    const { data, layout } = themed(figure, COLOURS);
    assert.deepEqual(data[0].marker, { symbol: "square", size: 8, color: "#222222" });
    assert.equal(data[0].line.color, "#222222");
    assert.deepEqual(layout.polar.radialaxis.range, [0, 10]);
    assert.equal(layout.polar.angularaxis.gridcolor, "line");
    assert.equal(trace.line, undefined);
});

test("the dots of a radar have a row for each axis, once, and its scale", () => {
    const series = (number, r) => ({ name: `Model ${number}`, r, marker: { symbol: "circle" }, meta: { series: number } });
    const data = [{ ...series(1, [1, null, 1]), text: ["North", "South", "North"] }, { ...series(2, [3, 4, 3]), text: null }];
    const radar = { data, layout: { polar: { radialaxis: { range: [0, 10] }, angularaxis: {} } } };
    const dots = dotsOf(radar);
    assert.deepEqual(dots.data.map((trace) => trace.x), [[1, null], [3, 4]]);
    assert.deepEqual(dots.data.map((trace) => trace.y), [["1 North", "2 South"], ["1 North", "2 South"]]);
    assert.deepEqual(dots.layout.xaxis.range, [0, 10]);
    assert.equal(themed(dots, COLOURS).data[1].marker.color, "#222222");
    assert.deepEqual(themed(radar, COLOURS).data[1].text, ["North", "South", "North"]);
});

test("a heatmap's scale runs over the ramp", () => {
    const figure = { data: [{ type: "heatmap", z: [[1]] }], layout: { xaxis: { tickvals: [0] }, yaxis: {} } };
    const { data, layout } = themed(figure, COLOURS);
    assert.deepEqual(data[0].colorscale, [[0, "#ffffff"], [0.5, "#888888"], [1, "#000000"]]);
    assert.deepEqual(layout.xaxis.tickvals, [0]);
    assert.equal(layout.xaxis.showticklabels, true);
    assert.equal(themed(figure, COLOURS, 20).layout.xaxis.showticklabels, false);
});

test("once six are ticked the other boxes are closed", () => {
    assert.deepEqual(closedBoxes([true, true, false], 2), [false, false, true]);
    assert.deepEqual(closedBoxes([true, false, false], 2), [false, false, false]);
    assert.deepEqual(closedBoxes([], 6), []);
});

test("a colour is read as a browser computes it", () => {
    assert.equal(hex("rgb(0, 114, 178)"), "#0072b2");
    assert.equal(hex("rgba(255, 255, 255, 1)"), "#ffffff");
});

test("colours are mixed channel by channel", () => {
    assert.equal(mixed("#0072b2", "#ffffff", 0), "#ffffff");
    assert.equal(mixed("#0072b2", "#ffffff", 1), "#0072b2");
    assert.equal(mixed("#000000", "#ffffff", 0.5), "#808080");
});

test("a radar leaves room for the longest line beside it", () => {
    assert.equal(sideRoom(["1", "27"]), 31);
    assert.equal(sideRoom(["Visual<br>recognition", "Art"]), 99);
    assert.equal(sideRoom([]), 16);
});
