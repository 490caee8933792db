import { writeFile } from "node:fs/promises";
import { profileText, type Findings } from "./init-text.ts";
import { text, baseUrl } from "../../../base/flag.ts";
import { verb } from "../../../base/verb.ts";
import { limitedOperations, type OperationId } from "../../../generated/contract.ts";
import { greet } from "../greet.ts";
import { Account, Stranger } from "../../server/account.ts";
import { Client } from "../../server/client.ts";
import { defaultProfile, type Feature, type Profile } from "../../server/profile.ts";
import { Secrets } from "../../server/secrets.ts";
import { Session } from "../../server/session.ts";
import { calling } from "../../report/explained.ts";
import { scout } from "../../server/scout.ts";
import { findTools, listTools } from "../../server/tools.ts";
import { WrongUse } from "../../../base/exit.ts";
import { Blocked, Unverifiable } from "../../judge/verdict.ts";

/** For each feature a read-only operation that shows whether the server has the feature at all. */
const shownBy: readonly (readonly [Feature, OperationId, string?])[] = [
  ["exports", "exportLedger"],
  ["feeds", "listUsageFeed"],
  ["readiness", "getLedgerReadiness"],
  ["settlement_history", "listSettlements"],
];

/**
 * Queries a server for everything that the suite can find out: a new trial account, tools by role, capabilities,
 * quotas.
 * @param key used in place of a trial account's key
 * @throws Unreachable when no server of this kind answers; WrongUse when it refuses the key
 */
export async function explore(baseUrl: string, key?: string): Promise<Findings> {
  const profile: Profile = defaultProfile(baseUrl);
  if (key !== undefined) profile.credentials.account = key;
  const secrets = new Secrets();
  const client = new Client(baseUrl, secrets);
  const session = new Session(client, secrets);
  try {
    await greet(profile, session);
    const trialKey = await registered(new Stranger(session, profile));
    const findings: Findings = {
      trial: trialKey !== null,
      tools: {},
      capabilities: {},
      quotas: {},
      absent: {},
    };
    if (trialKey === null) findings.absent.trial = "no trial account could be registered";
    const usable = key ?? trialKey;
    if (usable === null) return findings;
    const account = new Account(session, profile, usable, "the account");
    Object.assign(findings, await found(account, trialKey !== null).catch(orNothing({})));
    findings.quotas = await quotasOf(account, findings.tools);
    for (const [feature, operation] of shownBy) {
      const answer = await account.ask(operation).catch(orNothing(null));
      if (answer?.status === 404) findings.absent[feature] = `${operation} answered 404`;
    }
    return findings;
  } finally {
    client.close();
  }
}

/** Tools by their contracts; where trials can be registered, also what trying them shows. */
async function found(account: Account, tries: boolean): Promise<Partial<Findings>> {
  const { session, profile } = account;
  const contracts = await listTools(account, profile);
  const tools = await findTools(account, profile, contracts);
  const more = tries
    ? await scout(session, { ...profile, tools }, contracts).catch(orNothing(undefined))
    : undefined;
  return { tools, ...(more && { tools: more.tools, capabilities: more.capabilities }) };
}

/** If the server stops answering, describe it as far as possible. */
const orNothing =
  <T>(nothing: T) =>
  (error: unknown): T => {
    if (error instanceof Blocked || error instanceof Unverifiable) return nothing;
    throw error;
  };

async function registered(stranger: Stranger): Promise<string | null> {
  const answer = await stranger
    .ask("registerAnonymous", { body: { agent_name: "conformance init" } })
    .catch(orNothing(null));
  const key = answer?.at("data.api_key").value;
  return answer?.status === 200 && typeof key === "string" ? key : null;
}

/** The quotas, each from the headers of one answer. A Call of an unknown tool is refused but still names its quota. */
async function quotasOf(account: Account, tools: Profile["tools"]): Promise<Findings["quotas"]> {
  const id = Object.values(tools)[0]?.id ?? "unknown";
  const ask = {
    discover: () => account.discover({ query: "data", limit: 1 }),
    inspect: () => account.inspect([id]),
    probe: () => account.probe(id, { checks: ["quote"] }),
    call: () => account.call({ id: "unknown", parameters: {} }),
  };
  const quotas: Findings["quotas"] = {};
  for (const operation of limitedOperations) {
    const answer = await ask[operation]().catch(orNothing(null));
    const quota = Number(answer?.header("X-RateLimit-Limit").value);
    if (Number.isInteger(quota) && quota > 0) quotas[operation] = quota;
  }
  return quotas;
}

export default verb({
  flags: {
    baseUrl: baseUrl().needed(),
    out: text("--out <FILE>", "where the profile goes; a file that exists is not overwritten").or(
      "profile.yaml",
    ),
    key: text(
      "--key <KEY>",
      "asks with this key, where the server registers no trial accounts; it is not written down",
    ),
  },
  about:
    "Asks a server what the suite can find out by itself, and writes a profile with everything else to be filled in.",
  async run({ baseUrl, out, key }) {
    const findings = await explore(baseUrl, key);
    try {
      // The profile will hold keys: only its owner may read it, and an existing file is never overwritten.
      await writeFile(out, profileText(baseUrl, findings), { flag: "wx", mode: 0o600 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") {
        throw new WrongUse(`${out} is there already and is not overwritten; name another with --out`);
      }
      throw new WrongUse(`${out} cannot be written: ${(error as Error).message}`);
    }
    const roles = Object.keys(findings.tools);
    console.log(
      [
        `Written ${out}: ${findings.trial ? "trial accounts" : "no trial accounts"}, tools for ${roles.length} roles` +
          (roles.length > 0 ? ` (${roles.join(", ")})` : "") +
          `, ${Object.keys(findings.quotas).length} quotas.`,
        "Fill in what else the server has, then:",
        "",
        `  ${calling("conformance")} --profile ${out}`,
      ].join("\n"),
    );
  },
});
