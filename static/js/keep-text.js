/* Usage: <form data-keeps-at="ADDRESS"> and <output id="typed-state">: what is typed into its textareas is sent to the
 * address a moment after the last key, and stands in the form again when its writer comes back, on whichever machine.
 * Leaving the page with something unsaved asks first. Without this file a text is safe once a button is pressed.
 */

const PAUSE_MS = 1500;
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

/** What the answer to a sent text means for its writer; a redirection leads to the sign-in. */
export function stateAfter(answer) {
    if (answer === null || answer.status >= 500) {
        return "Not kept: the site does not answer. Stay on this page and try again.";
    }
    if (answer.status === 413) {
        return "Not kept: this is far too long.";
    }
    if (answer.type === "opaqueredirect" || answer.status === 403) {
        return "You are signed out. Press Save: your text waits for you behind the sign-in.";
    }
    return answer.status === 204 ? "Kept, not saved yet." : "Not kept: stay on this page and save.";
}

function watch(form) {
    const output = document.getElementById("typed-state");
    const loaded = typedIn(form.elements);
    let kept = loaded;
    let isLeaving = false;
    let timer = 0;
    const controller = { current: null };

    async function send(outlives) {
        const now = typedIn(form.elements);
        clearTimeout(timer);
        if (isLeaving || !differs(kept, now)) {
            return;
        }
        const body = new FormData(form);
        const bytes = new Blob(Object.values(now)).size;
        controller.current?.abort();
        controller.current = new AbortController();
        let answer = null;
        try {
            answer = await fetch(form.dataset.keepsAt, {
                method: "POST",
                body,
                redirect: "manual",
                keepalive: outlives && bytes < SENT_WITH_THE_PAGE,
                signal: controller.current.signal,
            });
        } catch (error) {
            if (error.name === "AbortError") {
                return;
            }
        }
        kept = answer?.status === 204 ? now : kept;
        if (output) {
            output.textContent = stateAfter(answer);
        }
    }

    form.ownerDocument.addEventListener("input", (event) => {
        if (event.target.form === form) {
            clearTimeout(timer);
            timer = setTimeout(send, PAUSE_MS);
        }
    });
    form.addEventListener("submit", () => {
        isLeaving = true;
        clearTimeout(timer);
        controller.current?.abort();
    });
    for (const other of document.querySelectorAll("form[data-discards]")) {
        other.addEventListener("submit", () => {
            isLeaving = true;
        });
    }
    window.addEventListener("beforeunload", (event) => {
        if (!isLeaving && differs(loaded, typedIn(form.elements))) {
            event.preventDefault();
        }
    });
    document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && send(true));
    window.addEventListener("pageshow", () => {
        isLeaving = false;
    });
}

if (typeof document !== "undefined") {
    document.querySelectorAll("form[data-keeps-at]").forEach(watch);
}
