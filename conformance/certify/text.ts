import { plain } from "../../base/plain.ts";
import { marks } from "../report/marks.ts";
import type { Paint } from "../../base/paint.ts";
import { billRows } from "./bill.ts";
import { foundIn, headline, judgedLine, type Certificate, type CertifiedScenario } from "./certificate.ts";

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
    `${plain(command)}: ${checks.length} ${checks.length === 1 ? "run" : "runs"}, ${(duration_ms / 1000).toFixed(1)} s`,
    ...(figures.tasks === 0 ? whyIdle(certificate) : billLines(certificate)),
    paint(certificate.summary.fail > 0 ? "red" : "bold", headline(certificate)),
    judgedLine(certificate),
  ].join("\n");
}

/** The bill as a table of two columns. */
function billLines({ bill: { without_faults: without, with_faults: faulty } }: Certificate): string[] {
  const line = (words: string, one: string, other: string): string =>
    `  ${words.padEnd(50)}${one.padStart(16)}${other.padStart(16)}`;
  return [
    line("", "without a fault", "with faults"),
    ...billRows.map(([words, cell]) => line(words, cell(without), faulty.runs === 0 ? "" : cell(faulty))),
  ];
}

/** What may have kept a client from its first Call: how it gets its address and key, and what it said itself. */
const whyIdle = ({ checks: [baseline], variables: { base_url: url, key } }: Certificate): string[] => [
  `  It gets its base URL in ${url}, such as http://127.0.0.1:41234/api/v1 (http, not https), and its key in ${key}.`,
  "  Others are named with --env-url and --env-key; for an argument or a file, run it by a shell:",
  `    certify -- sh -c 'client --url "$${url}" --key "$${key}"'`,
  ...(baseline!.errors.length === 0
    ? ["  It printed nothing on its standard error."]
    : ["  The last lines of its standard error:", ...baseline!.errors.map((line) => `    ${plain(line)}`)]),
];

function scenarioLines(
  { id, title, verdict, reason, problems, right, repeat, errors }: CertifiedScenario,
  paint: Paint,
): string[] {
  const colour = verdict === "fail" ? "red" : "yellow";
  return [
    "",
    `${paint(colour, `${marks[verdict].sign} ${id}`)} ${title}`,
    ...(problems.length === 0 && reason !== null ? [`    ${plain(reason)}`] : []),
    ...problems.flatMap(({ fault, level, clause, expected, received, hint }) => [
      `    ${paint("bold", fault)}${clause === null ? "" : ` (${clause}, ${level})`}`,
      `      expected  ${plain(expected)}`,
      `      received  ${plain(received)}`,
      ...(hint === undefined ? [] : [`      hint      ${plain(hint)}`]),
    ]),
    ...(problems.length === 0
      ? []
      : errors.slice(-3).map((line) => paint("gray", `    stderr    ${plain(line)}`))),
    `    right     ${plain(right.replaceAll("`", ""))}`,
    `    repeat    ${paint("cyan", plain(repeat))}`,
  ];
}
