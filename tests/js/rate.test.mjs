import assert from "node:assert/strict";
import { test } from "node:test";

import { LEAST_MS, choiceOf, countOf, dropVotes, isSeen, keepRefused, keepVote, keptVotes, lateText, newKey, refusalText, refusedText, stillAsked, unsentFile, unsentVotes, unvoted, waitingText } from "../../static/js/rate.js";

function storage(content = {}) {
    const map = new Map(Object.entries(content));
    return {
        getItem: (name) => map.get(name) ?? null,
        setItem: (name, value) => map.set(name, value),
        removeItem: (name) => map.delete(name),
        size: () => map.size,
        key: (place) => [...map.keys()][place] ?? null,
        get length() {
            return map.size;
        },
    };
}

test("votes are kept in order, also beside those of another tab", () => {
    const kept = storage();
    keepVote(kept, "a", { key: "1", item: 7, values: { correct: 1 } });
    keepVote(kept, "a", { key: "2", item: 8, values: { correct: 0 } });
    keepVote(kept, "b", { key: "3", item: 9, values: {} });
    assert.deepEqual(keptVotes(kept, "a").map((vote) => vote.key), ["1", "2"]);
});

test("items of a withdrawn entry are asked about no more, by a site of before none are told", () => {
    const items = [{ id: 1 }, { id: 2 }, { id: 3 }];
    assert.deepEqual(stillAsked(items, [2, 9]).map((item) => item.id), [1, 3]);
    assert.equal(stillAsked(items).length, 3);
});

test("what was sent is dropped and nothing else", () => {
    const kept = storage();
    for (const key of ["1", "2", "3"]) {
        keepVote(kept, "a", { key, item: Number(key) });
    }
    dropVotes(kept, "a", ["1", "3"]);
    assert.deepEqual(keptVotes(kept, "a").map((vote) => vote.key), ["2"]);
    dropVotes(kept, "a", ["2"]);
    assert.equal(kept.size(), 0);
});

test("a storage that somebody wrote into is no error", () => {
    assert.deepEqual(keptVotes(storage({ a: "{" }), "a"), []);
    assert.deepEqual(keptVotes(storage({ a: '{"key": 1}' }), "a"), []);
    assert.deepEqual(keptVotes(storage({ a: '[null, {"key": "1"}, {"key": "2", "item": 3}]' }), "a"), [{ key: "2", item: 3 }]);
});

test("items that a kept vote is about are not shown again", () => {
    const items = [{ id: 1 }, { id: 2 }];
    assert.deepEqual(unvoted(items, [{ item: 1 }]), [{ id: 2 }]);
});

test("an item whose vote was taken back is shown again", () => {
    const items = [{ id: 1 }, { id: 2 }];
    assert.deepEqual(unvoted(items, [{ item: 1, key: "a" }, { item: 1, key: "b", takes_back: "a" }]), items);
});

test("keys choose by digit, and x is ten", () => {
    const choices = [{ key: "1", value: 1 }, { key: "x", value: 10 }];
    assert.equal(choiceOf(choices, "1").value, 1);
    assert.equal(choiceOf(choices, "X").value, 10);
    assert.equal(choiceOf(choices, "9"), undefined);
});

test("the rater reads what became of the votes", () => {
    assert.match(waitingText(1), /^1 vote waits/);
    assert.match(waitingText(3), /^3 votes wait/);
    assert.doesNotMatch(waitingText(3), /More items/);
    assert.match(waitingText(3, false), /More items/);
    assert.match(refusalText(403), /Load it again/);
    assert.match(refusalText(404), /link/);
    assert.match(refusalText(500), /kept/);
});

test("a vote that was refused or came late is told, and one that was stored is not", () => {
    const results = [{ state: "stored" }, { state: "late" }, { state: "refused", reason: "Why." }];
    assert.equal(refusedText(results), "A vote was not taken: Why. It is kept in this browser.");
    assert.match(lateText(results), /first vote stays/);
    assert.equal(refusedText(results.slice(0, 1)) + lateText(results.slice(0, 1)), "");
});

test("a key is a version 4 UUID", () => {
    assert.match(newKey(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.notEqual(newKey(), newKey());
});

test("an item takes no vote before it was in view for the least time", () => {
    assert.equal(isSeen(Infinity, 10_000), false);
    assert.equal(isSeen(1000, 1000 + LEAST_MS - 1), false);
    assert.equal(isSeen(1000, 1000 + LEAST_MS), true);
    assert.ok(LEAST_MS >= 300); // the second tap of a double tap
});

test("what the site refuses is kept apart with its reason, and all that was not sent is found", () => {
    const kept = storage({ other: "1" });
    const votes = [{ key: "1", item: 7, values: { correct: 1 } }, { key: "2", item: 8, values: { correct: 0 } }];
    votes.forEach((vote) => keepVote(kept, "rating-a", vote));
    keepRefused(kept, "rating-a", votes, [{ key: "1", state: "stored" }, { key: "2", state: "refused", reason: "Too late." }]);
    dropVotes(kept, "rating-a", ["1", "2"]);
    keepVote(kept, "rating-b", { key: "3", item: 9, takes_back: "0" });
    assert.deepEqual(unsentVotes(kept, "rating-a"), { "rating-a-refused": [{ ...votes[1], reason: "Too late." }] });
    assert.deepEqual(Object.keys(unsentVotes(kept, "rating-")), ["rating-a-refused", "rating-b"]);
    assert.equal(countOf(unsentVotes(kept, "rating-")), 1);
    const file = JSON.parse(unsentFile(unsentVotes(kept, "rating-a"), "example.org", new Date(0)));
    assert.deepEqual(file.kept["rating-a-refused"][0].values, { correct: 0 });
    assert.equal(file.saved, "1970-01-01T00:00:00.000Z");
});

test("after the end a rater is told that votes are kept here", () => {
    assert.match(refusalText(410), /No more votes of yours are taken/);
});
