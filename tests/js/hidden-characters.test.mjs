import assert from "node:assert/strict";
import { test } from "node:test";

import { findHidden, markOf } from "../../static/js/hidden-characters.js";

test("places are told in lines and characters, as the server tells them", () => {
    const [first, second] = findHidden("😀ne\ntwo\u00a0three\nfo\u200bur", "[\\u00a0\\u200b]");
    assert.deepEqual([first.line, first.column, first.before, first.after], [2, 4, "two", "three"]);
    assert.deepEqual([second.line, second.column, second.start], [3, 3, 17]);
    assert.deepEqual(findHidden("plain", "[\\u00a0]"), []);
});

test("a character without a shape is told by its number", () => {
    assert.equal(markOf("\u200b"), "U+200B");
    assert.equal(markOf("\u{e0041}"), "U+E0041");
});
