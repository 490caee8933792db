import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { exitingWith, WrongUse } from "../../base/exit.ts";
import { text } from "../../base/flag.ts";
import { verb } from "../../base/verb.ts";
import { judgeDemo } from "../../conformance/demo/main.ts";
import { openStage } from "../../conformance/proof/stage.ts";
import { impostors } from "../../conformance/proof/impostors/index.ts";
import { readReport } from "../../conformance/report/judge-again.ts";
import { reportOf, type Report } from "../../conformance/report/report.ts";
import { demo } from "../../conformance/run/demo/demo.ts";
import { judge } from "../../conformance/run/library.ts";
import { run } from "../../conformance/run/run.ts";
import type { Profile } from "../../conformance/server/profile.ts";
import { checks } from "../../conformance/suite/checks.ts";
import { rules } from "../../conformance/suite/rules.ts";
import { lastRelease, withRelease, withServerOf } from "../release/last-release.ts";
import { readmeTable, serversPage, storedRows } from "./page.ts";
import { rowOf, type Row } from "./row.ts";

const [begin, end] = ["<!-- servers -->", "<!-- end of the servers -->"];
/** What the names of impostors begin with. */
const ofImpostors = "impostor: ";
const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));

/** Judges the servers that this repository can start, one after another. */
async function* judged(): AsyncGenerator<[name: string, report: Report]> {
  yield ["reference server", await demo((profile) => judge(profile))];
  const release = lastRelease();
  const old = await withRelease(release, (folder) => withServerOf(folder, (profile) => judge(profile)));
  yield [`reference server of ${release}`, old];
  yield ["the demo's server: first operations, three faults", { ...(await judgeDemo()), part: "--fast" }];
  const stage = await openStage();
  try {
    for (const impostor of impostors) {
      const report = await stage.perform({}, (profile) => {
        // Waiting is pointless: an impostor has no late effects.
        const hasty: Profile = { ...profile, audit_lag: 0, mail_lag: 0.2 };
        return impostor.perform(stage, hasty, async (its) =>
          reportOf(await run(its, { checks, rules, fast: true, anyKind: true }), its),
        );
      });
      yield [`${ofImpostors}${impostor.name}`, { ...report, part: "--fast" }];
    }
  } finally {
    await stage.close();
  }
}

/** Writes the rows, the page, and the first rows of the README. Servers that mean to be right come first. */
async function writeRows(all: readonly Row[]): Promise<void> {
  const isImpostor = ({ name }: Row): boolean => name.startsWith(ofImpostors);
  const rows = all.toSorted((one, other) => Number(isImpostor(one)) - Number(isImpostor(other)));
  await writeFile(path("docs/servers.json"), `${JSON.stringify(rows, null, 2)}\n`);
  await writeFile(path("docs/servers.md"), await serversPage(rows));
  const readme = await readFile(path("README.md"), "utf8");
  const [before, after] = [readme.indexOf(begin), readme.indexOf(end)];
  if (before < 0 || after < 0) throw new WrongUse(`README.md has no ${begin} and ${end}`);
  const table = await readmeTable(rows);
  await writeFile(
    path("README.md"),
    `${readme.slice(0, before + begin.length)}\n\n${table}\n\n${readme.slice(after)}`,
  );
}

const main = verb({
  flags: {
    add: text("--add <FILE>", "a report that --json has written, of any server: only its line is renewed"),
    name: text("--name <NAME>", "the server's name in the table (with --add)"),
  },
  about: "Renews docs/servers.md: what each judged server shows, declines and answers wrongly.",
  async run({ add, name }) {
    const rows = new Map(storedRows().map((row) => [row.name, row]));
    if ((add === undefined) !== (name === undefined)) throw new WrongUse("--add and --name belong together");
    if (add !== undefined) rows.set(name!, rowOf(name!, await readReport(add)));
    else
      for await (const [server, report] of judged()) {
        const row = rowOf(server, report);
        console.log(`${server}: ${row.shown} shown, ${row.declined} declined, ${row.wrong} wrong`);
        rows.set(server, row);
        await writeRows([...rows.values()]);
      }
    await writeRows([...rows.values()]);
  },
});

await exitingWith(() => main.run("npm run servers --", process.argv.slice(2)));
