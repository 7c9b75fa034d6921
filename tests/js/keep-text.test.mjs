import assert from "node:assert/strict";
import { test } from "node:test";

import { answered, bodyOfCopy, differs, notSent, offline, placeOf, reloads, stateAfter, typedIn } from "../../static/js/keep-text.js";

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

test("a text that is in the browser is said to be there", () => {
    assert.match(stateAfter(null, true), /Kept in this browser, and sent again/);
    assert.match(stateAfter({ status: 413 }, true), /Kept in this browser/);
    assert.match(stateAfter({ status: 403 }, true), /signed out\. Kept in this browser/);
    assert.equal(stateAfter({ status: 204 }, true), "Kept, not saved yet.");
});

test("only a text that the site has saved, or has a newer one of, stays out of the form", () => {
    assert.equal(placeOf({ status: 205 }), "saved");
    assert.equal(placeOf({ status: 200 }), "older");
    for (const answer of [null, { status: 204 }, { status: 413 }, { status: 500 }]) {
        assert.equal(placeOf(answer), "form");
    }
});

test("whoever presses a button without a network reads where the text is", () => {
    assert.match(notSent(true), /^Not sent: .* kept in this browser/);
    assert.match(notSent(), /^Not sent: .* on this page alone: leave it open/);
    assert.match(offline(true), /kept in this browser\. Do not reload/);
});

test("keys that reload are known, and others are let through", () => {
    assert.ok(reloads({ key: "F5" }));
    assert.ok(reloads({ key: "R", ctrlKey: true, shiftKey: true }));
    assert.ok(reloads({ key: "r", metaKey: true }));
    assert.ok(!reloads({ key: "r" }));
    assert.ok(!reloads({ key: "c", ctrlKey: true }));
});

test("what a proxy says while the site is away is no answer", () => {
    assert.deepEqual([null, { status: 502 }, { status: 503 }].map(answered), [false, false, false]);
    assert.deepEqual([{ status: 204 }, { status: 413 }, { status: 0, type: "opaqueredirect" }].map(answered), [true, true, true]);
});

test("a copy is asked about by its own fields, whatever form stands on the page by now", () => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ csrfmiddlewaretoken: "c", ticket: "t", reference: "Live.", text: "yes" })) {
        form.set(name, value);
    }
    const body = bodyOfCopy(form, { comment: "Sent." }, 3);
    assert.deepEqual(Object.fromEntries(body), { csrfmiddlewaretoken: "c", ticket: "t", comment: "Sent.", age: "3" });
});
