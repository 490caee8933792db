import type { Figures } from "./engine/figures.ts";
import type { Judgement } from "./judgement.ts";

/** Interval in milliseconds between updates of the display. */
const interval = 500;

/**
 * Shows the current activity with the figures so far, twice a second.
 */
export function live(
  say: (text: string) => void,
  { figures, judgement }: { figures: Figures; judgement: Judgement },
): { say: (text: string) => void; stop: () => void } {
  let doing = "";
  let before = 0;
  const show = (): void => {
    const answers = figures.answers;
    const rate = ((answers - before) * 1000) / interval;
    before = answers;
    const faults = judgement.findings.length;
    say(`${doing} · ${answers} answers, ${rate} a second, ${faults} faults, ${figures.failed} failed`);
  };
  const timer = setInterval(show, interval);
  return {
    say: (text) => {
      doing = text;
      say(text);
    },
    stop: () => clearInterval(timer),
  };
}
