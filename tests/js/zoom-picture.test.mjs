import assert from "node:assert/strict";
import { test } from "node:test";

import { bounded, byKey, zoomed } from "../../static/js/zoom-picture.js";

const SIZE = { width: 400, height: 200 };

test("a picture never leaves its frame and is never smaller than it", () => {
    assert.deepEqual(bounded({ scale: 0.2, x: 50, y: -50 }, SIZE), { scale: 1, x: 0, y: 0 });
    assert.deepEqual(bounded({ scale: 2, x: -900, y: 30 }, SIZE), { scale: 2, x: -400, y: 0 });
    assert.equal(bounded({ scale: 99, x: 0, y: 0 }, SIZE).scale, 12);
});

test("what is under the pointer stays there", () => {
    const point = { x: 300, y: 50 };
    const view = zoomed({ scale: 1, x: 0, y: 0 }, 2, point, SIZE);
    assert.deepEqual(view, { scale: 2, x: -300, y: -50 });
    assert.deepEqual(zoomed(view, 0.5, point, SIZE), { scale: 1, x: 0, y: 0 });
});

test("keys zoom and move, and the rest is left to the browser", () => {
    assert.ok(byKey("+").factor > 1 && byKey("-").factor < 1);
    assert.deepEqual(byKey("0"), { factor: 0 });
    assert.ok(byKey("ArrowRight").x < 0 && byKey("ArrowDown").y < 0);
    assert.equal(byKey("Enter"), null);
});
