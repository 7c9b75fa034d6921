import assert from "node:assert/strict";
import { test } from "node:test";

import { countWords, printWords } from "../../static/js/word-count.js";

test("words are runs without spaces, characters of Chinese and Japanese each one", () => {
    assert.equal(countWords(""), 0);
    assert.equal(countWords("  a red\n car, parked "), 4);
    assert.equal(countWords("一只 cat 在睡"), 5);
});

test("a count is printed with its unit", () => {
    assert.deepEqual([0, 1, 212].map(printWords), ["0 words", "1 word", "212 words"]);
});
