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

test("what another tab typed and did not send is put aside, and not replaced", async () => {
    const storage = new Store();
    const first = await copyIn(storage);
    const second = await copyIn(storage);
    const other = { fields: { text: "a dog" }, at: 6 };
    await first.put("typed", record);
    await second.put("typed", other);
    assert.deepEqual(await second.read("typed"), other);
    assert.deepEqual(await second.read("aside"), record);
    await second.dropSent();
    assert.equal(await second.read("typed"), null);
    assert.deepEqual(await first.read("aside"), record);
    await first.dropSent();
    assert.equal(storage.size, 0);
});

test("of two tabs that type by turns each has its last text kept", async () => {
    const storage = new Store();
    const tabs = [await copyIn(storage), await copyIn(storage)];
    for (let at = 1; at <= 4; at += 1) {
        await tabs[at % 2].put("typed", { fields: { text: `text ${at}` }, at });
    }
    assert.equal((await tabs[0].read("typed")).at, 4);
    assert.equal((await tabs[0].read("aside")).at, 3);
});

test("what a page that is gone typed is the page's that found it", async () => {
    const storage = new Store();
    await (await copyIn(storage)).put("typed", record);
    const found = await copyIn(storage);
    await found.adopt();
    await found.put("typed", { ...record, at: 7 });
    assert.equal(await found.read("aside"), null);
    await found.dropSent();
    assert.equal(storage.size, 0);
});

test("a text set aside on purpose outlives what was typed and sent", async () => {
    const copy = await copyIn(new Store());
    await copy.put("aside", record);
    await copy.put("typed", { ...record, at: 8 });
    await copy.dropSent();
    assert.equal((await copy.read("aside")).at, 5);
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
