import assert from "node:assert/strict";
import { test } from "node:test";

import { differs, stateAfter, typedIn } from "../../static/js/keep-text.js";

test("only named textareas are typed text", () => {
    const elements = [
        { name: "text", type: "textarea", value: "A cat." },
        { name: "ticket", type: "hidden", value: "x" },
        { name: "", type: "textarea", value: "?" },
    ];
    assert.deepEqual(typedIn(elements), { text: "A cat." });
});

test("a field that came or went counts as what it holds", () => {
    assert.equal(differs({ text: "a" }, { text: "a" }), false);
    assert.equal(differs({ text: "a" }, { text: "b" }), true);
    assert.equal(differs({ text: "a" }, { text: "a", comment: "" }), false);
    assert.equal(differs({ text: "a", comment: "b" }, { text: "a" }), true);
});

test("the writer reads what became of the text", () => {
    assert.match(stateAfter(null), /does not answer/);
    assert.match(stateAfter({ status: 503 }), /does not answer/);
    assert.match(stateAfter({ status: 413 }), /too long/);
    assert.match(stateAfter({ status: 0, type: "opaqueredirect" }), /signed out/);
    assert.match(stateAfter({ status: 403 }), /signed out/);
    assert.equal(stateAfter({ status: 204 }), "Kept, not saved yet.");
});
