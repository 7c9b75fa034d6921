/* Usage: <textarea data-hidden-into="ID" data-hidden-pattern="…" data-hidden-names="{…}"> and <div id="ID" hidden> with a
 * list in it: while the text is written the list says where characters stand that nobody sees, each with a button that
 * selects it. Pattern and names are the server's (benchmarks/forms/hidden_characters.py), which refuses the text.
 */

const MOST_REPORTED = 20;
const AROUND = 20; // characters on either side that say where it is

/** How a character without a shape is written: "U+200B". */
export function markOf(character) {
    return `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Where hidden characters stand: [{start, end, character, line, column, before, after}], places in the text's own units. */
export function findHidden(text, pattern) {
    return [...text.matchAll(new RegExp(pattern, "gu"))].map((found) => {
        const start = found.index;
        const head = text.lastIndexOf("\n", start - 1) + 1;
        const end = start + found[0].length;
        return {
            start,
            end,
            character: found[0],
            line: text.slice(0, start).split("\n").length,
            column: [...text.slice(head, start)].length + 1,
            before: text.slice(Math.max(head, start - AROUND), start),
            after: text.slice(end, end + AROUND).split("\n")[0],
        };
    });
}

function entry(textarea, one, names) {
    const item = document.createElement("li");
    const mark = document.createElement("mark");
    mark.textContent = markOf(one.character);
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Show";
    const name = names[one.character] ?? markOf(one.character);
    button.setAttribute("aria-label", `Show ${name} in line ${one.line}`);
    button.addEventListener("click", () => {
        textarea.focus();
        textarea.setSelectionRange(one.start, one.end);
    });
    item.append(`Line ${one.line}, character ${one.column}, ${name}: “${one.before}`, mark, `${one.after}” `, button);
    return item;
}

function watch(textarea) {
    const box = document.getElementById(textarea.dataset.hiddenInto);
    const names = JSON.parse(textarea.dataset.hiddenNames);
    const say = () => {
        const found = findHidden(textarea.value, textarea.dataset.hiddenPattern);
        box.hidden = found.length === 0;
        box.querySelector("[data-count]").textContent = found.length.toLocaleString("en");
        box.querySelector("ul").replaceChildren(...found.slice(0, MOST_REPORTED).map((one) => entry(textarea, one, names)));
    };
    textarea.addEventListener("input", say);
    say();
}

if (typeof document !== "undefined") {
    document.querySelectorAll("textarea[data-hidden-into]").forEach(watch);
}
