/* Usage: <table data-sortable> with rows <tr data-entry="id"> and heads <th data-metric data-first="asc|desc"> that hold a
 * sort link. A click sorts the rows of every such table of the page alike, without loading it. Without this file the
 * link does the same. Links and forms with data-keeps-sort take the choice along.
 */

/** Indices of `values` in sorted order; null comes last either way, ties keep the order they have. */
export function sortedIndices(values, ascending) {
    const sign = ascending ? 1 : -1;
    return values
        .map((_, index) => index)
        .sort((a, b) => {
            if (values[a] === null || values[b] === null) {
                return (values[a] === null) - (values[b] === null) || a - b;
            }
            return sign * (values[a] - values[b]) || a - b;
        });
}

/** The number in a text, or null where there is none. */
export function readValue(text) {
    const value = text === undefined || text === "" ? NaN : Number(text.replace("−", "-"));
    return Number.isFinite(value) ? value : null;
}

/** `url` with another sort order in its query; everything else stays. */
export function withSort(url, metric, order) {
    const changed = new URL(url);
    changed.searchParams.set("sort", metric);
    changed.searchParams.set("order", order);
    return changed.href;
}

/** What `form` sends says the sort order; it gets hidden fields for that where it has none. */
export function keepSort(form, metric, order) {
    for (const [name, value] of Object.entries({ sort: metric, order })) {
        let field = form.elements.namedItem(name);
        if (!field) {
            field = form.ownerDocument.createElement("input");
            field.type = "hidden";
            field.name = name;
            form.prepend(field);
        }
        field.value = value;
    }
}

/** What a cell is sorted by: its figure as printed, and of figures printed alike the one that is higher last. */
export function sortKey(text, after = 0) {
    const value = readValue(text);
    return value === null ? null : value + Number(after) * 1e-6;
}

/* The cells that have a head in the second line of heads. */
const FIGURES = "td:not(.choose, .rank, .against, .bar, .coverage)";

function cellKey(cell) {
    return sortKey(cell.querySelector("b")?.textContent, cell.dataset.after);
}

function sortBy(head, ascending) {
    const rows = [...head.closest("table").querySelectorAll("tr[data-entry]")];
    const figures = rows.map((row) => row.querySelectorAll(FIGURES)[head.cellIndex]);
    for (const cell of document.querySelectorAll("table[data-sortable] td.sorted")) {
        cell.classList.remove("sorted");
    }
    for (const cell of figures) {
        cell.classList.add("sorted"); // a card of a narrow page shows it beside its first figures
    }
    const order = sortedIndices(figures.map(cellKey), ascending);
    const entries = order.map((index) => rows[index].dataset.entry);
    for (const table of document.querySelectorAll("table[data-sortable]")) {
        const found = new Map([...table.querySelectorAll("tr[data-entry]")].map((row) => [row.dataset.entry, row]));
        for (const entry of entries) {
            found.get(entry).parentNode.append(found.get(entry));
        }
    }
}

function showState(metric, ascending) {
    for (const head of document.querySelectorAll("table[data-sortable] th[aria-sort]")) {
        const isSorted = head.dataset.metric === metric;
        head.setAttribute("aria-sort", isSorted ? (ascending ? "ascending" : "descending") : "none");
        if (head.dataset.metric) {
            const next = isSorted ? (ascending ? "desc" : "asc") : head.dataset.first;
            const link = head.querySelector("a");
            link.href = withSort(link.href, head.dataset.metric, next);
        }
    }
    const order = ascending ? "asc" : "desc";
    for (const link of document.querySelectorAll("a[data-keeps-sort]")) {
        link.href = withSort(link.href, metric, order);
    }
    for (const form of document.querySelectorAll("form[data-keeps-sort]")) {
        keepSort(form, metric, order);
    }
}

function onClick(event) {
    const head = event.target.closest("a") && event.target.closest("th[data-metric]");
    if (!head || event.ctrlKey || event.metaKey || event.shiftKey || event.button) {
        return;
    }
    event.preventDefault();
    const address = event.target.closest("a").href;
    const ascending = new URL(address).searchParams.get("order") === "asc";
    sortBy(head, ascending);
    showState(head.dataset.metric, ascending);
    history.replaceState(null, "", address);
}

if (typeof document !== "undefined") {
    for (const table of document.querySelectorAll("table[data-sortable]")) {
        table.addEventListener("click", onClick);
    }
}
