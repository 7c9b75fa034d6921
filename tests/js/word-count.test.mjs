import assert from "node:assert/strict";
import { test } from "node:test";

import { countWords, printRoom, printWords } from "../../static/js/word-count.js";

test("words are runs without spaces, characters of Chinese and Japanese each one", () => {
    assert.equal(countWords(""), 0);
    assert.equal(countWords("  a red\n car, parked "), 4);
    assert.equal(countWords("一只 cat 在睡"), 5);
});

test("a count is printed with its unit", () => {
    assert.deepEqual([0, 1, 212].map(printWords), ["0 words", "1 word", "212 words"]);
});

test("what is left and what is too long is told in characters, an emoji being one", () => {
    assert.equal(printRoom("cat 😀", 7), ", 2 characters left");
    assert.equal(printRoom(" cat 😀 ", 6), ", 1 character left");
    assert.equal(printRoom("cat 😀", 5), ", 0 characters left");
    assert.equal(printRoom("x".repeat(25000), 20000), ", 25,000 characters: 5,000 too many");
    assert.equal(printRoom("x".repeat(25000), 0), "");
});
