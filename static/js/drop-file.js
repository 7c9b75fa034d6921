/* Usage: <div data-drop><input type="file"><output></output></div>. A file may be dropped on the box; the output names the
 * chosen file and its size. Without this file the input works as the browser made it.
 */

/** A size as people read it: "812 bytes", "14.2 KiB", "3.0 MiB". */
export function printSize(bytes) {
    if (bytes < 1024) {
        return `${bytes} bytes`;
    }
    const kibibytes = bytes / 1024;
    return kibibytes < 1024 ? `${kibibytes.toFixed(1)} KiB` : `${(kibibytes / 1024).toFixed(1)} MiB`;
}

function watch(box) {
    const input = box.querySelector("input[type=file]");
    const output = box.querySelector("output");
    const say = () => {
        const file = input.files[0];
        output.textContent = file ? `${file.name}, ${printSize(file.size)}` : "";
    };
    input.addEventListener("change", say);
    box.addEventListener("dragover", (event) => {
        event.preventDefault();
        box.classList.add("over");
    });
    box.addEventListener("dragleave", () => box.classList.remove("over"));
    box.addEventListener("drop", (event) => {
        event.preventDefault();
        box.classList.remove("over");
        if (event.dataTransfer.files.length) {
            input.files = event.dataTransfer.files;
            say();
        }
    });
    say();
}

/** Every box below `root`: those of a page, or of a part that came later. */
export function watchDrops(root) {
    root.querySelectorAll("[data-drop]").forEach(watch);
}

if (typeof document !== "undefined") {
    watchDrops(document);
}
