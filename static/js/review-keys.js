/* Usage: a page with #approve, #comment, #send-back and #next, each where it can be used, and the legend #review-keys with
 * the switch #keys-on. a goes to the button, s to the comment, n to the next one, j and k to the next and previous heading;
 * Ctrl+Enter in the comment sends back. A single key approves nothing. Without this file everything is a link or a button.
 */

const SWITCH = "assay.review-keys"; // in this browser alone: a matter of hands and machine

/** What a key does, by name; "" for nothing: while somebody types or holds another key, keys are their own. */
export function actionOf(event, isTyping) {
    if (event.altKey || event.metaKey || event.isComposing) {
        return "";
    }
    if (event.ctrlKey) {
        return event.key === "Enter" && event.target?.id === "comment" ? "send-back" : "";
    }
    const actions = { a: "approve", s: "comment", n: "next", j: "down", k: "up" };
    return isTyping ? "" : (actions[event.key] ?? "");
}

/** The place after (step 1) or before (step -1) the one at the top of the window. tops: of all places, in their order. */
export function placeAfter(tops, step) {
    const slack = 8; // pixels: a heading that was scrolled to stands at 0, give or take a rounding
    if (step > 0) {
        return tops.findIndex((top) => top > slack);
    }
    return tops.findLastIndex((top) => top < -slack);
}

function isTyping(target) {
    return target.matches("textarea, select, input:not([type=submit]):not([type=checkbox])");
}

function move(step) {
    const headings = [...document.querySelectorAll("#content h2")];
    const place = placeAfter(
        headings.map((heading) => heading.getBoundingClientRect().top),
        step,
    );
    headings[place]?.scrollIntoView({ block: "start" });
}

function act(action) {
    if (action === "down" || action === "up") {
        move(action === "down" ? 1 : -1);
        return true;
    }
    const target = document.getElementById(action);
    if (!target) {
        return false;
    }
    if (action === "next" || action === "send-back") {
        target.click();
    } else {
        target.focus();
    }
    return true;
}

function watch(legend) {
    const onOff = legend.querySelector("#keys-on");
    onOff.checked = localStorage.getItem(SWITCH) !== "off";
    onOff.addEventListener("change", () => localStorage.setItem(SWITCH, onOff.checked ? "on" : "off"));
    document.addEventListener("keydown", (event) => {
        const action = onOff.checked ? actionOf(event, isTyping(event.target)) : "";
        if (action && act(action)) {
            event.preventDefault();
        }
    });
}

if (typeof document !== "undefined") {
    document.querySelectorAll("#review-keys").forEach(watch);
}
