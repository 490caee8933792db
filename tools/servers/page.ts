import { readFileSync } from "node:fs";
import { format } from "prettier";
import { markdown } from "../../base/escaped.ts";
import type { Row } from "./row.ts";

const file = new URL("../../docs/servers.json", import.meta.url);

/** The judged servers, as they are stored. */
export const storedRows = (): Row[] => JSON.parse(readFileSync(file, "utf8")) as Row[];

/** Rows as a table of Markdown. */
const tableOf = async (rows: readonly Row[]): Promise<string> =>
  (await format(tableText(rows), { parser: "markdown" })).trim();

/** The rows that the README shows: enough to see what the columns say. */
export const readmeTable = (rows: readonly Row[] = storedRows()): Promise<string> =>
  tableOf(rows.slice(0, 6));

const tableText = (rows: readonly Row[]): string =>
  [
    "| server | shown | declines | answers wrongly | suite | day |",
    "| --- | ---: | ---: | ---: | --- | --- |",
    ...rows.map(
      ({ name, shown, asked, declined, wrong, suite, part, day }) =>
        `| ${markdown(name)} | ${shown} of ${asked} | ${declined} | ${wrong} | ${suite}${part === undefined ? "" : ` \`${part}\``} | ${day} |`,
    ),
  ].join("\n");

/** The page of the judged servers. */
export const serversPage = async (rows: readonly Row[] = storedRows()): Promise<string> => `# Servers checked

Clauses of the contract, by server. _Shown_ are those that a run verified, of those that it asked about. A server _declines_
what it declares off, or answers as not implemented; it _answers wrongly_ what it has and gets wrong. The two are never
added: a small right server is not worse than a large wrong one. The remaining clauses are unverified for want of
something, such as a second key.

${await tableOf(rows)}

The impostors are servers that look right and are wrong as a whole; the fewer clauses they show, the better the suite.

\`npm run servers\` checks again what this repository can start. \`npm run servers -- --add report.json --name "My server"\`
takes the line of a report that \`--json\` has written: send it as a pull request.
`;
