import { xml } from "../../../base/escaped.ts";
import type { Bar } from "./contradiction.ts";

const width = 720;
const barHeight = 16;
const rowHeight = 44;
const top = 34;
const side = 14;
/** Characters of a label that fit into the width. */
const maxLabel = 105;

/**
 * Operations as bars in time, as SVG: overlap and order are true to the times, distances are not, so that a bar of a
 * millisecond can be seen next to one of seconds. What cannot be reconciled is drawn in red.
 */
export function pictureOf(bars: readonly Bar[]): string {
  const start = Math.min(...bars.map(({ begin }) => begin));
  const times = [...new Set(bars.flatMap(({ begin, end }) => (end === null ? [begin] : [begin, end])))].sort(
    (one, other) => one - other,
  );
  const step = (width - 2 * side) / Math.max(1, times.length);
  const x = (at: number | null): number => (at === null ? width - side : side + times.indexOf(at) * step);
  const height = top + bars.length * rowHeight + 8;
  const axis = times.map(
    (at) =>
      `<line class="tick" x1="${x(at).toFixed(1)}" y1="${top - 8}" x2="${x(at).toFixed(1)}" y2="${height - 6}"/>` +
      `<text class="time" x="${x(at).toFixed(1)}" y="${top - 14}">${at === start ? "0 ms" : (at - start).toFixed(1)}</text>`,
  );
  const drawn = bars.map(({ label, begin, end, isWrong }, row) => {
    const y = top + row * rowHeight;
    const kind = `bar${isWrong ? " wrong" : ""}${end === null ? " open" : ""}`;
    return (
      `<rect class="${kind}" x="${x(begin).toFixed(1)}" y="${y + 18}" width="${Math.max(4, x(end) - x(begin)).toFixed(1)}" height="${barHeight}" rx="3"/>` +
      `<text class="label${isWrong ? " wrong" : ""}" x="${side}" y="${y + 12}">${isWrong ? "✗ " : ""}${xml(label.length > maxLabel ? `${label.slice(0, maxLabel)}…` : label)}</text>`
    );
  });
  return (
    `<svg class="history" viewBox="0 0 ${width} ${height}" role="img" aria-label="${xml(`Operations in time, in milliseconds: ${bars.map(({ label }) => label).join("; ")}`)}">` +
    `${axis.join("")}${drawn.join("")}</svg>`
  );
}

/** The bars as text, one a line, with their times in milliseconds since the first. */
export function barsAsText(bars: readonly Bar[]): string[] {
  const start = Math.min(...bars.map(({ begin }) => begin));
  return bars.map(({ label, begin, end, isWrong }) => {
    const from = (begin - start).toFixed(1);
    return `${isWrong ? "✗" : " "} ${from}–${end === null ? "?" : (end - start).toFixed(1)} ms  ${label}`;
  });
}
