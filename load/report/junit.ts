import { xml } from "../../base/escaped.ts";
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
  const totals = `tests="${cases.length}" failures="${failures}" time="${(duration_ms / 1000).toFixed(3)}"`;
  const lines = cases.flatMap(({ name, failure, output }) => [
    `    <testcase classname="load.${xml(scenario)}" name="${xml(name)}">`,
    ...(failure === undefined ? [] : [`      <failure message="${xml(failure)}"/>`]),
    ...(output === undefined ? [] : [`      <system-out>${xml(output)}</system-out>`]),
    "    </testcase>",
  ]);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${xml(target)}" ${totals}>`,
    `  <testsuite name="load ${xml(scenario)}" ${totals} timestamp="${xml(report.started_at)}">`,
    `    <properties><property name="judged" value="${xml(judgedLine(report))}"/></properties>`,
    ...lines,
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}
