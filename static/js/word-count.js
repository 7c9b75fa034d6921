/* Usage: <textarea data-counts-into="ID"> and <output id="ID">: the output says how many words the text has while it is
 * written. Without this file it says what the server counted. Each character of Chinese or Japanese counts as a word.
 * With data-limit="20000" the output also says how many characters are too many; nothing is cut.
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

/** What to say about a text longer than its limit; "" while it fits. Characters as the server counts them. */
export function printExcess(text, limit) {
    const length = [...text.trim()].length;
    return limit && length > limit
        ? `, ${length.toLocaleString("en")} characters: ${(length - limit).toLocaleString("en")} too many`
        : "";
}

function watch(textarea) {
    const output = document.getElementById(textarea.dataset.countsInto);
    const say = () => {
        const excess = printExcess(textarea.value, Number(textarea.dataset.limit ?? 0));
        output.textContent = printWords(countWords(textarea.value)) + excess;
        output.classList.toggle("typed-over", excess !== "");
    };
    textarea.addEventListener("input", say);
    say();
}

if (typeof document !== "undefined") {
    document.querySelectorAll("textarea[data-counts-into]").forEach(watch);
}
