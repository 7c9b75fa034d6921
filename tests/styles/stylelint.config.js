/* `make lint`: every colour, size, space and radius of a style sheet is a token of static/css/tokens.css, and every custom
 * property that is read is set somewhere. */
import { readFileSync, readdirSync } from "node:fs";

const FOLDER = new URL("../../static/css/", import.meta.url);
const sheets = readdirSync(FOLDER, { recursive: true }).filter((name) => name.endsWith(".css"));
const text = sheets.map((name) => readFileSync(new URL(name, FOLDER), "utf8")).join("\n");
const set = [...text.matchAll(/^\s*--([\w-]+):/gm)].map((found) => found[1]);
const UNKNOWN = new RegExp(`var\\(--(?!(${set.join("|")})[,)])`);
const LENGTHS = ["px", "rem", "em", "pt"];

export default {
    rules: {
        "block-no-empty": true,
        "color-named": "never",
        "color-no-hex": true,
        "declaration-block-no-duplicate-properties": true,
        "declaration-block-no-shorthand-property-overrides": true,
        "declaration-property-unit-disallowed-list": {
            "/^(margin|padding|gap|row-gap|column-gap)/": [...LENGTHS, "ch"],
            "/^font(-size)?$/": [...LENGTHS, "%"],
            "/radius/": [...LENGTHS, "%"],
        },
        "declaration-property-value-disallowed-list": { "/.*/": [UNKNOWN] },
        "function-disallowed-list": ["/^(rgb|hsl|lab|lch|oklab|oklch|hwb|color)a?$/"],
        "no-duplicate-selectors": true,
        "property-no-unknown": true,
    },
    overrides: [{ files: ["**/tokens.css"], rules: { "color-no-hex": null, "declaration-property-unit-disallowed-list": null } }],
};
