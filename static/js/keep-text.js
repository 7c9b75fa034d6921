/* Usage: <form data-keeps-at="ADDRESS"> and <output id="typed-state">: what is typed into its textareas is sent to the
 * address a moment after the last key, and stands in the form again when its writer comes back, on whichever machine.
 * With data-browser-key and data-browser-owner what the site does not have yet is in this browser (browser-copy.js), and
 * <section id="recovered" hidden> with buttons "swap" and "drop" says so when it is back in the form.
 * Leaving the page with something unsaved asks first. A button sends the form only where the site answers: otherwise the
 * browser would show a page of its own in place of the text. Without this file a text is safe once a button is pressed.
 */

import { browserStorage, openCopy } from "./browser-copy.js";

const PAUSE_MS = 1500;
const AGAIN_MS = 15_000; // after a site that did not answer: soon enough to notice, too rare to be a load
const ANSWERS_WITHIN_MS = 10_000; // a slow line does; who waits for longer presses again
const SENT_WITH_THE_PAGE = 60_000; // bytes; browsers let 64 KiB outlive a page, this form's ticket included

/** What stands in the textareas of a form, by name. */
export function typedIn(elements) {
    return Object.fromEntries([...elements].filter((one) => one.name && one.type === "textarea").map((one) => [one.name, one.value]));
}

/** Whether any field of the one is not what it is in the other. */
export function differs(before, now) {
    const names = new Set([...Object.keys(before), ...Object.keys(now)]);
    return [...names].some((name) => (before[name] ?? "") !== (now[name] ?? ""));
}

/** Whether the site answered: what a proxy says in its place is no answer. */
export function answered(answer) {
    return Boolean(answer) && answer.status < 500;
}

/** What the answer to a sent text means for its writer; a redirection leads to the sign-in. */
export function stateAfter(answer, isInBrowser = false) {
    const where = isInBrowser ? "Kept in this browser" : "Not kept";
    if (!answered(answer)) {
        return isInBrowser
            ? "The site does not answer. Kept in this browser, and sent again by itself."
            : "Not kept: the site does not answer. Stay on this page and try again.";
    }
    if (answer.status === 413) {
        return `${where}: this is far too long to be sent.`;
    }
    if (answer.type === "opaqueredirect" || answer.status === 403) {
        return isInBrowser
            ? "You are signed out. Kept in this browser; press Save, and your text waits for you behind the sign-in."
            : "You are signed out. Press Save: your text waits for you behind the sign-in.";
    }
    return answer.status === 204 ? "Kept, not saved yet." : `${where}: stay on this page and save.`;
}

/** What somebody reads whose button did nothing, because the site does not answer. */
export function notSent(isInBrowser = false) {
    const where = isInBrowser ? "Your text is kept in this browser" : "Your text stands on this page alone: leave it open";
    return `Not sent: the site does not answer. ${where}. Press the button again once you are connected.`;
}

/** What somebody reads whose network went away. */
export function offline(isInBrowser = false) {
    const where = isInBrowser ? "What you type is kept in this browser" : "What you type stands on this page alone";
    return `You are offline. ${where}. Do not reload: without a network the page cannot be shown again.`;
}

/** Whether these keys reload a page. */
export function reloads(event) {
    return event.key === "F5" || ((event.ctrlKey || event.metaKey) && event.key?.toLowerCase() === "r");
}

/** What is done with a text found in this browser, by what the site says of it: it is "saved" already, or "older" than
 * what the site keeps, or belongs into the "form". */
export function placeOf(answer) {
    if (answer?.status === 205) {
        return "saved";
    }
    return answer?.status === 200 ? "older" : "form";
}

/** What is said of a text that a browser kept: its fields alone. What else stands in the form now is another page's. */
export function bodyOfCopy(sent, fields, age) {
    const body = new FormData();
    for (const name of ["csrfmiddlewaretoken", "ticket"]) {
        body.set(name, sent.get(name) ?? "");
    }
    for (const [name, value] of Object.entries({ ...fields, age })) {
        body.set(name, value);
    }
    return body;
}

