import { readFileSync } from "node:fs";

/** The page's style sheet: light and dark, from a phone's width up, and on paper. */
export const style = readFileSync(new URL("report.css", import.meta.url), "utf8");
