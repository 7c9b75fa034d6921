/* Usage: <body data-rating="NAME" data-rater="NUMBER" data-votes data-items data-undo data-done data-total> of templates/rate/study.html. A vote
 * is kept in the browser first and sent after; without network the next items are there already, with their pictures, and
 * what was voted is sent when the network is back, or when the page is opened the next time. Keys: 1 to 9, 0, x for ten,
 * u takes the last vote back. Without this file every vote is a form that loads the page again. A page without an item sends
 * what is kept all the same: its items may have been given to others since, and votes on them are heard. What the site does
 * not take stays in the browser and is offered as a file, also by <body data-ended="PREFIX"> of templates/rate/ended.html.
 */

const FEW = 8; // items left when more are fetched: some minutes of work
const AT_ONCE = 20; // votes of one request
const FIRST_WAIT_MS = 3000;
const LONGEST_WAIT_MS = 60_000;
/** An item, and a line where one is shown at a time, takes no vote before: the second tap of a double tap comes within 300 ms,
 * and nobody sees and answers something new in less than this. */
export const LEAST_MS = 500;
const PICTURE_WAIT_MS = 10_000; // an item whose picture does not come is shown without it
const ONE_LINE = "(max-width: 699px), (max-height: 699px)"; // as in rating.css: one line of several is shown at a time

/** The votes that are kept under a name, oldest first; none where what is stored is no list of votes. */
export function keptVotes(storage, name) {
    try {
        const found = JSON.parse(storage.getItem(name) ?? "[]");
        return Array.isArray(found) ? found.filter(isVote) : [];
    } catch {
        return [];
    }
}

/** Anything else would never be answered by its key, and sent for ever. */
function isVote(one) {
    return typeof one?.key === "string" && one.key.length <= 36 && one.item > 0;
}

/** Keeps what is there now and this vote: another tab may have kept some since. */
export function keepVote(storage, name, vote) {
    storage.setItem(name, JSON.stringify([...keptVotes(storage, name), vote]));
}

/** The votes with these keys are kept no longer. */
export function dropVotes(storage, name, keys) {
    const left = keptVotes(storage, name).filter((vote) => !keys.includes(vote.key));
    if (left.length) {
        storage.setItem(name, JSON.stringify(left));
    } else {
        storage.removeItem(name);
    }
}

const REFUSED = "-refused";

/** Votes that the site refused, each with its reason, are kept apart: they are not sent again, and not lost. */
export function keepRefused(storage, name, votes, results) {
    const reasons = new Map(results.filter((result) => result.state === "refused").map((result) => [result.key, result.reason]));
    for (const vote of votes.filter((one) => reasons.has(one.key))) {
        keepVote(storage, name + REFUSED, { ...vote, reason: reasons.get(vote.key) });
    }
}

/** All votes kept under names that begin so, by name: { name: [vote, …] }. */
export function unsentVotes(storage, prefix) {
    const names = Array.from({ length: storage.length }, (_, place) => storage.key(place));
    const found = names.filter((name) => name?.startsWith(prefix)).sort().map((name) => [name, keptVotes(storage, name)]);
    return Object.fromEntries(found.filter(([, votes]) => votes.length));
}

/** How many votes those are, a taking back not among them. */
export function countOf(unsent) {
    return Object.values(unsent).flat().filter((vote) => !vote.takes_back).length;
}

/** What the file of unsent votes says. */
export function unsentFile(unsent, site, now) {
    const about = "Votes that this browser kept and the site did not take. Send this file to whoever invited you.";
    return JSON.stringify({ about, site, saved: now.toISOString(), kept: unsent }, null, 2);
}

/** Whether something was in view for as long as it takes to see it; `since` is Infinity before. */
export function isSeen(since, now) {
    return now - since >= LEAST_MS;
}

/** The items that kept votes are about, without those whose vote was taken back again. */
export function votedItems(votes) {
    const voted = new Set();
    for (const vote of votes) {
        if (vote.takes_back) {
            voted.delete(vote.item);
        } else {
            voted.add(vote.item);
        }
    }
    return voted;
}

/** Items without those that a kept vote is about. */
export function unvoted(items, votes) {
    const voted = votedItems(votes);
    return items.filter((item) => !voted.has(item.id));
}

/** Items without those that the site asks about no more. */
export function stillAsked(items, gone = []) {
    return items.filter((item) => !gone.includes(item.id));
}

/** Which choice a pressed key stands for; undefined for none. */
export function choiceOf(choices, key) {
    return choices.find((choice) => choice.key === key.toLowerCase());
}