function put(form, fields) {
    for (const [name, value] of Object.entries(fields)) {
        const field = form.elements.namedItem(name);
        if (field && "value" in field) {
            field.value = value;
            field.dispatchEvent(new Event("input", { bubbles: true }));
        }
    }
}

class Keeper {
    constructor(form) {
        this.form = form;
        this.output = document.getElementById("typed-state");
        this.loaded = typedIn(form.elements);
        this.kept = this.loaded;
        this.isLeaving = false;
        this.timer = 0;
        this.sending = null;
        this.copy = null;
        this.isInBrowser = false;
        this.isAsking = false;
        this.isAnswered = false;
    }

    /** All that is kept of the form: its textareas, and which version they were written from. */
    fields() {
        const base = this.form.elements.namedItem("base_version");
        return { ...typedIn(this.form.elements), ...(base ? { base_version: base.value } : {}) };
    }

    say(text) {
        if (this.output) {
            this.output.textContent = text;
        }
    }

    post(body, outlives, signal) {
        const options = { method: "POST", body, redirect: "manual", keepalive: outlives, signal };
        return fetch(this.form.dataset.keepsAt, options);
    }

    async send(outlives = false) {
        const now = typedIn(this.form.elements);
        clearTimeout(this.timer);
        if (this.isLeaving || !differs(this.kept, now)) {
            return;
        }
        const bytes = new Blob(Object.values(now)).size;
        this.sending?.abort();
        this.sending = new AbortController();
        let answer = null;
        try {
            answer = await this.post(new FormData(this.form), outlives && bytes < SENT_WITH_THE_PAGE, this.sending.signal);
        } catch (error) {
            if (error.name === "AbortError") {
                return;
            }
        }
        this.settle(answer, now);
    }

    settle(answer, sent) {
        this.say(stateAfter(answer, this.isInBrowser));
        if (answer?.status === 204) {
            this.kept = sent;
            if (!differs(sent, typedIn(this.form.elements))) {
                this.forget("typed");
            }
        } else if (!answered(answer)) {
            this.timer = setTimeout(() => this.send(), AGAIN_MS);
        }
    }

    forget(slot) {
        if (slot === "typed") {
            this.isInBrowser = false;
            this.copy?.dropSent();
        } else {
            this.copy?.drop(slot);
        }
    }

