import type { Script } from "../judge/finding.ts";
import type { ReportedCheck } from "./report.ts";
import { plain } from "../../base/plain.ts";
import type { Paint } from "../../base/paint.ts";

/** All traffic of one check, as `--replay` shows it, and the script that shows its failure. */
export function traceOf(check: ReportedCheck, paint: Paint): string {
  const lines = [paint("bold", `${check.id}: ${check.title}`)];
  for (const [index, exchange] of check.exchanges.entries()) {
    const mark = index === check.culprit ? paint("red", "  ← this one") : "";
    lines.push("", `${paint("cyan", `→ ${exchange.method} ${exchange.url}`)}${mark}`);
    lines.push(...headed(exchange.request.headers, exchange.request.body));
    lines.push(paint("cyan", `← ${exchange.status ?? "no answer"} after ${exchange.duration_ms} ms`));
    if ("error" in exchange.response) lines.push(`  ${plain(exchange.response.error ?? "")}`);
    else lines.push(...headed(exchange.response.headers, exchange.response.body));
  }
  if (check.script !== undefined) lines.push("", ...scriptLines(check.script, paint));
  return lines.join("\n");
}

/** The script that shows a failure, to be copied. */
const scriptLines = ({ shell, requests, is_repeated: isRepeated }: Script, paint: Paint): string[] => [
  paint(
    "bold",
    isRepeated
      ? `A script that shows it, as it did when it was sent again (${requests} requests):`
      : `The requests that showed it (${requests}; they were not seen to show it again):`,
  ),
  "",
  ...shell.split("\n").map(plain),
];

const headed = (headers: Record<string, string>, body: string | null): string[] =>
  [...Object.entries(headers).map((pair) => pair.join(": ")), ...(body ? ["", ...body.split("\n")] : [])].map(
    (line) => line && `  ${plain(line)}`,
  );
