/* Usage: <button type="button" data-picture="ADDRESS.svg" hidden>: saves the drawing at that address as a PNG, twice as
 * large as it stands there. Without this file the button stays hidden; the SVG is a link beside it.
 */

const SCALE = 2; // sharp on the screens of today, and in print at half the width

/** Width and height of a drawing in pixels, by its viewBox. */
export function sizeOf(markup) {
    const box = /viewBox="([\d.\s-]+)"/.exec(markup);
    const [, , width, height] = (box?.[1] ?? "0 0 0 0").trim().split(/\s+/).map(Number);
    return { width, height };
}

/** "lead.svg?measure=cee" is saved as "lead.png". */
export function nameOf(address) {
    return `${address.split("?")[0].split("/").pop().replace(/\.svg$/, "")}.png`;
}

async function save(address) {
    const markup = await (await fetch(address)).text();
    const { width, height } = sizeOf(markup);
    const sized = markup.replace("<svg ", `<svg width="${width}" height="${height}" `);
    const image = new Image();
    image.src = `data:image/svg+xml;base64,${btoa(String.fromCodePoint(...new TextEncoder().encode(sized)))}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: width * SCALE, height: height * SCALE });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    const link = document.createElement("a");
    link.download = nameOf(address);
    link.href = canvas.toDataURL("image/png");
    link.click();
}

if (typeof document !== "undefined") {
    document.querySelectorAll("button[data-picture]").forEach((button) => {
        button.hidden = false;
        button.addEventListener("click", () => save(button.dataset.picture));
    });
}
