import assert from "node:assert/strict";
import { test } from "node:test";

import { meaningOf, pauseOf } from "../../static/js/progress.js";

const answer = (status, more = {}) => ({ status, ok: status < 300, redirected: false, headers: new Headers(), ...more });

test("the next look comes when the page says, and later after each that failed", () => {
    assert.equal(pauseOf("2"), 2000);
    assert.equal(pauseOf("10", 1), 20000);
    assert.equal(pauseOf("10", 5), 60000);
    assert.equal(pauseOf(undefined), 2000);
    assert.equal(pauseOf("never"), 2000);
});

test("what is answered is shown, what has ended loads the page, and a fault is asked again", () => {
    assert.equal(meaningOf(answer(200)), "show");
    assert.equal(meaningOf(answer(200, { headers: new Headers({ "HX-Refresh": "true" }) })), "reload");
    assert.equal(meaningOf(answer(200, { redirected: true })), "reload");
    assert.equal(meaningOf(answer(404)), "reload");
    assert.equal(meaningOf(answer(500)), "later");
    assert.equal(meaningOf(answer(503)), "later");
});
