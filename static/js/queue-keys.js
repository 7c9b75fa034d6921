/* Usage: <button data-key="Ctrl+Enter"> or <a data-key="Alt+P">: the key does what a click does, also while somebody types.
 * Ctrl is Command on a Mac. <form data-leave-at="ADDRESS">: the address is told when the page is left but by sending a form.
 */

/** What is pressed, as data-key has it: "Alt+N", "Ctrl+Enter"; "" for a key of no letter and not Enter. */
export function keyOf(event) {
    const letter = /^Key([A-Z])$/.exec(event.code ?? "")?.[1] ?? (event.key === "Enter" ? "Enter" : "");
    const before = [(event.ctrlKey || event.metaKey) && "Ctrl", event.altKey && "Alt", event.shiftKey && "Shift"];
    return letter && [...before.filter(Boolean), letter].join("+");
}

function press(event) {
    const key = keyOf(event);
    const target = key && document.querySelector(`[data-key="${key}"]:not(:disabled)`);
    if (target && !event.repeat && !event.isComposing) {
        event.preventDefault();
        target.click();
    }
}

function tellWhenLeft(form) {
    let isSending = false;
    addEventListener("submit", (event) => {
        isSending = !event.defaultPrevented;
    });
    addEventListener("pagehide", () => {
        if (isSending) return;
        const body = new FormData();
        body.set("csrfmiddlewaretoken", form.elements.csrfmiddlewaretoken.value);
        navigator.sendBeacon(form.dataset.leaveAt, body);
    });
}

if (typeof document !== "undefined") {
    document.addEventListener("keydown", press);
    document.querySelectorAll("form[data-leave-at]").forEach(tellWhenLeft);
}
