/* Usage: <form data-hand-in> with one file and <div data-sending hidden><progress></progress><output></output></div>. The form
 * is sent in the background: the bar says how much of the file has arrived, then that it is being read, and for how long.
 * The answer takes the place of the page, as it does without this file.
 */
import { printSize, watchDrops } from "./drop-file.js";

const SECOND = 1000;

/** What is said while a file of `total` bytes is sent and then read; `seconds` since it has arrived. */
export function tellProgress(loaded, total, seconds) {
    if (loaded < total) {
        return `Sending: ${Math.floor((100 * loaded) / total)} % of ${printSize(total)}`;
    }
    const waited = seconds >= 1 ? `, ${seconds} s so far` : "";
    return `The file has arrived. It is being read${waited}; a long one takes some seconds.`;
}

export const LOST =
    "The connection was lost before the site answered. Send the form again: a file that is sent twice is one submission.";

/** Where to go on: where the answer says, or where it came from, as the sign-in; "" where it is this form again. */
export function whereTo(told, answeredFrom, formAddress) {
    if (told) {
        return told;
    }
    const isElsewhere = answeredFrom !== "" && new URL(answeredFrom).pathname !== new URL(formAddress).pathname;
    return isElsewhere ? answeredFrom : "";
}

function show(text) {
    const answered = new DOMParser().parseFromString(text, "text/html");
    const main = answered.querySelector("main");
    document.title = answered.title || document.title;
    document.querySelector("main").replaceWith(document.adoptNode(main));
    watchDrops(main);
    main.querySelectorAll("form[data-hand-in]").forEach(watch);
    const told = main.querySelector("[role=alert]") ?? main;
    told.tabIndex = -1;
    told.focus();
    told.scrollIntoView({ block: "start" });
}

function send(form) {
    const box = form.querySelector("[data-sending]");
    const [bar, output] = [box.querySelector("progress"), box.querySelector("output")];
    const button = form.querySelector("button[type=submit]");
    const request = new XMLHttpRequest();
    const file = form.querySelector("input[type=file]").files[0];
    let [loaded, total, arrived] = [0, Math.max(1, file?.size ?? 1), 0];
    const say = () => {
        const seconds = arrived ? Math.floor((Date.now() - arrived) / SECOND) : 0;
        output.textContent = tellProgress(loaded, total, seconds);
        if (loaded < total) {
            bar.value = (100 * loaded) / total;
        } else {
            bar.removeAttribute("value"); // the browser shows that something is under way
        }
    };
    const timer = setInterval(say, SECOND);
    const end = () => {
        clearInterval(timer);
        button.disabled = false;
        box.hidden = true;
    };
    request.upload.addEventListener("progress", (event) => {
        [loaded, total] = [event.loaded, event.total];
        arrived = loaded < total ? 0 : arrived || Date.now();
        say();
    });
    request.addEventListener("load", () => {
        const next = whereTo(request.getResponseHeader("HX-Redirect"), request.responseURL, form.action);
        if (next) {
            window.location.assign(next);
            return; // the bar stays until the other page is there
        }
        end();
        show(request.responseText);
    });
    request.addEventListener("error", () => {
        end();
        box.hidden = false;
        bar.hidden = true;
        output.textContent = LOST;
    });
    button.disabled = true;
    box.hidden = bar.hidden = false;
    request.open("POST", form.action);
    request.setRequestHeader("HX-Request", "true");
    request.send(new FormData(form));
    say();
}

function watch(form) {
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        send(form);
    });
}

if (typeof document !== "undefined") {
    document.querySelectorAll("form[data-hand-in]").forEach(watch);
}