    async typed() {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.send(), PAUSE_MS);
        if (this.copy) {
            this.isInBrowser = await this.copy.put("typed", { fields: this.fields(), at: Date.now() });
        }
    }

    /** The button that was pressed counts once the site has answered. */
    async submit(event) {
        if (this.isAnswered) {
            this.isAnswered = false;
            this.leave();
            return;
        }
        event.preventDefault();
        if (this.isAsking) {
            return;
        }
        this.isAsking = true;
        clearTimeout(this.timer);
        this.sending?.abort();
        const { submitter } = event;
        const signal = AbortSignal.timeout(ANSWERS_WITHIN_MS);
        const answer = await this.post(new FormData(this.form), false, signal).catch(() => null);
        this.isAsking = false;
        if (answered(answer)) {
            this.isAnswered = true;
            this.form.requestSubmit(submitter);
        } else {
            this.warn(notSent(this.isInBrowser));
            this.timer = setTimeout(() => this.send(), AGAIN_MS);
        }
    }

    /** Said where it is read, however far the button is from it. */
    warn(text) {
        this.say(text);
        this.output?.scrollIntoView({ block: "nearest" });
    }

    leave() {
        this.isLeaving = true;
        clearTimeout(this.timer);
        this.sending?.abort();
    }

    /** What this browser kept of the form comes back, unless it was saved since. */
    async recover() {
        const { browserKey, browserOwner } = this.form.dataset;
        const found = { storage: browserStorage(), secret: browserKey, owner: browserOwner };
        const path = new URL(this.form.action).pathname;
        const copy = await openCopy({ ...found, path, now: Date.now() });
        const record = await copy?.read("typed");
        const early = differs(this.loaded, typedIn(this.form.elements)); // typed before this file was there
        this.copy = copy;
        if (record && !early) {
            await copy.adopt();
        }
        if (record && !early && differs(this.loaded, typedIn(Object.entries(record.fields).map(asTextarea)))) {
            await this.bringBack(record);
        } else if (record && !early) {
            this.forget("typed");
        }
        await this.offerAside();
        if (early) {
            this.typed();
        }
    }

    async bringBack(record) {
        const age = Math.max(0, Math.floor((Date.now() - record.at) / 1000));
        const body = bodyOfCopy(new FormData(this.form), record.fields, age);
        const answer = await this.post(body).catch(() => null);
        const place = placeOf(answer);
        if (place === "saved") {
            this.forget("typed");
        } else if (place === "older") {
            await this.copy.put("aside", record);
            this.forget("typed");
        } else {
            if (this.form.dataset.showsKept !== undefined) {
                await this.copy.put("aside", { fields: this.fields(), at: Date.now() });
            }
            put(this.form, record.fields);
            this.show("form");
        }
    }

    /** The paragraphs of this part of the notice are seen from now on. */
    show(part) {
        const box = document.getElementById("recovered");
        if (box) {
            box.hidden = false;
            box.querySelector(`[data-part=${part}]`).hidden = false;
        }
    }

    async offerAside() {
        if (await this.copy?.read("aside")) {
            this.show("aside");
        }
        for (const button of document.querySelectorAll("#recovered button")) {
            button.addEventListener("click", () => (button.value === "swap" ? this.swap() : this.dropAside()));
        }
    }

    /** The form shows the other text; the one it showed is the other one now. */
    async swap() {
        const other = await this.copy.read("aside");
        if (other) {
            await this.copy.put("aside", { fields: this.fields(), at: Date.now() });
            put(this.form, other.fields);
        }
    }

    dropAside() {
        this.forget("aside");
        document.querySelector("#recovered [data-part=aside]").hidden = true;
    }
}

/** As `typedIn` reads it, so that a record is compared by its texts alone. */
function asTextarea([name, value]) {
    return { name, value, type: name === "base_version" ? "hidden" : "textarea" };
}

function watch(form) {
    const keeper = new Keeper(form);
    form.ownerDocument.addEventListener("input", (event) => event.target.form === form && keeper.typed());
    form.addEventListener("submit", (event) => keeper.submit(event));
    for (const other of document.querySelectorAll("form[data-discards]")) {
        other.addEventListener("submit", () => {
            keeper.isLeaving = true;
            keeper.forget("typed");
        });
    }
    window.addEventListener("beforeunload", (event) => {
        if (!keeper.isLeaving && (!navigator.onLine || differs(keeper.loaded, typedIn(form.elements)))) {
            event.preventDefault();
        }
    });
    for (const other of document.querySelectorAll("form:not([data-keeps-at])")) {
        other.addEventListener("submit", (event) => {
            if (!navigator.onLine) {
                event.preventDefault();
                keeper.warn(notSent(keeper.isInBrowser));
            }
        });
    }
    document.addEventListener("keydown", (event) => {
        if (!navigator.onLine && reloads(event)) {
            event.preventDefault();
            keeper.warn(offline(keeper.isInBrowser));
        }
    });
    window.addEventListener("offline", () => keeper.say(offline(keeper.isInBrowser)));
    window.addEventListener("online", () => keeper.send());
    window.addEventListener("storage", (event) => {
        if (keeper.copy?.isOfOtherTab(event)) {
            keeper.say("You write this in another tab too: the site keeps what was typed last.");
        }
    });
    document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && keeper.send(true));
    window.addEventListener("pageshow", () => {
        keeper.isLeaving = false;
    });
    keeper.recover();
}

if (typeof document !== "undefined") {
    document.querySelectorAll("form[data-keeps-at]").forEach(watch);
}
