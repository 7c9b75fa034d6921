import assert from "node:assert/strict";
import { test } from "node:test";

import { countWords, printExcess, printWords } from "../../static/js/word-count.js";

test("words are runs without spaces, characters of Chinese and Japanese each one", () => {
    assert.equal(countWords(""), 0);
    assert.equal(countWords("  a red\n car, parked "), 4);
    assert.equal(countWords("一只 cat 在睡"), 5);
});

test("a count is printed with its unit", () => {
    assert.deepEqual([0, 1, 212].map(printWords), ["0 words", "1 word", "212 words"]);
});

test("what is too long is told in characters, an emoji being one", () => {
    assert.equal(printExcess("cat 😀", 5), "");
    assert.equal(printExcess("x".repeat(25000), 20000), ", 25,000 characters: 5,000 too many");
    assert.equal(printExcess("x".repeat(25000), 0), "");
});
