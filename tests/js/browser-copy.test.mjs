import assert from "node:assert/strict";
import { test } from "node:test";

import { dropOld, openCopy } from "../../static/js/browser-copy.js";

const DAY = 86_400_000;
const SECRET = Buffer.alloc(32, 7).toString("base64");
const OTHER_SECRET = Buffer.alloc(32, 8).toString("base64");

/** A browser's store, with room for so many characters. */
class Store extends Map {
    room = Infinity;
    get length() {
        return this.size;
    }
    key(place) {
        return [...this.keys()][place];
    }
    getItem(name) {
        return this.get(name) ?? null;
    }
    setItem(name, value) {
        if (value.length > this.room) {
            throw new Error("QuotaExceededError");
        }
        this.set(name, value);
    }
    removeItem(name) {
        this.delete(name);
    }
}

function copyIn(storage, secret = SECRET, owner = "7") {
    return openCopy({ storage, secret, owner, path: "/form/", now: 0 });
}

const record = { fields: { text: "一只 cat 😀", base_version: "2" }, at: 5 };

test("what is put is read again, by the same key only, and is no plain text", async () => {
    const storage = new Store();
    const copy = await copyIn(storage);
    assert.equal(await copy.put("typed", record), true);
    assert.deepEqual(await copy.read("typed"), record);
    assert.deepEqual(await (await copyIn(storage)).read("typed"), record);
    assert.equal(await (await copyIn(storage, OTHER_SECRET)).read("typed"), null);
    assert.equal(await (await copyIn(storage, SECRET, "8")).read("typed"), null);
    assert.doesNotMatch([...storage.values()].join(), /cat/);
});

test("the last of several puts and drops at once stands", async () => {
    const copy = await copyIn(new Store());
    copy.put("typed", record);
    copy.put("typed", { ...record, at: 6 });
    assert.equal((await copy.read("typed")).at, 6);
    copy.put("typed", record);
    copy.drop("typed");
    assert.equal(await copy.read("typed"), null);
});

test("a store without room says so and keeps what it had", async () => {
    const storage = new Store();
    const copy = await copyIn(storage);
    await copy.put("typed", record);
    storage.room = 10;
    assert.equal(await copy.put("typed", { ...record, at: 9 }), false);
    assert.equal((await copy.read("typed")).at, 5);
});

test("without a store or a key nothing is kept here", async () => {
    assert.equal(await copyIn(null), null);
    assert.equal(await copyIn(new Store(), ""), null);
});

test("what is older than the site keeps it goes, and what nobody can read; the rest stays", () => {
    const storage = new Store([
        ["assay-typed:7:/a/:typed", JSON.stringify({ at: 0 })],
        ["assay-typed:7:/b/:typed", JSON.stringify({ at: 2 * DAY })],
        ["assay-typed:7:/c/:typed", "{"],
        ["theme", "auto"],
    ]);
    dropOld(storage, 31 * DAY);
    assert.deepEqual([...storage.keys()], ["assay-typed:7:/b/:typed", "theme"]);
});
