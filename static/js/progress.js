/* Usage: <section id="progress" data-look="SECONDS" data-progress="ADDRESS" data-events="ADDRESS">: while it has data-look, it is
 * replaced by what the stream of events says, or, where there is none, by what the other address answers every few seconds. A
 * page that nobody looks at asks nothing. Without this file <noscript> loads the page anew.
 */

const LONGEST = 60; // seconds: a site that was away for a night is found again within a minute

/** Milliseconds until the next look, after so many that failed in a row. */
export function pauseOf(seconds, failures = 0) {
    const usual = Number(seconds) > 0 ? Number(seconds) : 2;
    return Math.min(LONGEST, usual * 2 ** failures) * 1000;
}

/** What to do with an answer: "show" it, "reload" the page, or try "later". */
export function meaningOf(response) {
    if (response.redirected || response.headers.get("HX-Refresh") === "true" || [403, 404].includes(response.status)) {
        return "reload"; // signed out, at its end, or not ours any more: the page itself says which
    }
    return response.ok ? "show" : "later";
}

function start(id) {
    let timer = 0;
    let source = null;
    let failures = 0;
    const section = () => document.getElementById(id);
    const isMoving = () => Boolean(section()?.dataset.look);
    const reload = () => window.location.reload();
    const show = (text) => {
        const made = new DOMParser().parseFromString(text, "text/html").getElementById(id);
        if (made) {
            section().replaceWith(document.adoptNode(made));
        }
    };
    const stop = () => {
        window.clearTimeout(timer);
        source?.close();
        source = null;
    };
    const later = () => {
        timer = window.setTimeout(look, pauseOf(section().dataset.look, failures));
    };
    const look = async () => {
        try {
            const response = await fetch(section().dataset.progress, { headers: { "HX-Request": "true" } });
            const meaning = meaningOf(response);
            if (meaning === "reload") {
                reload();
                return;
            }
            failures = meaning === "show" ? 0 : Math.min(failures + 1, 5);
            if (meaning === "show") {
                show(await response.text());
            }
        } catch {
            failures = Math.min(failures + 1, 5); // no network
        }
        later();
    };
    const listen = () => {
        source = new EventSource(section().dataset.events);
        source.addEventListener("progress", (event) => show(event.data));
        source.addEventListener("end", reload);
        source.addEventListener("error", () => {
            if (source?.readyState === EventSource.CLOSED) {
                source = null;
                later(); // no place is free
            }
        });
    };
    const begin = () => {
        stop();
        if (document.hidden || !isMoving()) {
            return;
        }
        if (section().dataset.events && window.EventSource) {
            listen();
        } else {
            later();
        }
    };
    document.addEventListener("visibilitychange", begin);
    window.addEventListener("pagehide", stop);
    begin();
}

if (typeof document !== "undefined" && document.getElementById("progress")) {
    start("progress");
}
