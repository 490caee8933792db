import { setFlagsFromString } from "node:v8";
import { jsonText } from "../../base/described.ts";
import { onStop, WrongUse } from "../../base/exit.ts";
import { baseUrl, number, text, valueOf, wait, wrongValue, yes } from "../../base/flag.ts";
import { verb, type Values } from "../../base/verb.ts";
import { requireWritable, writeFiles } from "../../base/write.ts";
import { keyFault } from "../../base/written.ts";
import { isDay, microsIn, momentOf } from "../judge/instant.ts";
import { paintFor } from "../../base/paint.ts";
import { progress } from "../report/terminal.ts";
import { defaultProfile, readProfile, type Profile } from "../server/profile.ts";
import { reconciliationHtml } from "./html.ts";
import { reconcile } from "./reconcile.ts";
import { anomaliesCsv, isBroken, isEmpty, reconciliationOf } from "./reconciliation.ts";
import { Recorded } from "./recording.ts";
import { readState, StateFile } from "./state.ts";
import { reconciliationText } from "./text.ts";

const moment = (spelled: string, help: string, ofDay: (micros: number) => number) =>
  valueOf(spelled, help, (text, name) => {
    const micros = momentOf(text);
    if (micros === undefined) return wrongValue(name, "a date or an ISO 8601 time, such as 2026-11-01", text);
    return Math.floor((isDay(text) ? ofDay(micros) : micros) / 1000);
  });

const flags = {
  baseUrl: baseUrl(),
  profile: text("--profile <FILE>", "what the server is and has: credentials.account, features (YAML)"),
  key: text("--key <KEY>", "the account's API key; better in the environment").env("API_KEY"),
  from: moment("--from <TIME>", "begin here; by default with the account's first row", (day) => day),
  to: moment(
    "--to <TIME>",
    "end here, a date being that day's end in UTC; by default once the newest rows are final",
    (day) => day + microsIn.day - 1000,
  ),
  all: yes("--all", "read exports, feed and settlements of every row, however many there are"),
  recording: text("--recording <FILE>", "your own traffic (HAR): what your client saw, against the charge"),
  state: text("--state <FILE>", "where an interrupted run keeps its place, and continues from"),
  rate: number("--rate <N>", "the most requests a second"),
  wait: wait(),
  strict: yes("--strict", "what a `should` forbids counts too"),
  json: text("--json <FILE>", "where the report goes as JSON"),
  html: text("--html <FILE>", "where it goes as a page"),
  csv: text("--csv <FILE>", "where the anomalies go as CSV, with their ids and amounts"),
};

/** The exit status where there was nothing to judge. */
const nothingJudged = 3;
/** The exit status after Ctrl-C, as shells have it. */
const interrupted = 130;

async function profileOf({ profile: file, baseUrl: url }: Values<typeof flags>): Promise<Profile> {
  if (file !== undefined) return readProfile(file, url);
  if (url === undefined) throw new WrongUse("reconcile needs a server: give --base-url or --profile");
  return defaultProfile(url);
}

function keyOf(profile: Profile, keyFlag: string | undefined): string {
  const key = keyFlag ?? profile.credentials.account;
  if (key === undefined)
    throw new WrongUse("reconcile needs a key: set API_KEY, or credentials.account in the profile");
  const fault = keyFault(key);
  if (fault !== null) throw new WrongUse(`the key must be ${fault}`);
  return key;
}

/** Lets the heap grow slowly: nearly all that is read becomes garbage. Far below 130 % V8 collects often. */
function spareMemory(): void {
  for (const flag of ["--semi-space-growth-factor=1", "--heap-growing-percent=130"]) setFlagsFromString(flag);
}

async function run(values: Values<typeof flags>): Promise<number> {
  spareMemory();
  const { from, to } = values;
  if (from !== undefined && to !== undefined && from >= to) throw new WrongUse("--from must be before --to");
  const profile = await profileOf(values);
  const key = keyOf(profile, values.key);
  await requireWritable(values.json, values.html, values.csv, values.state);
  const state = values.state === undefined ? undefined : await readState(values.state, profile.base_url);
  const stateFile = values.state === undefined ? null : new StateFile(values.state);
  const recorded =
    values.recording === undefined ? undefined : await Recorded.read(values.recording, profile.base_url, key);
  const line = progress(process.stderr);
  const stop = new AbortController();
  const stopListening = onStop(() => stop.abort());
  try {
    const done = await reconcile(profile, {
      ...values,
      key,
      state,
      recorded,
      waitSeconds: values.wait,
      signal: stop.signal,
      onWait: (what) => line.show(what),
      onProgress: (what) => line.show(what),
      onState: async (at) => stateFile?.keep(at, stop.signal.aborted),
    });
    line.clear();
    const report = reconciliationOf(profile.base_url, done);
    console.log(reconciliationText(report, paintFor(process.stdout)));
    await writeFiles([
      [values.json, () => jsonText("reconciliation", report)],
      [values.html, () => reconciliationHtml(report)],
      [values.csv, () => anomaliesCsv(report)],
    ]);
    if (done.interrupted) return interrupted;
    await stateFile?.end();
    return isEmpty(report) ? nothingJudged : isBroken(report, values.strict) ? 1 : 0;
  } finally {
    stopListening();
    line.clear();
  }
}

export default verb({
  flags,
  about: `Checks that what an account reads about itself agrees: usage, ledger, summaries, exports, feed, settlements,
credits spent and balance, by the rules of the suite. Sends only GETs. Each anomaly is reported with its ids, amounts
and clause.`,
  run,
});
