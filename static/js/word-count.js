/* Usage: <textarea data-counts-into="ID"> and <output id="ID">: the output says how many words the text has while it is
 * written. Without this file it says what the server counted. Each character of Chinese or Japanese counts as a word.
 * With data-limit="20000" the output also says how many characters are left, or too many; nothing is cut.
 */

const WORD = /[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]|[^\s\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+/g;

/** How many words a text has: the same number as benchmarks/forms/diff.py counts. */
export function countWords(text) {
    return (text.match(WORD) ?? []).length;
}

/** "1 word", "212 words". */
export function printWords(count) {
    return `${count} word${count === 1 ? "" : "s"}`;
}

/** How many characters a text is longer than its limit, as the server counts them; below 0 while it fits. */
export function excessOf(text, limit) {
    return [...text.replaceAll("\r\n", "\n").trim()].length - limit;
}

/** What to say about the length of a text that has a limit; "" where it has none. */
export function printRoom(text, limit) {
    const excess = excessOf(text, limit);
    if (!limit || excess <= 0) {
        return limit ? `, ${(0 - excess).toLocaleString("en")} character${excess === -1 ? "" : "s"} left` : "";
    }
    return `, ${(limit + excess).toLocaleString("en")} characters: ${excess.toLocaleString("en")} too many`;
}

function watch(textarea) {
    const output = document.getElementById(textarea.dataset.countsInto);
    const limit = Number(textarea.dataset.limit ?? 0);
    const say = () => {
        output.textContent = printWords(countWords(textarea.value)) + printRoom(textarea.value, limit);
        output.classList.toggle("typed-over", limit > 0 && excessOf(textarea.value, limit) > 0);
    };
    textarea.addEventListener("input", say);
    say();
}

if (typeof document !== "undefined") {
    document.querySelectorAll("textarea[data-counts-into]").forEach(watch);
}
