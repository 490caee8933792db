import { element, junit, secondsOf } from "../../base/junit.ts";
import { countsOf, judgedLine, measuredWords, type LoadReport } from "./load-report.ts";

interface Case {
  name: string;
  failure?: string;
  output?: string;
}

/** The report as JUnit XML: a case for each finding, each condition, and the end of the load. */
export function junitReport(report: LoadReport): string {
  const { scenario, target, findings, thresholds, ended, judged, duration_ms } = report;
  const cases: Case[] = [
    {
      name: "the load ran to its end",
      ...(ended == null ? {} : { failure: ended.text }),
    },
    ...(countsOf(findings).faults === 0
      ? [{ name: `the ${judged} exchanges judged keep the contract` }]
      : []),
    ...findings.map(({ name, title, verdict, clauses, expected, received, count }): Case => {
      const detail =
        `${clauses.join(" ")}\nexpected ${expected}\nreceived ${received}; ${count} times`.trim();
      return {
        name: `${name}: ${title}`,
        ...(verdict === "fail" ? { failure: detail } : { output: detail }),
      };
    }),
    ...thresholds.map((held): Case => {
      const { text, kept } = held;
      return { name: text, ...(kept ? { output: measuredWords(held) } : { failure: measuredWords(held) }) };
    }),
  ];
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  const totals = { tests: cases.length, failures, time: secondsOf(duration_ms) };
  const suite = {
    attributes: { name: `load ${scenario}`, ...totals, timestamp: report.started_at },
    judged: judgedLine(report),
    cases: cases.map(({ name, failure, output }) => ({
      attributes: { classname: `load.${scenario}`, name },
      outcome: [
        ...(failure === undefined ? [] : [element("failure", { message: failure })]),
        ...(output === undefined ? [] : [element("system-out", {}, output)]),
      ],
    })),
  };
  return junit({ name: target, ...totals }, [suite]);
}
