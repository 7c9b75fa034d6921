import assert from "node:assert/strict";
import { test } from "node:test";

import { actionOf, placeAfter } from "../../static/js/review-keys.js";

test("a key does what the legend says, and nothing while somebody types", () => {
    assert.equal(actionOf({ key: "a" }, false), "approve");
    assert.equal(actionOf({ key: "j" }, false), "down");
    assert.equal(actionOf({ key: "a" }, true), "");
    assert.equal(actionOf({ key: "x" }, false), "");
});

test("keys held with others are the browser's, but for Ctrl+Enter in the comment", () => {
    assert.equal(actionOf({ key: "a", ctrlKey: true }, false), "");
    assert.equal(actionOf({ key: "a", metaKey: true }, false), "");
    assert.equal(actionOf({ key: "Enter", ctrlKey: true, target: { id: "comment" } }, true), "send-back");
    assert.equal(actionOf({ key: "Enter", ctrlKey: true, target: { id: "approve" } }, false), "");
});

test("the next place is the first below the top, the previous the last above it", () => {
    assert.equal(placeAfter([-300, 2, 400], 1), 2);
    assert.equal(placeAfter([-300, 2, 400], -1), 0);
    assert.equal(placeAfter([-300, -10], 1), -1);
});
