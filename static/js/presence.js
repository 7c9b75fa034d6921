/* Usage: <p data-presence-at="ADDRESS"> who else has this form open, by name; asked for again while the page is seen.
 * Without this file the line says who had it open when the page was made.
 */

const EVERY_MS = 20_000; // soon enough to speak to each other; a dozen people ask once a second or two

async function ask(line) {
    if (document.visibilityState !== "visible") {
        return;
    }
    const answer = await fetch(line.dataset.presenceAt, { redirect: "manual" }).catch(() => null);
    if (answer?.status === 200) {
        const said = await answer.text();
        if (line.textContent !== said) {
            line.textContent = said;
        }
    }
}

if (typeof document !== "undefined") {
    for (const line of document.querySelectorAll("[data-presence-at]")) {
        setInterval(() => ask(line), EVERY_MS);
        document.addEventListener("visibilitychange", () => ask(line));
    }
}
