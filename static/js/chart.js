/* Usage: <section data-bundle="address of plotly.js"> with <figure data-figure="id">: a hidden button, an empty .plot, and
 * a figure in <script type="application/json" id>. The button loads plotly.js once and puts a chart to explore in the place
 * of the drawing behind each .plot, and back: a second one has the figures of a radar row by row. <form data-choose="6">: no more boxes than that can be ticked.
 * Without this file the drawing, its table and the form are all there.
 */

const PIXELS_PER_TITLE = 26;
const PIXELS_PER_ROW = 19;
const PIXELS_PER_LETTER = 7.5;
const HEIGHT = 450;

/** Room beside a radar for the longest line of its titles. */
export function sideRoom(titles) {
    const longest = Math.max(0, ...titles.flatMap((title) => title.split("<br>")).map((line) => line.length));
    return Math.round(16 + PIXELS_PER_LETTER * longest);
}

/** The figure with the page's colours: `series` by number, `ramp` from low to high, and ink, muted, line, surface, font.
 * Column titles of a heatmap are left out where `width` has no room for them; they stand in the table and on hover. */
export function themed(figure, colours, width = Infinity) {
    const axis = { gridcolor: colours.line, linecolor: colours.line, zerolinecolor: colours.line, tickcolor: colours.line };
    const data = figure.data.map((trace) => {
        if (trace.type === "heatmap") {
            const last = colours.ramp.length - 1;
            const scale = colours.ramp.map((colour, step) => [step / last, colour]);
            return { ...trace, colorscale: scale, showscale: false };
        }
        const colour = colours.series[trace.meta.series - 1];
        const { text } = figure.data[0]; // of all series of a radar
        return { ...trace, text, line: { ...trace.line, color: colour }, marker: { ...trace.marker, color: colour } };
    });
    const layout = {
        ...figure.layout,
        paper_bgcolor: "rgba(0,0,0,0)",
        plot_bgcolor: "rgba(0,0,0,0)",
        font: { color: colours.ink, family: colours.font, size: 13 },
        hoverlabel: { bgcolor: colours.surface, bordercolor: colours.muted, font: { color: colours.ink } },
        dragmode: false,
    };
    if (layout.polar) {
        const { radialaxis, angularaxis } = layout.polar;
        const side = sideRoom(angularaxis.ticktext ?? []);
        layout.margin = { t: 48, r: side, b: 40, l: side };
        layout.height = Math.min(HEIGHT, width);
        layout.polar = {
            bgcolor: "rgba(0,0,0,0)",
            radialaxis: { ...axis, ...radialaxis, tickfont: { color: colours.muted } },
            angularaxis: { ...axis, ...angularaxis },
        };
    } else {
        layout.margin = { t: 16, r: 8, b: layout.xaxis.tickvals ? 8 : 32, l: 8 };
        const isNarrow = width < PIXELS_PER_TITLE * (layout.xaxis.tickvals?.length ?? 0);
        layout.xaxis = { ...axis, ...layout.xaxis, showgrid: false, zeroline: false, showticklabels: !isNarrow };
        layout.yaxis = { ...axis, ...layout.yaxis, showgrid: false, zeroline: false };
    }
    return { data, layout };
}

/** Which boxes must be closed, by index: those not ticked, once `most` are ticked. */
export function closedBoxes(ticked, most) {
    const isFull = ticked.filter(Boolean).length >= most;
    return ticked.map((isTicked) => isFull && !isTicked);
}

/** The figures of a radar with a row for each of its axes. The radar ends with its first axis, once more. */
export function dotsOf(radar) {
    const titles = radar.data[0].text.slice(0, -1).map((title, place) => `${place + 1} ${title}`);
    const data = radar.data.map(({ name, r, marker, meta }) => ({
        type: "scatter",
        mode: "markers",
        name,
        x: r.slice(0, -1),
        y: titles,
        marker,
        meta,
        hovertemplate: "%{y}: %{x}",
    }));
    const layout = {
        xaxis: { range: radar.layout.polar.radialaxis.range },
        yaxis: { autorange: "reversed", automargin: true, dtick: 1 },
        height: PIXELS_PER_ROW * titles.length + 60,
        showlegend: false,
    };
    return { data, layout };
}

const STEPS = 10;
/* No bar of buttons: its styles come with plotly.js in a <style>, which the content policy forbids. */
const CONFIG = { displayModeBar: false, responsive: true, showTips: false, scrollZoom: false };
const WORDS = { false: "Explore", true: "Back to the drawing" };

