import assert from "node:assert/strict";
import { test } from "node:test";

import { addressOf } from "../../static/js/suggest.js";

const FOUND = [
    { title: "Lucid 9B", kind: "Model", url: "/models/lucid-9b/" },
    { title: "Twin", kind: "Model", url: "/models/twin/" },
    { title: "Twin", kind: "Model", url: "/models/twin-2/" },
];

test("a title leads to its page where only one thing has it", () => {
    assert.equal(addressOf("Lucid 9B", FOUND), "/models/lucid-9b/");
    assert.equal(addressOf("Twin", FOUND), "");
    assert.equal(addressOf("Lucid", FOUND), "");
});
