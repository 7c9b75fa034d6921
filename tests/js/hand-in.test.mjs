import assert from "node:assert/strict";
import { test } from "node:test";

import { tellProgress, whereTo } from "../../static/js/hand-in.js";

test("while a file is sent its share is told, never rounded up to all of it", () => {
    assert.equal(tellProgress(0, 1024, 0), "Sending: 0 % of 1.0 KiB");
    assert.equal(tellProgress(1023, 1024, 0), "Sending: 99 % of 1.0 KiB");
});

test("once it has arrived it is said to be read, and for how long", () => {
    assert.match(tellProgress(10, 10, 0), /It is being read; /);
    assert.match(tellProgress(10, 10, 12), /It is being read, 12 s so far; /);
});

test("it goes on where the answer says, and where it came from", () => {
    const form = "http://localhost/submit/";
    assert.equal(whereTo("/submissions/1/", form, form), "/submissions/1/");
    assert.equal(whereTo(null, "http://localhost/accounts/login/", form), "http://localhost/accounts/login/");
    assert.equal(whereTo(null, form, form), "");
    assert.equal(whereTo(null, "", form), "");
});
