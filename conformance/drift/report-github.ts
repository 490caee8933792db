import type { ChangeClass } from "./kinds.ts";
import type { DriftReport } from "./change.ts";
import { messageOf } from "./report-sarif.ts";

const commands = { breaking: "error", risky: "warning", safe: null } as const satisfies Record<
  ChangeClass,
  string | null
>;

/** The report as workflow commands, which GitHub shows next to the lines of a pull request. Omits safe changes. */
export function githubReport(report: DriftReport): string {
  return report.changes
    .flatMap((change) => {
      const worst = commands[change.class];
      const command = worst !== null && change.since === "inherited" ? "notice" : worst;
      if (command === null || change.ignored !== null) return [];
      const place = change.at === null ? "" : `file=${property(change.at.file)},line=${change.at.line},`;
      const title = `${change.class}: ${change.kind}`;
      return `::${command} ${place}title=${property(title)}::${data(messageOf(change))}\n`;
    })
    .join("");
}

/** Text without the characters that would end a workflow command or begin another. */
const data = (text: string): string =>
  text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
