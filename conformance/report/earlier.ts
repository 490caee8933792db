import { condition, namesIn, type Expected, type Fact, type Received } from "../judge/fact.ts";
import type { Finding, Known } from "../judge/finding.ts";
import type { Report, ReportedCheck } from "./format.ts";
import { summaryOf } from "./report.ts";

/*
 * Reports of 0.1.0 keep sentences where later ones keep data. They are read here, at the edge, and nowhere else.
 */

/** A report as this release writes it. */
export function current(report: Report): Report {
  const checks = report.checks.map(currentCheck);
  return { ...report, checks, ...(report.summary && { summary: summaryOf(checks) }) };
}

function currentCheck(check: ReportedCheck): ReportedCheck {
  if (check.fact !== undefined) return check;
  const { expected, received } = check;
  return {
    ...check,
    ...ruleOf(check),
    ...(expected !== null && { fact: factOf(expected, received ?? "nothing") }),
    ...knownOf(check),
  };
}

/** What a finding says of its rule: the earliest reports say it in the id alone. */
function ruleOf({ id, rule }: ReportedCheck): Pick<Finding, "rule"> {
  const field = /^[A-Z]+-\d+\/[A-Za-z]+-\d{3}-(.+)$/.exec(id)?.[1] ?? null;
  if (rule === undefined && field === null && !id.endsWith("/always")) return {};
  return { rule: rule ?? { field } };
}

/** A known failure: it was not applicable, for a reason that begins so. */
function knownOf({ verdict, reason, expected }: ReportedCheck): Partial<ReportedCheck> {
  const [, why, until, said, since, rest] =
    /^(listed as a known failure|inherited, red since)(?: until (\S+) \(([^)]*)\))?(?: (\d{4}-\d\d-\d\d))?[^:]*: (.*)$/s.exec(
      reason ?? "",
    ) ?? [];
  if (verdict !== "not_applicable" || why === undefined) return {};
  const known: Known = {
    by: why.startsWith("listed") ? "list" : "base",
    verdict: expected === null ? "blocked" : "fail",
    ...(until !== undefined && { until }),
    ...(said !== undefined && { reason: said }),
    ...(since !== undefined && { since }),
  };
  return { verdict: "known", reason: rest!, known };
}

const kinds = /^(?:(?:string|number|integer|boolean|object|array|null)(?: or |$|, ))+/;

/** Two sentences of 0.1.0 as data. */
export function factOf(expected: string, received: string): Fact {
  const status = /^(?:status (\d{3}(?: or \d{3})*)|(the status of .*): (\d{3}(?: or \d{3})*))$/.exec(
    expected,
  );
  const came = /^(?:status )?(\d{3})\b(?: with (.*))?/s.exec(received);
  if (status && came) {
    const statuses = (status[1] ?? status[3]!).split(" or ").map(Number);
    const answer = { status: Number(came[1]), ...(came[2] !== undefined && { text: came[2] }) };
    return {
      ...condition(expected, ""),
      kind: "status",
      subject: status[2] ?? null,
      expected: { statuses },
      received: answer,
    };
  }
  const header = /^(?:headers? )?(\w+-[\w-]+)/.exec(expected)?.[1];
  if (header !== undefined)
    return condition(expected, "", { kind: "header", place: header, received: valueIn(received) });
  const [, subject, wanted] = /^(.+?): (.*)$/s.exec(expected) ?? [];
  if (subject === undefined || wanted === undefined)
    return condition(expected, "", {
      ...(expected.startsWith("the envelope") && { kind: "envelope" }),
      received: valueIn(received),
    });
  if (subject.startsWith("the envelope"))
    return condition(expected, "", { kind: "envelope", received: valueIn(received) });
  const isPath = /^[a-z_]\w*(?:\.\w+)*$/.test(subject);
  return {
    kind: kinds.test(wanted) ? "member" : "value",
    place: isPath ? subject : null,
    subject: isPath ? null : subject,
    names: namesIn(subject),
    expected: wantedIn(wanted),
    received: valueIn(received),
  };
}

function wantedIn(wanted: string): Expected {
  if (kinds.test(wanted)) {
    const [types, ...bounds] = wanted.split(", ");
    return { types: types!.split(" or "), bounds };
  }
  if (wanted === "to be empty" || wanted === "not to be empty")
    return { size: wanted === "to be empty" ? "empty" : "not empty" };
  if (wanted === "nothing") return { value: undefined };
  const value = parsed(wanted);
  return value === undefined ? { words: wanted } : { value };
}

function valueIn(received: string): Received {
  if (received === "nothing") return {};
  const value = parsed(received);
  return value === undefined ? { words: received } : { value };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