/** What is said of votes that wait. */
export function waitingText(count, hasItems = true) {
    const kept = count === 1 ? "1 vote waits for the network. It is kept in this browser." : `${count} votes wait for the network. They are kept in this browser.`;
    return hasItems ? kept : `${kept} More items come with the network.`;
}

/** What a rater reads of a request that was answered with anything but a list of results. */
export function refusalText(status) {
    if (status === 403) {
        return "This page is too old to send from. Load it again: your votes are kept.";
    }
    if (status === 404) {
        return "Your link opens this study no more, or another rater's was opened in this browser since. Open yours again, or ask whoever invited you; votes that were not sent are kept in this browser.";
    }
    if (status === 410) {
        return "No more votes of yours are taken here. What was not sent is kept in this browser.";
    }
    return "The site does not answer as it should. Your votes are kept in this browser.";
}

/** What a rater reads of votes that the site refused; nothing where it took them all. */
export function refusedText(results) {
    const refused = results.find((result) => result.state === "refused");
    return refused ? `A vote was not taken: ${refused.reason} It is kept in this browser.` : "";
}

export function lateText(results) {
    const late = results.some((result) => result.state === "late");
    return late ? "You had voted on one of these already, perhaps in another tab. Your first vote stays." : "";
}

/** A random id also where the page is not of a secure context. */
export function newKey(random = crypto) {
    const bytes = random.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

function say(text) {
    const state = document.getElementById("state");
    if (state.textContent !== text) {
        state.textContent = text;
    }
}

/** A button for the votes under a prefix that were not sent; none where there are none. */
function offerFile(prefix) {
    const button = document.getElementById("save");
    const count = countOf(unsentVotes(localStorage, prefix));
    button.hidden = !count;
    button.textContent = `Save ${count} unsent vote${count === 1 ? "" : "s"} as a file`;
    button.onclick = () => {
        const file = new Blob([unsentFile(unsentVotes(localStorage, prefix), location.host, new Date())], { type: "application/json" });
        const link = document.createElement("a");
        link.href = URL.createObjectURL(file);
        link.download = "unsent-votes.json";
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    };
    return count;
}

/** Of a page that takes no votes: what the browser keeps is told and offered. */
function startEnded(body) {
    const { ended, forget } = body.dataset;
    for (const name of forget ? [forget, forget + REFUSED] : []) {
        localStorage.removeItem(name); // whoever withdrew all votes withdrew these
    }
    const count = offerFile(ended);
    if (count) {
        say(`This browser keeps ${count} vote${count === 1 ? "" : "s"} that ${count === 1 ? "was" : "were"} not sent. Save ${count === 1 ? "it" : "them"} as a file, and send that to whoever invited you.`);
    }
}

function post(body, address, content) {
    return fetch(address, {
        method: "POST",
        headers: {
            "Content-Type": "application/json",
            Accept: "application/json",
            "X-CSRFToken": document.querySelector("[name=csrfmiddlewaretoken]").value,
            Rater: body.dataset.rater,
        },
        body: JSON.stringify(content ?? {}),
        redirect: "manual",
    });
}

/** Sends what is kept until nothing is; each answer is given to `heard`. What to say where it cannot be sent now, or "". */
async function sendKept(body, name, waiting, heard) {
    const next = () => keptVotes(localStorage, name).slice(0, AT_ONCE);
    for (let votes = next(); votes.length; votes = next()) {
        let answer = null;
        try {
            answer = await post(body, body.dataset.votes, { votes });
        } catch {
            return waiting();
        }
        const content = answer.ok ? await answer.json().catch(() => null) : null;
        if (!content) {
            if (answer.status === 410) {
                location.reload(); // the page says why, and offers what is kept
            } else if (answer.status === 404) {
                offerFile(name);
            }
            return refusalText(answer.status);
        }
        keepRefused(localStorage, name, votes, content.results);
        if (refusedText(content.results)) {
            offerFile(name + REFUSED);
        }
        document.getElementById("late").textContent = content.note ?? "";
        dropVotes(localStorage, name, content.results.map((result) => result.key));
        heard(content);
    }
    return "";
}

/** Of a page without an item: once all is sent the server says what comes now. */
function startWithoutItem(body) {
    const name = `rating-${body.dataset.rating}`;
    const undo = document.querySelector("#undo button");
    const kept = () => keptVotes(localStorage, name);
    let wait = FIRST_WAIT_MS;
    let timer = 0;
    let isSending = false;

    async function send() {
        if (isSending || !kept().length) {
            return;
        }
        isSending = true;
        clearTimeout(timer);
        undo?.toggleAttribute("disabled", true); // the last vote is one of those that wait
        let told = "";
        const waiting = () => waitingText(votedItems(kept()).size);
        const failure = await sendKept(body, name, waiting, ({ results }) => {
            told = refusedText(results) || told || lateText(results);
        });
        isSending = false;
        if (failure) {
            say(failure);
            timer = setTimeout(send, wait);
            wait = Math.min(wait * 2, LONGEST_WAIT_MS);
        } else if (told) {
            say(told); // a page that is loaded again would not tell
            undo?.toggleAttribute("disabled", false);
        } else {
            location.reload();
        }
    }

    window.addEventListener("online", () => {
        wait = FIRST_WAIT_MS; // also for a request that is under way and fails yet
        send();
    });
    send();
}

function start(body) {
    const name = `rating-${body.dataset.rating}`;
    const data = JSON.parse(document.getElementById("rating-data").textContent);
    const form = document.getElementById("vote");
    const undoForm = document.getElementById("undo");
    const asked = data.asked;
    const isSingle = asked.length === 1;
    const pictures = new Map(); // kept, so that they are there without network
    const past = [];
    const told = { refused: "" };
    let items = unvoted(data.items, keptVotes(localStorage, name));
    let done = Number(body.dataset.done);
    let total = Number(body.dataset.total);
    let shownAt = Infinity;
    let undoneAt = -Infinity;
    let sending = null;
    let isFetching = false;
    let wait = FIRST_WAIT_MS;
    let timer = 0;
    let line = 0;

    function fetchPictures() {
        for (const item of items) {
            for (const image of item.images) {
                if (!pictures.has(image.small)) {
                    const ahead = new Image();
                    ahead.src = image.small;
                    pictures.set(image.small, ahead);
                }
            }
        }
    }

    function part(heading, text) {
        const section = document.createElement("section");
        const title = document.createElement("h2");
        const words = document.createElement("p");
        title.className = "asked";
        title.textContent = heading;
        words.className = "text answer";
        words.textContent = text || "(an empty answer)";
        section.append(title, words);
        return section;
    }

    function pictureOf(image, number) {
        const link = document.createElement("a");
        const shown = document.createElement("img");
        link.href = image.full;
        link.target = "_blank";
        link.rel = "noopener";
        if (image.width) {
            shown.width = image.width;
            shown.height = image.height;
        }
        shown.alt = `Picture ${number}, opens in full size`;
        shown.src = image.small;
        link.append(shown);
        return link;
    }

    const isOneLine = matchMedia(ONE_LINE);
    let lineSince = 0;
    let waiting = 0;

    function isLoaded(picture) {
        return picture.complete
            ? null
            : new Promise((resolve) => {
                  picture.addEventListener("load", resolve);
                  picture.addEventListener("error", resolve);
              });
    }

    function isInView() {
        return document.visibilityState === "visible"
            ? null
            : new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
    }

    /** From now on the item before the rater is new: its time begins when it is in view with its pictures. */
    async function beginItem() {
        const own = (waiting += 1);
        shownAt = Infinity;
        form.toggleAttribute("data-wait", true);
        const pictures = [...document.querySelectorAll("#pictures img")].map(isLoaded);
        await Promise.race([Promise.all(pictures), new Promise((resolve) => setTimeout(resolve, PICTURE_WAIT_MS))]);
        await isInView();
        if (own !== waiting) {
            return; // another item stands there by now
        }
        shownAt = performance.now();
        setTimeout(() => own === waiting && form.toggleAttribute("data-wait", false), LEAST_MS);
    }

    function mayAnswer() {
        const now = performance.now();
        return isSeen(shownAt, now) && (isSingle || !isOneLine.matches || isSeen(lineSince, now));
    }

    function showProgress() {
        const rated = done + votedItems(keptVotes(localStorage, name)).size;
        const all = Math.max(total, rated);
        document.getElementById("place").textContent = `${Math.min(rated + 1, all).toLocaleString("en")} of ${all.toLocaleString("en")}`;
        const bar = document.getElementById("bar");
        bar.max = all;
        bar.value = rated;
        undoForm.querySelector("button").disabled = rated === 0;
    }

    function show() {
        const item = items[0];
        showProgress();
        if (!item) {
            endOfItems();
            return;
        }
        form.hidden = false;
        document.getElementById("item").hidden = false;
        document.getElementById("pictures").replaceChildren(...item.images.map((image, place) => pictureOf(image, place + 1)));
        document.getElementById("missing").hidden = !item.missing;
        document.getElementById("question").textContent = item.question;
        document.getElementById("truth").textContent = item.truth;
        document.getElementById("truth-part").hidden = !item.truth;
        const headings = item.texts.length === 1 ? ["Answer"] : ["First answer", "Second answer"];
        document.getElementById("answers").replaceChildren(...item.texts.map((text, place) => part(headings[place], text)));
        form.elements.item.value = item.id;
        form.elements.key.value = newKey();
        form.querySelectorAll("input[type=radio]").forEach((radio) => {
            radio.checked = false;
        });
        moveTo(0);
        beginItem();
        window.scrollTo(0, 0);
    }

    function endOfItems() {
        form.hidden = true;
        document.getElementById("item").hidden = true;
        if (!keptVotes(localStorage, name).length && !isFetching && !sending) {
            location.reload(); // the server says what comes now
        }
    }

    function moveTo(place) {
        if (place !== line) {
            lineSince = performance.now();
        }
        line = place;
        if (!isSingle) {
            form.querySelectorAll("fieldset").forEach((fieldset, number) => fieldset.toggleAttribute("data-now", number === place));
            showSteps();
        }
    }

    /** A button per line with what it says so far: where one line is shown at a time, the way to the others. */
    function makeSteps() {
        const buttons = asked.map((one, place) => {
            const button = document.createElement("button");
            button.type = "button";
            button.className = "step-to";
            button.addEventListener("click", () => moveTo(place));
            return button;
        });
        form.querySelector(".steps").prepend(...buttons);
        form.classList.add("stepped");
        form.noValidate = true; // the browser could not show which line it misses
    }

    function showSteps() {
        const chosen = new FormData(form);
        form.querySelectorAll(".step-to").forEach((button, place) => {
            const said = chosen.get(`value-${asked[place].slug}`);
            button.textContent = said ?? "–";
            button.ariaLabel = `${place + 1} of ${asked.length}: ${asked[place].asks} ${said ?? "no answer yet"}`;
            button.ariaCurrent = place === line ? "step" : null;
        });
    }

    function vote(values) {
        const item = items.shift();
        if (!item) {
            return;
        }
        const milliseconds = Math.round(performance.now() - shownAt);
        const kept = { item: item.id, key: form.elements.key.value, values, milliseconds };
        try {
            keepVote(localStorage, name, kept);
        } catch {
            items.unshift(item);
            say("This browser keeps nothing for this site, so votes are sent one by one.");
            sendAsForm(values);
            return;
        }
        past.push({ item, key: kept.key });
        show();
        send();
    }

    function sendAsForm(values) {
        for (const [slug, value] of Object.entries(values)) {
            const field = document.createElement("input");
            field.type = "hidden";
            field.name = `value-${slug}`;
            field.value = value;
            form.append(field);
        }
        HTMLFormElement.prototype.submit.call(form);
    }

    function later(text) {
        say(text);
        clearTimeout(timer);
        timer = setTimeout(send, wait);
        wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    }

    /** Sends what is kept until nothing is, or the network is gone. */
    function send() {
        sending ??= sendAll().finally(() => {
            sending = null;
            if (!items.length) {
                show();
            }
        });
        return sending;
    }

    async function sendAll() {
        const waiting = () => waitingText(votedItems(keptVotes(localStorage, name)).size, items.length > 0);
        do {
            const failure = await sendKept(body, name, waiting, (content) => {
                wait = FIRST_WAIT_MS;
                ({ done, total } = content);
                told.refused = refusedText(content.results) || told.refused;
                say(told.refused || lateText(content.results));
                forget(content.gone);
                showProgress();
            });
            if (failure) {
                later(failure);
                return;
            }
            await fetchMore();
        } while (keptVotes(localStorage, name).length); // said while more was fetched
    }

    /** An entry was withdrawn while its answers lay here. */
    function forget(gone) {
        const before = items[0];
        items = stillAsked(items, gone);
        if (items.length && items[0] !== before) {
            show();
        }
    }

    async function fetchMore() {
        if (isFetching || items.length >= FEW) {
            return;
        }
        isFetching = true;
        try {
            const answer = await post(body, body.dataset.items);
            if (answer.ok) {
                const content = await answer.json();
                ({ done, total } = content);
                document.getElementById("late").textContent = content.note ?? "";
                take(content.items);
            }
        } catch {
            // without network what is there goes on
        }
        isFetching = false;
    }

    /** Items as the server has them, after those before the rater's eyes. */
    function take(found) {
        const wasEmpty = !items.length;
        const known = new Set(items.map((item) => item.id));
        items = [...items, ...unvoted(found, keptVotes(localStorage, name)).filter((item) => !known.has(item.id))];
        fetchPictures();
        if (wasEmpty && items.length) {
            show();
        }
        showProgress();
    }

    /** A vote of this page is taken back at once, with or without network; an older one by the server. */
    async function undo() {
        if (!isSeen(undoneAt, performance.now())) {
            return; // the second tap of a double tap
        }
        undoneAt = performance.now();
        const last = past.pop();
        if (last) {
            keepVote(localStorage, name, { item: last.item.id, key: newKey(), takes_back: last.key });
            items = [last.item, ...items.filter((item) => item.id !== last.item.id)];
            show();
            send();
            return;
        }
        await send();
        try {
            const answer = await post(body, body.dataset.undo);
            const content = answer.ok ? await answer.json() : null;
            if (!content) {
                say(refusalText(answer.status));
                return;
            }
            ({ done, total } = content);
            items = unvoted(content.items, keptVotes(localStorage, name));
            show();
        } catch {
            say("Taking back a vote of an earlier visit needs the network.");
        }
    }

    form.addEventListener(
        "click",
        (event) => {
            if (!event.target.closest(".step-to") && !mayAnswer()) {
                event.preventDefault(); // made for what stood there before
            }
        },
        true,
    );
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        if (!mayAnswer()) {
            return;
        }
        if (isSingle) {
            if (event.submitter?.value) {
                vote({ [asked[0].slug]: Number(event.submitter.value) });
            }
            return;
        }
        const chosen = new FormData(form);
        const left = asked.findIndex((one) => !chosen.has(`value-${one.slug}`));
        if (left >= 0) {
            moveTo(left);
            say(`Say something on every line: ${asked[left].asks}`);
            return;
        }
        say("");
        vote(Object.fromEntries(asked.map((one) => [one.slug, Number(chosen.get(`value-${one.slug}`))])));
    });
    form.addEventListener("change", (event) => {
        const place = asked.findIndex((one) => event.target.name === `value-${one.slug}`);
        if (place >= 0) {
            moveTo(nextLine(place));
        }
    });
    undoForm.addEventListener("submit", (event) => {
        event.preventDefault();
        undo();
    });

    function nextLine(place) {
        return Math.min(place + 1, asked.length - 1);
    }

    function choose(choice) {
        if (!mayAnswer()) {
            return;
        }
        const slug = asked[line].slug;
        if (isSingle) {
            vote({ [slug]: choice.value });
            return;
        }
        form.querySelector(`input[name="value-${slug}"][value="${choice.value}"]`).checked = true;
        moveTo(nextLine(line));
    }

    document.addEventListener("keydown", (event) => {
        const isTyped = event.ctrlKey || event.metaKey || event.altKey || event.repeat;
        if (isTyped || document.getElementById("zoom").open || !items.length) {
            return;
        }
        const choice = choiceOf(asked[line].choices, event.key);
        if (choice) {
            event.preventDefault();
            choose(choice);
        } else if (event.key.toLowerCase() === "u") {
            event.preventDefault();
            undo();
        } else if (event.key === "Enter" && !isSingle && event.target === document.body) {
            form.requestSubmit();
        }
    });

    const zoom = document.getElementById("zoom");
    document.getElementById("pictures").addEventListener("click", (event) => {
        const link = event.target.closest("a");
        if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
            event.preventDefault();
            const large = document.createElement("img");
            large.alt = "The picture in full size";
            large.src = link.href;
            zoom.querySelector("[role=region]").replaceChildren(large);
            zoom.showModal();
        }
    });
    window.addEventListener("online", () => {
        wait = FIRST_WAIT_MS; // also for a request that is under way and fails yet
        send();
    });
    fetchPictures();
    if (!isSingle) {
        makeSteps();
        moveTo(0);
    }
    if (items.length !== data.items.length || !items.length) {
        show();
    } else {
        showProgress();
        beginItem();
    }
    offerFile(name + REFUSED);
    send();
}

if (typeof document !== "undefined" && "ended" in document.body.dataset) {
    startEnded(document.body);
} else if (typeof document !== "undefined" && document.body.dataset.rating) {
    (document.getElementById("vote") ? start : startWithoutItem)(document.body);
}
