/* Usage: <input list="ID" data-suggest="ADDRESS"> and <datalist id="ID">: while somebody types, the list holds what ADDRESS
 * suggests. Choosing an entry of the list goes to its page. Without this file the field searches all the same.
 */

const PAUSE = 150; // milliseconds: a fast typist's next letter comes before
const FEWEST_LETTERS = 2;

/** The address of the suggestion that has exactly this title; "" where none or several have. */
export function addressOf(title, suggestions) {
    const same = suggestions.filter((suggestion) => suggestion.title === title);
    return same.length === 1 ? same[0].url : "";
}

function watch(input) {
    const list = document.getElementById(input.getAttribute("list"));
    let timer = 0;
    let last = "";
    let found = [];
    const show = (suggestions) => {
        found = suggestions;
        list.replaceChildren(
            ...suggestions.map(({ title, kind }) => Object.assign(document.createElement("option"), { value: title, label: kind })),
        );
    };
    const ask = async () => {
        const text = input.value.trim();
        if (text === last || text.length < FEWEST_LETTERS) {
            return;
        }
        last = text;
        try {
            const response = await fetch(`${input.dataset.suggest}?q=${encodeURIComponent(text)}`);
            const answer = response.ok ? await response.json() : { suggestions: [] };
            if (text === last) {
                show(answer.suggestions);
            }
        } catch {
            show([]); // no network: the form still says so when it is sent
        }
    };
    input.addEventListener("input", (event) => {
        const address = event.inputType === "insertReplacementText" || !event.inputType ? addressOf(input.value, found) : "";
        if (address) {
            window.location.assign(address);
            return;
        }
        window.clearTimeout(timer);
        timer = window.setTimeout(ask, PAUSE);
    });
}

if (typeof document !== "undefined") {
    document.querySelectorAll("input[data-suggest]").forEach(watch);
}
