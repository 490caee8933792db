import { xml } from "./escaped.ts";

type Attributes = Readonly<Record<string, string | number>>;

/** Test cases that are reported together, each with the elements that say what came of it; without one it passed. */
export interface Suite {
  attributes: Attributes;
  /** How much it judged. */
  judged?: string | undefined;
  cases: readonly { attributes: Attributes; outcome: readonly string[] }[];
}

const opening = (name: string, attributes: Attributes): string =>
  [`<${name}`, ...Object.entries(attributes).map(([key, value]) => `${key}="${xml(String(value))}"`)].join(
    " ",
  );

/** An element with a text, or with attributes only. */
export const element = (name: string, attributes: Attributes, text?: string): string =>
  `${opening(name, attributes)}${text === undefined ? "/>" : `>${xml(text)}</${name}>`}`;

/** A duration as JUnit has it, in seconds. */
export const secondsOf = (milliseconds: number): string => (milliseconds / 1000).toFixed(3);

/** A report as JUnit XML, for CI systems. */
export function junit(attributes: Attributes, suites: readonly Suite[]): string {
  const lines = suites.flatMap(({ attributes, judged, cases }) => [
    `  ${opening("testsuite", attributes)}>`,
    judged === undefined
      ? []
      : `    <properties>${element("property", { name: "judged", value: judged })}</properties>`,
    ...cases.flatMap(({ attributes, outcome }) => [
      `    ${opening("testcase", attributes)}>`,
      ...outcome.map((line) => `      ${line}`),
      "    </testcase>",
    ]),
    "  </testsuite>",
  ]);
  const head = ['<?xml version="1.0" encoding="UTF-8"?>', `${opening("testsuites", attributes)}>`];
  return [...head, ...lines.flat(), "</testsuites>", ""].join("\n");
}
