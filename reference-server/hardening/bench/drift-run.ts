import { grouped } from "../../../conformance/drift/compare.ts";
import { compareContracts } from "../../../conformance/drift/contract/compare-contracts.ts";
import { readSource } from "../../../conformance/drift/source.ts";

/** Compares the two documents named on the command line and reports the cost. */
const [old, now] = process.argv.slice(2) as [string, string];
const report = await compareContracts(await readSource(old), await readSource(now), {
  settings: { today: "2026-11-20" },
});
const changes = grouped(report.changes);
const { user, system } = process.cpuUsage();
process.send!({
  cpuMs: (user + system) / 1000,
  megabytes: process.resourceUsage().maxRSS / 1024,
  changes: changes.length,
});
process.disconnect();
