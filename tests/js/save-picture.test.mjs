import assert from "node:assert/strict";
import { test } from "node:test";

import { nameOf, sizeOf } from "../../static/js/save-picture.js";

test("a drawing is as large as its viewBox", () => {
    assert.deepEqual(sizeOf('<svg class="forest" viewBox="0 0 1180 320.5" role="group">'), { width: 1180, height: 320.5 });
    assert.deepEqual(sizeOf("<svg>"), { width: 0, height: 0 });
});

test("a picture is called as its drawing", () => {
    assert.equal(nameOf("/boards/touchstone/charts/lead.svg?measure=a&q=b.svg"), "lead.png");
});