function readColours(section) {
    const probe = document.createElement("i");
    section.append(probe);
    const style = getComputedStyle(probe);
    const token = (name) => {
        probe.style.color = `var(${name})`; // as it is in the theme of now
        return hex(style.color);
    };
    const ramp = [];
    for (let step = 0; step < STEPS; step += 1) {
        probe.className = `heat-${step}`;
        ramp.push(mixed(token("--heat"), token("--surface"), parseFloat(style.getPropertyValue("--shade")) / 100));
    }
    const series = [1, 2, 3, 4, 5, 6].map((number) => token(`--series-${number}`));
    const found = {
        series,
        ramp,
        ink: token("--ink"),
        muted: token("--muted"),
        line: token("--line"),
        surface: token("--surface"),
        font: style.getPropertyValue("--sans").trim(),
    };
    probe.remove();
    return found;
}

/** "rgb(0, 114, 178)" as "#0072b2". */
export function hex(colour) {
    const parts = colour.match(/\d+/g).slice(0, 3).map(Number);
    return `#${parts.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

/** `share` of colour a in colour b; both "#rrggbb". */
export function mixed(a, b, share) {
    const parts = (colour) => [1, 3, 5].map((start) => parseInt(colour.slice(start, start + 2), 16));
    const [from, to] = [parts(b), parts(a)];
    const sum = from.map((value, place) => Math.round(value + (to[place] - value) * share));
    return `#${sum.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

/* Ids under which plotly.js looks for its styles before it writes them into a <style>, which the content policy forbids:
 * its own, which are in charts.css, and those of maps in the whole file of the Python package, which no chart here needs. */
const STYLES = ["plotly.js-style-global", "9f215cf04c5486422605d13261cb87401f4e7763b6296af81e98efbc0130da53"];

let bundle = null;

/** Loads plotly.js once; a failed attempt may be repeated. */
function loadBundle(address) {
    bundle ??= new Promise((resolve, reject) => {
        for (const id of STYLES.filter((one) => !document.getElementById(one))) {
            const sheet = document.createElement("link");
            sheet.id = id;
            sheet.className = "no-inline-styles";
            document.head.append(sheet);
        }
        const script = document.createElement("script");
        script.src = address;
        script.addEventListener("load", () => resolve(window.Plotly));
        script.addEventListener("error", () => {
            bundle = null;
            script.remove();
            reject(new Error(`${address} could not be loaded`));
        });
        document.head.append(script);
    });
    return bundle;
}

function watchFigure(section, chart) {
    const button = chart.querySelector("button");
    const plots = [...chart.querySelectorAll(".plot")];
    const say = chart.querySelector("output");
    const figure = JSON.parse(document.getElementById(chart.dataset.figure).textContent);

    const turn = (isShown) => {
        for (const plot of plots) {
            plot.hidden = !isShown;
            plot.parentElement.querySelector(":scope > svg")?.toggleAttribute("hidden", isShown);
        }
    };
    const show = async () => {
        const plotly = await loadBundle(section.dataset.bundle);
        turn(true);
        for (const [place, plot] of plots.entries()) {
            const { data, layout } = themed(place ? dotsOf(figure) : figure, readColours(section), plot.clientWidth);
            await plotly.newPlot(plot, data, layout, CONFIG);
        }
    };
    const press = async () => {
        const isShown = button.getAttribute("aria-expanded") === "true";
        if (isShown) {
            turn(false);
        } else {
            button.disabled = true;
            say.textContent = "Loading the chart";
            try {
                await show();
                say.textContent = "Chart to explore shown; its figures stand in the table below";
            } catch (error) {
                say.textContent = `The chart cannot be explored: ${error.message}. The drawing and its table are complete.`;
                say.classList.remove("sr");
                return;
            } finally {
                button.disabled = false;
            }
        }
        button.setAttribute("aria-expanded", String(!isShown));
        button.textContent = WORDS[!isShown];
    };
    button.addEventListener("click", press);
    button.hidden = false;
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
        if (!plots[0].hidden) {
            show();
        }
    });
}

function watchChoice(form) {
    const boxes = [...form.elements].filter((field) => field.type === "checkbox");
    const limit = () => {
        const closed = closedBoxes(boxes.map((box) => box.checked), Number(form.dataset.choose));
        boxes.forEach((box, place) => {
            box.disabled = closed[place];
        });
    };
    boxes.forEach((box) => box.addEventListener("change", limit));
    limit();
}

if (typeof document !== "undefined") {
    for (const section of document.querySelectorAll("[data-bundle]")) {
        section.querySelectorAll("[data-figure]").forEach((chart) => watchFigure(section, chart));
    }
    document.querySelectorAll("form[data-choose]").forEach(watchChoice);
}
