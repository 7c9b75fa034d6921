import assert from "node:assert/strict";
import { test } from "node:test";

import { printSize } from "../../static/js/drop-file.js";

test("sizes are printed in the unit people would choose", () => {
    assert.equal(printSize(0), "0 bytes");
    assert.equal(printSize(1023), "1023 bytes");
    assert.equal(printSize(1024), "1.0 KiB");
    assert.equal(printSize(3 * 1024 * 1024), "3.0 MiB");
});
