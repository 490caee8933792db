import { plain } from "../../base/plain.ts";
import { marks } from "../report/marks.ts";
import type { Paint } from "../report/terminal.ts";
import { figureWords, foundIn, headline, type Certificate, type CertifiedScenario } from "./certificate.ts";

/** A certificate for a terminal: what was found, what was never met, and the figures. */
export function certificateText(certificate: Certificate, paint: Paint): string {
  const { checks, figures, command, duration_ms } = certificate;
  const found = foundIn(certificate);
  const unmet = checks.filter(({ verdict }) => verdict === "unverified");
  return [
    ...found.flatMap(([first, ...others]) => [
      ...scenarioLines(first, paint),
      ...(others.length === 0 ? [] : [`    the same  ${others.map(({ id }) => id).join(" ")}`]),
    ]),
    ...(unmet.length === 0 ? [] : ["", paint("magenta", "? unverified")]),
    ...[...Map.groupBy(unmet, ({ reason }) => reason ?? "")].flatMap(([reason, some]) => [
      `  ${plain(reason)}`,
      paint("gray", `    ${some.map(({ id }) => id).join(" ")}`),
    ]),
    "",
    `${plain(command)}: ${checks.length} runs, ${(duration_ms / 1000).toFixed(1)} s`,
    ...figureWords.map(([name, words]) => `  ${String(figures[name]).padStart(8)} ${words}`),
    paint(certificate.summary.fail > 0 ? "red" : "bold", headline(certificate)),
  ].join("\n");
}

function scenarioLines(
  { id, title, verdict, reason, problems, right, repeat }: CertifiedScenario,
  paint: Paint,
): string[] {
  const colour = verdict === "fail" ? "red" : "yellow";
  return [
    "",
    `${paint(colour, `${marks[verdict].sign} ${id}`)} ${title}`,
    ...(problems.length === 0 && reason !== null ? [`    ${plain(reason)}`] : []),
    ...problems.flatMap(({ fault, level, clause, expected, received }) => [
      `    ${paint("bold", fault)}${clause === null ? "" : ` (${clause}, ${level})`}`,
      `      expected  ${plain(expected)}`,
      `      received  ${plain(received)}`,
    ]),
    `    right     ${plain(right.replaceAll("`", ""))}`,
    `    repeat    ${paint("cyan", plain(repeat))}`,
  ];
}
