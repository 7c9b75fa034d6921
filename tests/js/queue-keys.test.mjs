import assert from "node:assert/strict";
import { test } from "node:test";

import { keyOf } from "../../static/js/queue-keys.js";

test("a key is called as the pages call it, also where it types another sign", () => {
    assert.equal(keyOf({ code: "KeyN", key: "˜", altKey: true }), "Alt+N");
    assert.equal(keyOf({ code: "Enter", key: "Enter", ctrlKey: true }), "Ctrl+Enter");
    assert.equal(keyOf({ code: "NumpadEnter", key: "Enter", metaKey: true }), "Ctrl+Enter");
    assert.equal(keyOf({ code: "KeyP", key: "P", shiftKey: true }), "Shift+P");
});

test("other keys have no name", () => {
    assert.equal(keyOf({ code: "ArrowLeft", key: "ArrowLeft", altKey: true }), "");
    assert.equal(keyOf({ key: "a" }), "");
});
