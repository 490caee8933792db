import { X509Certificate } from "node:crypto";
import {
  capabilityRoles,
  limitedOperations,
  operations,
  toolRoles,
  type CapabilityRole,
  type LimitedOperation,
  type OperationId,
  type ToolRole,
} from "../../generated/contract.ts";
import { readings } from "../../generated/readings.ts";
import { WrongUse } from "../../base/exit.ts";
import { fileText, givenText } from "../../base/read.ts";
import { addressFault, keyFault } from "../../base/written.ts";
import { yamlReader } from "../../base/yaml/schema.ts";
import type { Pins } from "../judge/observer.ts";
import { Unverifiable } from "../judge/verdict.ts";
import type { keyNames } from "./profile-schema.ts";
import { features, profileSchema } from "./profile-schema.ts";
import { bareAddress } from "../../base/address.ts";

/** What a tool does from a check's point of view; the profile says which of the server's tools does it. */
export type Role = ToolRole;
export const roles = Object.keys(toolRoles) as Role[];

/** A tool or capability with valid parameters; if they are missing, the suite builds them from its contract. */
export interface Use {
  id: string;
  parameters?: Record<string, unknown>;
}

export { features };
/** A group of operations that a server may lack, or one operation. */
export type Feature = (typeof features)[number] | OperationId;

/** The operations of a group. */
const operationsOf: Partial<Record<Feature, readonly Feature[]>> = {
  capabilities: ["queryCapability", "getCapability"],
  trial: ["registerAnonymous"],
  claim: ["startClaim", "verifyClaim"],
  jwt: ["verifyToken"],
  exports: ["exportLedger", "exportUsage"],
  feeds: ["listUsageFeed"],
  readiness: ["getLedgerReadiness"],
  settlement_history: ["listSettlements"],
  usage: ["listUsage", "getUsageEvent", "listUsageFeed", "exportUsage", "getCreditsSpent"],
  ledger: ["listLedger", "getLedgerEntry", "exportLedger", "getLedgerReadiness", "listSettlements"],
};

/** Why a server does not have an operation or a group, by its profile; undefined where it has it. */
export const whyOff = ({ features: off }: Profile, feature: Feature | null): string | undefined =>
  Object.entries(off).find(
    ([name]) => feature !== null && (name === feature || operationsOf[name as Feature]?.includes(feature)),
  )?.[1];

/** An implementer's description of the server under test. Everything except the address has a default. */
export interface Profile {
  base_url: string;
  /** Further base URLs of the same server, which count an account's requests together with it. */
  also?: string[];
  /** The contract version to judge by; by default the one the server announces. */
  contract?: string;
  /** The release of the suite whose checks and rules count; by default all count. */
  requirements?: string;
  credentials: Partial<Record<(typeof keyNames)[number], string>> & {
    /** Keys of further accounts. */
    pool: string[];
    delegation?: { token: string; run_id: string; provider_id: string };
  };
  tools: Partial<Record<Role, Use>>;
  capabilities: Partial<Record<CapabilityRole, Use>>;
  mailbox?: { smtp_listen: string } | { directory: string } | { command: string };
  tls?: { ca?: string };
  object_storage: { ca?: string };
  /** How to set the server's clock ahead; without it, what only time shows is not judged. */
  clock?: { url: string } | { command: string };
  /**
   * `free` is a pattern for the addresses used in claims, which no risk check blocks; its `*` is replaced with a unique
   * text.
   */
  emails: { formal?: string; blocked_domain?: string; free?: string };
  /**
   * The four quotas, in requests per window, and the window's length in seconds. `anonymous`, which the contract does
   * not state, is the quota of one client address for the operations without a credential.
   */
  limits: Record<LimitedOperation, number> & { window: number; anonymous?: number };
  /** Maximum delay of a usage or ledger row, in seconds; measured at the beginning of a run if absent. */
  audit_lag?: number;
  /** Maximum delay of a mail, in seconds. */
  mail_lag?: number;
  /** This server's promised answers to the contract's open questions. */
  readings: Pins;
  /** Feature → why the server does not have it. */
  features: Partial<Record<Feature, string>>;
  /** Ids of checks or clauses that are expected to fail. */
  known_failures: string[];
}

const defaultQuotas = Object.fromEntries(
  limitedOperations.map((id) => [id, operations[id].rateLimit.requests]),
) as Record<LimitedOperation, number>;

/** The profile of a server when only its address is known. */
export function defaultProfile(baseUrl: string): Profile {
  return {
    base_url: bareAddress(baseUrl),
    credentials: { pool: [] },
    tools: {},
    capabilities: {},
    object_storage: {},
    emails: {},
    limits: { ...defaultQuotas, window: operations.call.rateLimit.windowSeconds },
    readings: {},
    features: {},
    known_failures: [],
  };
}

/** A rate of requests per second that one client cannot reach. */
const beyondOneClient = 1_000;

/** Whether no run can use up the quota of an operation before its window ends. */
export const isOutOfReach = ({ limits }: Profile, operation: LimitedOperation): boolean =>
  limits[operation] > beyondOneClient * Math.max(1, limits.window);

/** @throws Unverifiable where no run can use up the quota of an operation */
export function requireReach(profile: Profile, operation: LimitedOperation): void {
  const { limits } = profile;
  if (isOutOfReach(profile, operation))
    throw new Unverifiable(`one client cannot use up ${limits[operation]} requests in ${limits.window} s`);
}

/** What is read of a profile: a thousand times what people write. */
const mostBytes = 2 ** 20;

