import { html, type Markup } from "../report/html-markup.ts";
import type { BalancePoint } from "./balance-course.ts";

const width = 720;
const height = 180;
const left = 70;
const [top, bottom] = [12, 24];

/**
 * The balances that the ledger's entries state, and what the entries add up to, over time. Where the lines part, the
 * balance moved by something that no entry shows, or an entry moved nothing.
 * @returns nothing for fewer than two entries, and where they state no balance
 */
export function balancePicture(points: readonly BalancePoint[]): Markup | null {
  const stated = points.flatMap(({ at, stated: balance }) => (balance === null ? [] : [{ at, balance }]));
  if (stated.length < 2) return null;
  const summed = points.map(({ at, summed: balance }) => ({ at, balance }));
  const all = [...stated, ...summed].map(({ balance }) => balance);
  const [least, most] = [Math.min(0, ...all), Math.max(...all)];
  const [first, last] = [points[0]!.at, points.at(-1)!.at];
  const x = (at: number): number => left + ((at - first) / Math.max(1, last - first)) * (width - left - 8);
  const y = (balance: number): number =>
    top + ((most - balance) / Math.max(1e-6, most - least)) * (height - top - bottom);
  const line = (some: readonly { at: number; balance: number }[]): string =>
    some.map(({ at, balance }) => `${x(at).toFixed(1)},${y(balance).toFixed(1)}`).join(" ");
  const day = (at: number): string => new Date(at).toISOString().slice(0, 16).replace("T", " ");
  return html`<div class="balance" tabindex="0" role="group" aria-label="Balance over time">
      <svg viewBox="0 0 ${width} ${height}" role="img" aria-label="From ${day(first)} to ${day(last)}">
        <text class="end" x="${left - 8}" y="${y(most) + 4}">${short(most)}</text>
        <text class="end" x="${left - 8}" y="${y(least) + 4}">${short(least)}</text>
        <line class="axis" x1="${left}" x2="${width - 8}" y1="${y(least)}" y2="${y(least)}" />
        <polyline class="stated" points="${line(stated)}" />
        <polyline class="summed" points="${line(summed)}" />
        <text x="${left}" y="${height - 6}">${day(first)}</text>
        <text class="end" x="${width - 8}" y="${height - 6}">${day(last)} UTC</text>
      </svg>
    </div>
    <p class="note">
      Credits over time. Solid: the balance that each entry states; dashed: what the entries add up to. Where
      the lines part, an entry is missing, or says another amount than it moved.
    </p>`;
}

const short = (credits: number): string => String(Number(credits.toPrecision(6)));
