import assert from "node:assert/strict";
import { test } from "node:test";

import { keepSort, readValue, sortedIndices, sortKey, withSort } from "../../static/js/sort-table.js";

test("descending puts the largest value first", () => {
    assert.deepEqual(sortedIndices([1, 3, 2], false), [1, 2, 0]);
});

test("ascending puts the smallest value first, also below zero", () => {
    assert.deepEqual(sortedIndices([0.2, -0.5, 0], true), [1, 2, 0]);
});

test("missing values come last either way, in the order they had", () => {
    assert.deepEqual(sortedIndices([null, 2, null, 5], true), [1, 3, 0, 2]);
    assert.deepEqual(sortedIndices([null, 2, null, 5], false), [3, 1, 0, 2]);
});

test("ties keep the order they had", () => {
    assert.deepEqual(sortedIndices([4, 7, 4, 7], false), [1, 3, 0, 2]);
    assert.deepEqual(sortedIndices([], true), []);
});

test("a value is a number or null", () => {
    assert.equal(readValue("0"), 0);
    assert.equal(readValue("-1.25e-05"), -0.0000125);
    assert.equal(readValue(undefined), null);
    assert.equal(readValue(""), null);
    assert.equal(readValue("–"), null);
});

test("figures printed alike keep the order of what they stand for, between their neighbours", () => {
    assert.deepEqual(sortedIndices([sortKey("58.2"), sortKey("58.1", "2"), sortKey("58.1"), sortKey("58.1", "1")], true), [2, 3, 1, 0]);
    assert.deepEqual(sortedIndices([sortKey("-0.5"), sortKey("-0.5", "1"), sortKey("+0.071")], false), [2, 1, 0]);
    assert.equal(sortKey(undefined), null);
});

test("another order leaves the rest of the address as it is", () => {
    const url = withSort("http://a.example/boards/x/?release=r1&sort=a&order=asc#main", "b", "desc");
    assert.equal(url, "http://a.example/boards/x/?release=r1&sort=b&order=desc#main");
});

/** A form that has these fields and can be given more, as a browser's. */
function formOf(fields) {
    return {
        fields,
        elements: { namedItem: (name) => fields.find((field) => field.name === name) ?? null },
        ownerDocument: { createElement: () => ({}) },
        prepend: (field) => fields.push(field),
    };
}

test("a form sends the order that was chosen, and the rest as it was", () => {
    const form = formOf([{ name: "table", value: "main" }, { name: "sort", value: "a" }, { name: "order", value: "asc" }]);
    keepSort(form, "b", "desc");
    assert.deepEqual(form.fields.map((field) => [field.name, field.value]), [["table", "main"], ["sort", "b"], ["order", "desc"]]);
});

test("a form without an order gets hidden fields for it, once", () => {
    const form = formOf([]);
    keepSort(form, "a", "asc");
    keepSort(form, "b", "desc");
    assert.deepEqual(form.fields, [{ type: "hidden", name: "sort", value: "b" }, { type: "hidden", name: "order", value: "desc" }]);
});
