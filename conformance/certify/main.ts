import { several, text, whole, yes } from "../../base/flag.ts";
import { WrongUse } from "../../base/exit.ts";
import { jsonText } from "../../base/described.ts";
import { withTemporaryFolder } from "../../base/temporary-folder.ts";
import { verb, type Values } from "../../base/verb.ts";
import { requireWritable, writeFiles } from "../../base/write.ts";
import { badgeOf } from "../report/badge.ts";
import { junitReport } from "../report/junit.ts";
import { paintFor } from "../../base/paint.ts";
import { progress } from "../report/terminal.ts";
import { certificateOf, headline, judgedNothing, type Certificate } from "./certificate.ts";
import { certify } from "./certify.ts";
import { commandRun } from "./command.ts";
import { certificateHtml } from "./html.ts";
import { kinds, randomScenario, scenariosOf, type Scenario } from "./scenarios.ts";
import { openStage } from "./stage.ts";
import { certificateText } from "./text.ts";

const flags = {
  envUrl: text("--env-url <NAME>", "environment variable that gets the base URL").or("BASE_URL"),
  envKey: text("--env-key <NAME>", "environment variable that gets the API key").or("API_KEY"),
  only: several("--only <NAME...>", "only these scenarios, such as lost or lost@2"),
  seeds: whole(
    "--seeds <N>",
    "further runs: each a random lawful server with one fault, by a seed from 1; and as many without, for the bill",
    {
      least: 0,
      most: 100_000,
    },
  ).or(0),
  patient: yes("--patient", "also wait for half a minute and more, as Retry-After 30 asks"),
  parallel: whole("--parallel <N>", "runs of the command at the same time", { most: 64 }).or(1),
  strict: yes("--strict", "warnings and scenarios that were never met count as failures"),
  json: text("--json <FILE>", "where the certificate goes as JSON"),
  html: text("--html <FILE>", "where it goes as a page"),
  junit: text("--junit <FILE>", "where it goes as JUnit XML"),
  badge: text("--badge <FILE>", "where a badge goes, as SVG"),
};

/** Runs without a fault, at most, that the bill of random servers is compared with. */
const mostUsualRuns = 50;

/** The chosen scenarios. @throws WrongUse for an unknown name */
function chosen({ only, seeds, patient }: Values<typeof flags>): Scenario[] {
  const seeded = Array.from({ length: seeds }, (_, index) => randomScenario(index + 1));
  const all = scenariosOf({ patient: patient || only.length > 0 });
  if (only.length === 0) return [...all, ...seeded];
  return only.flatMap((name) => {
    const seed = /^seed-(\d{1,9})$/.exec(name)?.[1];
    if (seed !== undefined) return [randomScenario(Number(seed))];
    if (name === "baseline") return [];
    const named = all.filter(({ id, kind }) => id === name || kind.name === name);
    if (named.length > 0) return named;
    throw new WrongUse(
      `--only ${name} is not a scenario; known: ${kinds.map((kind) => kind.name).join(", ")}, each also with @1 or @2, and seed-N.`,
    );
  });
}

/** The flags that a repetition needs. */
const kept = ({ envUrl, envKey, patient }: Values<typeof flags>): string[] => [
  ...(envUrl === "BASE_URL" ? [] : ["--env-url", envUrl]),
  ...(envKey === "API_KEY" ? [] : ["--env-key", envKey]),
  ...(patient ? ["--patient"] : []),
];

const isBroken = ({ summary }: Certificate, strict: boolean): boolean =>
  summary.fail > 0 || (strict && summary.warn + summary.unverified > 0);

export default verb({
  flags,
  command: true,
  about: `Starts a separate server for each question and runs COMMAND against it, with the base URL and a key of a fresh
account in its environment: once without a fault, then once for each scenario. The server's books say what was paid.
COMMAND does the same tasks in each run, with at least one Call, and ends by itself. explain SCENARIO shows what a right
client does.`,
  run: async (flags, command) => {
    if (!command[0]) throw new WrongUse("certify needs a command after --, as in: certify -- node client.js");
    const scenarios = chosen(flags);
    await requireWritable(flags.json, flags.html, flags.junit, flags.badge);
    return withTemporaryFolder(async (folder) => {
      const startedAt = Date.now();
      const shown = progress(process.stderr);
      const stage = await openStage(folder);
      const certified = await certify({
        stage,
        run: commandRun(command, flags),
        scenarios,
        usualRuns: Math.max(2, Math.min(mostUsualRuns, flags.seeds)),
        parallel: flags.parallel,
        onProgress: (done) => shown.show(`${done} of ${scenarios.length} scenarios`),
      }).finally(() => stage.close());
      shown.clear();
      const certificate = certificateOf(certified, {
        command,
        options: kept(flags),
        envUrl: flags.envUrl,
        envKey: flags.envKey,
        startedAt,
      });
      console.log(certificateText(certificate, paintFor(process.stdout)));
      const broken = isBroken(certificate, flags.strict);
      await writeFiles([
        [flags.json, () => jsonText("certificate", certificate)],
        [flags.html, () => certificateHtml(certificate)],
        [
          flags.junit,
          () => junitReport({ ...certificate, target: certificate.command, party: "client", causes: [] }),
        ],
        [
          flags.badge,
          () =>
            badgeOf(
              "client of the contract",
              headline(certificate),
              broken ? "fail" : certificate.summary.unverified > 0 ? "doubt" : "pass",
            ),
        ],
      ]);
      return broken ? 1 : judgedNothing(certificate) ? 3 : 0;
    });
  },
});
