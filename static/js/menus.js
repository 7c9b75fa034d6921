/* Usage: <details class="menu"><summary>…</summary><div>links</div></details>. Escape closes an open menu and gives the
 * focus back to its summary; a click elsewhere, or the focus that moves on, closes it as well. Without this file a click on
 * the summary does.
 */

function close(menu) {
    if (menu.contains(document.activeElement)) {
        menu.querySelector("summary").focus();
    }
    menu.open = false;
}

document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
        document.querySelectorAll("details.menu[open]").forEach(close);
    }
});

for (const kind of ["click", "focusin"]) {
    document.addEventListener(kind, (event) => {
        for (const menu of document.querySelectorAll("details.menu[open]")) {
            if (!menu.contains(event.target)) {
                menu.open = false;
            }
        }
    });
}
