/* Usage: what a person typed and no server has yet, kept in this browser until one has it. Texts can be secret and
 * machines are shared: what is stored is sealed with a key that only the site can hand out, to the same person again.
 * Where a browser offers no cryptography (a site without TLS) nothing is kept here, and `openCopy` says so by null.
 */

const PREFIX = "assay-typed";
const KEPT_MS = 30 * 86_400_000; // as long as the site keeps what was typed: benchmarks/forms/unsaved.py
const IV_BYTES = 12; // what AES-GCM asks for

function toText(bytes) {
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

function toBytes(text) {
    return Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
}

/** Takes away what is too old for anybody to come back for, and what is no record of ours. */
export function dropOld(storage, now) {
    const names = Array.from({ length: storage.length }, (_, place) => storage.key(place));
    for (const name of names.filter((one) => one.startsWith(`${PREFIX}:`))) {
        let at = 0;
        try {
            at = JSON.parse(storage.getItem(name)).at;
        } catch {
            at = 0; // cut off, or written by something else: nobody can read it
        }
        if (!(now - at < KEPT_MS)) {
            storage.removeItem(name);
        }
    }
}

/** What one person typed into one form. Slot "typed": what the form showed last; "aside": what it showed before, or what
 * another tab with this form had typed and not sent. `page` tells the tabs apart.
 */
class BrowserCopy {
    constructor(storage, key, name, page) {
        Object.assign(this, { storage, key, name, page, last: Promise.resolve() });
    }

    /** What is stored in the slot, or null. */
    stored(slot) {
        try {
            return JSON.parse(this.storage.getItem(`${this.name}:${slot}`));
        } catch {
            return null;
        }
    }

    store(slot, stored) {
        this.storage.setItem(`${this.name}:${slot}`, JSON.stringify(stored));
    }

    /** The record {fields, at} is kept, after those put before it; false where the browser has no room. */
    put(slot, record) {
        this.last = this.last.then(async () => {
            const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
            const bytes = new TextEncoder().encode(JSON.stringify(record.fields));
            const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, this.key, bytes));
            try {
                const there = slot === "typed" ? this.stored(slot) : null;
                if (there && there.page !== this.page) {
                    this.store("aside", { ...there, isOfTab: true });
                }
                this.store(slot, { at: record.at, iv: toText(iv), sealed: toText(sealed), page: this.page });
                return true;
            } catch {
                return false;
            }
        });
        return this.last;
    }

    /** The record {fields, at}, or null where there is none that this person's key opens. */
    async read(slot) {
        await this.last;
        try {
            const { at, iv, sealed } = this.stored(slot);
            const algorithm = { name: "AES-GCM", iv: toBytes(iv) };
            const bytes = await crypto.subtle.decrypt(algorithm, this.key, toBytes(sealed));
            return { at, fields: JSON.parse(new TextDecoder().decode(bytes)) };
        } catch {
            return null;
        }
    }

    /** Nothing is in the slot any more, not even what is being put there now. */
    drop(slot) {
        this.last = this.last.then(() => this.storage.removeItem(`${this.name}:${slot}`));
        return this.last;
    }

    /** What is in the slot "typed" counts as typed in this tab from now on. */
    adopt() {
        this.last = this.last.then(() => {
            const there = this.stored("typed");
            if (there) {
                this.store("typed", { ...there, page: this.page });
            }
        });
        return this.last;
    }

    /** The site has what was typed in this tab. What another typed stays. */
    dropSent() {
        this.last = this.last.then(() => {
            if (this.stored("typed")?.page === this.page) {
                this.storage.removeItem(`${this.name}:typed`);
            }
            const aside = this.stored("aside");
            if (aside?.isOfTab && aside.page === this.page) {
                this.storage.removeItem(`${this.name}:aside`);
            }
        });
        return this.last;
    }

    /** Whether another tab has just put what was typed into this form there. */
    isOfOtherTab(event) {
        return event.key === `${this.name}:typed` && Boolean(event.newValue);
    }
}

/** The copies of the form at this path; null where this browser cannot keep what others could not read. */
export async function openCopy({ storage, secret, owner, path, now }) {
    if (!storage || !secret || !globalThis.crypto?.subtle) {
        return null;
    }
    dropOld(storage, now);
    const key = await crypto.subtle.importKey("raw", toBytes(secret), "AES-GCM", false, ["encrypt", "decrypt"]);
    return new BrowserCopy(storage, key, `${PREFIX}:${owner}:${path}`, crypto.randomUUID());
}

/** The browser's store; null where it is closed to us. */
export function browserStorage() {
    try {
        return window.localStorage;
    } catch {
        return null;
    }
}
