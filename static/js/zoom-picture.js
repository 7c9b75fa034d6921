/* Usage: <div class="zoom" data-zooms><a class="zoom-frame" href="ORIGINAL"><img src="SMALL" width="…"></a></div>: the
 * picture can be made larger and moved where it stands: by buttons, by + - 0 and arrows once it has the focus, by the wheel
 * while it has the focus or with Ctrl, by two fingers, and by pulling. The original is loaded once the small copy would be
 * blurred. Without this file the picture is a link to the original.
 */

const MOST = 12; // times: letters of two pixels can be read
const STEP = 1.25;
const ARROW_PX = 60;
const SHARP = 1.1; // a copy stretched by less looks as the original does

/** The view kept within its bounds: the frame is always covered by the picture at its own size or larger. */
export function bounded({ scale, x, y }, { width, height }) {
    const within = Math.min(MOST, Math.max(1, scale));
    const clamp = (value, size) => Math.min(0, Math.max(size * (1 - within), value));
    return { scale: within, x: clamp(x, width), y: clamp(y, height) };
}

/** The view after zooming by a factor, with what is at the point staying there. */
export function zoomed(view, factor, point, size) {
    const scale = Math.min(MOST, Math.max(1, view.scale * factor));
    const ratio = scale / view.scale;
    return bounded({ scale, x: point.x - (point.x - view.x) * ratio, y: point.y - (point.y - view.y) * ratio }, size);
}

/** What a key does: {factor} or {x, y} in pixels, null where it does nothing. */
export function byKey(key) {
    const moves = { ArrowLeft: [ARROW_PX, 0], ArrowRight: [-ARROW_PX, 0], ArrowUp: [0, ARROW_PX], ArrowDown: [0, -ARROW_PX] };
    if (key in moves) {
        return { x: moves[key][0], y: moves[key][1] };
    }
    return { "+": { factor: STEP }, "=": { factor: STEP }, "-": { factor: 1 / STEP }, 0: { factor: 0 } }[key] ?? null;
}

class Zoom {
    constructor(box) {
        this.box = box;
        this.frame = box.querySelector(".zoom-frame");
        this.image = box.querySelector("img");
        this.view = { scale: 1, x: 0, y: 0 };
        this.pointers = new Map();
        this.isOriginal = false;
    }

    size() {
        return { width: this.image.offsetWidth, height: this.image.offsetHeight };
    }

    middle() {
        const { width, height } = this.size();
        return { x: width / 2, y: height / 2 };
    }

    /** Where something happened, from the picture's corner as it stands without zoom. */
    at(event) {
        const box = this.frame.getBoundingClientRect();
        return {
            x: event.clientX - box.left - this.frame.clientLeft - this.image.offsetLeft,
            y: event.clientY - box.top - this.frame.clientTop - this.image.offsetTop,
        };
    }

    show(view) {
        this.view = bounded(view, this.size());
        const { scale, x, y } = this.view;
        this.image.style.transform = scale === 1 ? "" : `translate(${x}px, ${y}px) scale(${scale})`;
        this.box.classList.toggle("is-zoomed", scale > 1);
        this.said.textContent = `${Math.round(scale * 100)} %`;
        if (this.image.offsetWidth * scale > this.image.naturalWidth * SHARP) {
            this.loadOriginal();
        }
    }

    by(factor, point = this.middle()) {
        this.show(factor ? zoomed(this.view, factor, point, this.size()) : { scale: 1, x: 0, y: 0 });
    }

    move(x, y) {
        this.show({ ...this.view, x: this.view.x + x, y: this.view.y + y });
    }

    loadOriginal() {
        if (this.isOriginal) {
            return;
        }
        this.isOriginal = true;
        const original = new Image();
        original.addEventListener("load", () => {
            this.image.src = original.src;
        });
        original.src = this.frame.href;
    }

    addTools() {
        const tools = document.createElement("div");
        tools.className = "zoom-tools";
        tools.setAttribute("role", "group");
        tools.setAttribute("aria-label", "Size of the picture");
        for (const [text, name, factor] of [["+", "Larger", STEP], ["−", "Smaller", 1 / STEP], ["Fit", "Whole picture", 0]]) {
            const button = document.createElement("button");
            Object.assign(button, { type: "button", textContent: text, title: name });
            if (text !== "Fit") {
                button.setAttribute("aria-label", name); // signs that are no words
            }
            button.addEventListener("click", () => this.by(factor));
            tools.append(button);
        }
        this.said = document.createElement("output");
        tools.append(this.said);
        this.frame.before(tools);
    }

    watch() {
        this.addTools();
        this.show(this.view);
        this.frame.addEventListener("click", (event) => {
            if (event.detail && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
                event.preventDefault(); // a press of Enter still opens the original
            }
        });
        this.frame.addEventListener("dblclick", (event) => this.by(2, this.at(event)));
        this.frame.addEventListener("keydown", (event) => {
            const done = event.ctrlKey || event.metaKey || event.altKey ? null : byKey(event.key);
            if (done) {
                event.preventDefault();
                "factor" in done ? this.by(done.factor) : this.move(done.x, done.y);
            }
        });
        this.frame.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
        this.frame.addEventListener("dragstart", (event) => event.preventDefault());
        this.frame.addEventListener("pointerdown", (event) => this.pointers.set(event.pointerId, event));
        window.addEventListener("pointermove", (event) => this.pull(event));
        for (const end of ["pointerup", "pointercancel"]) {
            window.addEventListener(end, (event) => this.pointers.delete(event.pointerId));
        }
        window.addEventListener("resize", () => this.show(this.view));
    }

    wheel(event) {
        if (event.ctrlKey || document.activeElement === this.frame) {
            event.preventDefault();
            this.by(event.deltaY < 0 ? STEP : 1 / STEP, this.at(event));
        }
    }

    /** One finger or the mouse moves the picture, two make it larger and smaller. */
    pull(event) {
        const before = this.pointers.get(event.pointerId);
        if (!before) {
            return;
        }
        const other = [...this.pointers.values()].find((one) => one.pointerId !== event.pointerId);
        this.pointers.set(event.pointerId, event);
        if (other) {
            const [was, is] = [before, event].map((one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY));
            const between = { clientX: (event.clientX + other.clientX) / 2, clientY: (event.clientY + other.clientY) / 2 };
            this.by(was ? is / was : 1, this.at(between));
        } else if (this.view.scale > 1) {
            this.move(event.clientX - before.clientX, event.clientY - before.clientY);
        }
    }
}

if (typeof document !== "undefined") {
    document.querySelectorAll("[data-zooms]").forEach((box) => new Zoom(box).watch());
}
