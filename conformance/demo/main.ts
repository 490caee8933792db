import { text } from "../../base/flag.ts";
import { verb } from "../../base/verb.ts";
import { writeFiles } from "../../base/write.ts";
import { htmlReport } from "../report/html.ts";
import type { Report } from "../report/report.ts";
import { paintFor } from "../../base/paint.ts";
import { terminalReport } from "../report/terminal.ts";
import { judge } from "../run/library.ts";
import { defaultProfile, type Feature, type Profile } from "../server/profile.ts";
import { startServer, type Demo } from "./server.ts";

/** What the demo's server does not have. */
const missing: readonly Feature[] = [
  "probe",
  "capabilities",
  "delegation",
  "claim",
  "jwt",
  "rate_limits",
  "truncation",
  "projection",
  "usage",
  "ledger",
  "chinese",
];

export default verb({
  flags: { html: text("--html <FILE>", "where the page goes").or("demo.html") },
  about: `Starts a small server with three faults in this process, judges it over HTTP, and writes the page of the report.
Needs no server, no account and no network.`,
  async run({ html }) {
    const report = await judgeDemo();
    console.log(terminalReport(report, paintFor(process.stdout), { show: "causes" }));
    await writeFiles([[html, () => htmlReport(report)]]);
    console.log(
      "\nThat was a server with three faults. Judge your own: capability-contract conformance --base-url URL",
    );
  },
});

/** Starts the demo's server, judges it, and stops it. */
export async function judgeDemo(): Promise<Report> {
  const server = await startServer();
  try {
    return await judge(profileOf(server), { fast: true });
  } finally {
    server.stop();
  }
}

/** The profile of the demo's server: its accounts and tools, and what it does not have. */
function profileOf({ baseUrl, accounts: [account, ...pool] }: Demo): Profile {
  const parameters = { city: "Lisbon" };
  const charged = { id: "weather.current.v1", parameters };
  return {
    ...defaultProfile(baseUrl),
    credentials: { account: account!, pool },
    tools: {
      charged,
      required_parameter: charged,
      provider_error: { id: "archive.weather.v1", parameters },
    },
    audit_lag: 0,
    features: Object.fromEntries(
      missing.map((name) => [name, "the demo's server has the first operations only"]),
    ),
  };
}
