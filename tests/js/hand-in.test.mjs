import assert from "node:assert/strict";
import { test } from "node:test";

import { isElsewhere, tellProgress } from "../../static/js/hand-in.js";

test("while a file is sent its share is told, never rounded up to all of it", () => {
    assert.equal(tellProgress(0, 1024, 0), "Sending: 0 % of 1.0 KiB");
    assert.equal(tellProgress(1023, 1024, 0), "Sending: 99 % of 1.0 KiB");
});

test("once it has arrived it is said to be read, and for how long", () => {
    assert.match(tellProgress(10, 10, 0), /It is being read; /);
    assert.match(tellProgress(10, 10, 12), /It is being read, 12 s so far; /);
});

test("an answer from another address is another page", () => {
    const form = "http://localhost/submit/";
    assert.equal(isElsewhere("http://localhost/submissions/1/", form), true);
    assert.equal(isElsewhere("http://localhost/submit/", form), false);
    assert.equal(isElsewhere("", form), false);
});
