import type { ReportedCheck } from "./report.ts";
import { plain } from "../../base/plain.ts";
import type { Paint } from "../../base/paint.ts";

/** All traffic of one check, as `--replay` shows it. */
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
  return lines.join("\n");
}

const headed = (headers: Record<string, string>, body: string | null): string[] =>
  [...Object.entries(headers).map((pair) => pair.join(": ")), ...(body ? ["", ...body.split("\n")] : [])].map(
    (line) => line && `  ${plain(line)}`,
  );