/**
 * Reads a profile from a YAML file; `baseUrl`, if given, overrides the file's.
 * @throws WrongUse naming the file, the line, the fault and the correct form
 */
export async function readProfile(file: string, baseUrl?: string): Promise<Profile> {
  const text = await givenText(file, mostBytes).catch((error: unknown) => {
    throw error instanceof WrongUse ? error : new WrongUse(`profile ${file} cannot be read`);
  });
  const profile = parseProfile(text, file, baseUrl);
  for (const section of ["object_storage", "tls"] as const) {
    const ca = profile[section]?.ca;
    if (ca === undefined) continue;
    try {
      new X509Certificate(fileText(ca, mostBytes));
    } catch {
      throw new WrongUse(
        `${file}: ${section}.ca ${ca}, as read from ${process.cwd()}, holds no certificate; name the PEM file of its CA`,
      );
    }
  }
  return profile;
}

/** A profile as written in its file, after validation against the schema. */
type Written = {
  [Section in keyof Profile]?: Profile[Section] | null;
};

const read = yamlReader<Written | null>(
  profileSchema({
    toolRoles,
    capabilityRoles,
    limitedOperations,
    operations: Object.keys(operations),
    readings,
  }),
  { environment: process.env },
);

/**
 * Reads the text of a profile; `file` names it in messages.
 * @throws WrongUse naming the file, the line, the fault and the correct form, for every fault in the text
 */
export function parseProfile(text: string, file: string, baseUrl?: string): Profile {
  const written = parsed(text, file);
  const address = baseUrl ?? written.base_url;
  if (address === undefined || address === null)
    throw new WrongUse(`${file}:1: base_url is missing; add it, or give --base-url`);
  const wrong = addressFault(address);
  if (wrong !== null) throw new WrongUse(`${file}: base_url: must be ${wrong}`);
  const profile = defaultProfile(address);
  const also = (written.also ?? []).map((other) => alsoOf(other, profile.base_url, file));
  const { credentials, limits } = written;
  requireKeys(credentials ?? {}, file);
  return {
    ...profile,
    ...(also.length > 0 && { also }),
    ...(written.contract && { contract: written.contract }),
    ...(written.requirements && { requirements: written.requirements }),
    credentials: { ...profile.credentials, ...credentials, pool: credentials?.pool ?? [] },
    tools: usesOf(written.tools),
    capabilities: usesOf(written.capabilities),
    ...(written.tls && { tls: written.tls }),
    ...(written.mailbox && { mailbox: written.mailbox }),
    ...(written.clock && { clock: written.clock }),
    object_storage: { ...written.object_storage },
    emails: { ...written.emails },
    limits: { ...profile.limits, ...limits, window: secondsOf(limits?.window ?? profile.limits.window) },
    ...(written.audit_lag != null && { audit_lag: secondsOf(written.audit_lag) }),
    ...(written.mail_lag != null && { mail_lag: secondsOf(written.mail_lag) }),
    readings: Object.fromEntries(
      Object.entries(written.readings ?? {}).map(([id, answer]) => [id, String(answer)]),
    ),
    features: reasonsOf(written.features),
    known_failures: written.known_failures ?? [],
  };
}

/** A further address of a server. @throws WrongUse where it is none, or has another scheme than the first */
function alsoOf(address: string, baseUrl: string, file: string): string {
  const { protocol } = new URL(baseUrl);
  const wrong =
    addressFault(address) ?? (new URL(address).protocol === protocol ? null : "of base_url's scheme");
  if (wrong !== null) throw new WrongUse(`${file}: also: ${address} must be ${wrong}`);
  return bareAddress(address);
}

/** @throws WrongUse naming a credential that no header can carry */
function requireKeys(
  { delegation, pool = [], ...named }: Partial<Profile["credentials"]>,
  file: string,
): void {
  const keys = [
    ...Object.entries(named),
    ...pool.map((key, index) => [`pool.${index}`, key] as const),
    ["delegation.token", delegation?.token] as const,
  ];
  for (const [name, key] of keys) {
    const wrong = key === undefined ? null : keyFault(key);
    if (wrong !== null) throw new WrongUse(`${file}: credentials.${name}: must be ${wrong}`);
  }
}

const parsed = (text: string, file: string): Written => read(file, text).value ?? {};

/** Tools by role, including those given as a bare id. */
const usesOf = <Name extends string>(
  written: Partial<Record<Name, Use | string>> | null | undefined,
): Partial<Record<Name, Use>> =>
  Object.fromEntries(
    Object.entries<Use | string | undefined>(written ?? {}).map(([name, use]) => [
      name,
      typeof use === "string" ? { id: use } : use,
    ]),
  ) as Partial<Record<Name, Use>>;

/** Seconds as a number, or a duration such as `90s` or `500ms`. */
const secondsOf = (written: number | string): number =>
  typeof written === "number" ? written : parseFloat(written) / (written.endsWith("ms") ? 1000 : 1);

/** The reasons of the features that are off. Without registration there is no trial, and nothing to claim. */
function reasonsOf(written: object | null | undefined): Profile["features"] {
  const reasons: Profile["features"] = Object.fromEntries(
    Object.entries(written ?? {}).flatMap(([name, state]: [string, unknown]) =>
      typeof state === "object" && state !== null ? [[name, (state as { off: string }).off]] : [],
    ),
  );
  const closed = reasons.trial ?? reasons.registerAnonymous;
  return { ...(closed !== undefined && { trial: closed, claim: closed }), ...reasons };
}
