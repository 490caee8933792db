import { access, constants, readFile } from "node:fs/promises";
import { LineCounter, parseDocument } from "yaml";
import {
  capabilityRoles,
  limitedOperations,
  operations,
  toolRoles,
  type CapabilityRole,
  type LimitedOperation,
  type ToolRole,
} from "../../generated/contract.ts";
import { WrongUse } from "../../cli/exit.ts";
import { withoutUser } from "./secrets.ts";

/** What a tool does, from the point of view of a check; the profile says which tool of the server does it. */
export type Role = ToolRole;
export const roles = Object.keys(toolRoles) as Role[];

/** A tool or a capability with parameters that it accepts; without them the suite builds some from its contract. */
export interface Use {
  id: string;
  parameters?: Record<string, unknown>;
}

/** What a server may leave out, when its profile says why. */
export const features = [
  "trial",
  "claim",
  "capabilities",
  "delegation",
  "jwt",
  "rate_limits",
  "truncation",
  "projection",
  "exports",
  "feeds",
  "readiness",
  "settlement_history",
  "chinese",
] as const;
export type Feature = (typeof features)[number];

const keyNames = [
  "account",
  "other_account",
  "second_key_of_account",
  "exhausted",
  "expired_trial",
  "revoked",
  "jwt",
  "expired_jwt",
] as const;

/** An implementer's description of the server under test. Everything but the address has a default. */
export interface Profile {
  base_url: string;
  credentials: Partial<Record<(typeof keyNames)[number], string>> & {
    /** Keys of further accounts. */
    pool: string[];
    delegation?: { token: string; run_id: string; provider_id: string };
  };
  tools: Partial<Record<Role, Use>>;
  capabilities: Partial<Record<CapabilityRole, Use>>;
  mailbox?: { smtp_listen: string } | { directory: string } | { command: string };
  object_storage: { ca?: string };
  /** `free` is the pattern of the addresses that claims are made with; its `*` becomes something unique. */
  emails: { formal?: string; blocked_domain?: string; free: string };
  /**
   * The four quotas, in requests for one window, and the window's length in seconds. `anonymous`, which the contract
   * does not state, is what one client address may send to the operations without a credential.
   */
  limits: Record<LimitedOperation, number> & { window: number; anonymous?: number };
  /** Seconds within which a usage or ledger row must have appeared. */
  audit_lag: number;
  /** Seconds within which a mail must have come. */
  mail_lag: number;
  /** Feature → why the server does not have it. */
  features: Partial<Record<Feature, string>>;
  /** Ids of checks or clauses that must fail. */
  known_failures: string[];
}

const defaultQuotas = Object.fromEntries(
  limitedOperations.map((id) => [id, operations[id].rateLimit.requests]),
) as Record<LimitedOperation, number>;

/** The profile of a server of which only the address is known. */
export function defaultProfile(baseUrl: string): Profile {
  return {
    base_url: withoutUser(baseUrl),
    credentials: { pool: [] },
    tools: {},
    capabilities: {},
    object_storage: {},
    emails: { free: "claim-*@example.com" },
    limits: { ...defaultQuotas, window: operations.call.rateLimit.windowSeconds },
    audit_lag: 5,
    mail_lag: 30,
    features: {},
    known_failures: [],
  };
}

/**
 * Reads a profile from a YAML file; `baseUrl`, when given, wins over the file's.
 * @throws WrongUse naming file, line, what was wrong and what would be right.
 */
export async function readProfile(file: string, baseUrl?: string): Promise<Profile> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch {
    throw new WrongUse(`profile ${file} cannot be read`);
  }
  const profile = parseProfile(text, file, baseUrl);
  const { ca } = profile.object_storage;
  if (ca !== undefined) {
    await access(ca, constants.R_OK).catch(() => {
      throw new WrongUse(
        `${file}: object_storage.ca ${ca} cannot be read from ${process.cwd()}; name the PEM file of the storage's CA`,
      );
    });
  }
  return profile;
}

export function parseProfile(text: string, file: string, baseUrl?: string): Profile {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter });
  const lineOf = (path: (string | number)[]): number => {
    for (let depth = path.length; depth > 0; depth -= 1) {
      const node = document.getIn(path.slice(0, depth), true) as { range?: [number] } | undefined;
      if (node?.range) return counter.linePos(node.range[0]).line;
    }
    return 1;
  };
  const refuse = (path: (string | number)[], reason: string): never => {
    throw new WrongUse(`${file}:${lineOf(path)}: ${[path.join("."), reason].filter(Boolean).join(" ")}`);
  };
  const [error] = document.errors;
  if (error) throw new WrongUse(`${file}:${error.linePos?.[0].line ?? 1}: ${error.message.split("\n")[0]}`);

  const root: unknown = document.toJS() ?? {};
  const read = reader(refuse);
  const fields = read.fields(root, [], Object.keys(defaultProfile("")).concat("mailbox"));
  const address =
    baseUrl ?? (fields["base_url"] === undefined ? undefined : read.text(fields["base_url"], ["base_url"]));
  if (address === undefined) refuse([], "has no base_url; add one, or give --base-url");
  const profile = defaultProfile(address!);

  const credentials = read.fields(
    fields["credentials"],
    ["credentials"],
    [...keyNames, "pool", "delegation"],
  );
  for (const name of keyNames) {
    if (credentials[name] !== undefined) {
      profile.credentials[name] = read.text(credentials[name], ["credentials", name]);
    }
  }
  profile.credentials.pool = read
    .list(credentials["pool"], ["credentials", "pool"])
    .map((key, index) => read.text(key, ["credentials", "pool", index]));
  if (credentials["delegation"] !== undefined) {
    const path = ["credentials", "delegation"];
    const given = read.fields(credentials["delegation"], path, ["token", "run_id", "provider_id"]);
    profile.credentials.delegation = {
      token: read.text(given["token"], [...path, "token"]),
      run_id: read.text(given["run_id"], [...path, "run_id"]),
      provider_id: read.text(given["provider_id"], [...path, "provider_id"]),
    };
  }

  for (const [role, use] of Object.entries(read.fields(fields["tools"], ["tools"], roles))) {
    profile.tools[role as Role] = read.use(use, ["tools", role]);
  }
  const capabilities = read.fields(fields["capabilities"], ["capabilities"], Object.keys(capabilityRoles));
  for (const [name, use] of Object.entries(capabilities)) {
    profile.capabilities[name as "query"] = read.use(use, ["capabilities", name]);
  }

  if (fields["mailbox"] !== undefined) {
    const forms = ["smtp_listen", "directory", "command"];
    const mailbox = read.fields(fields["mailbox"], ["mailbox"], forms);
    const [form, ...more] = Object.keys(mailbox);
    if (form === undefined || more.length > 0) refuse(["mailbox"], `has one of ${forms.join(", ")}`);
    profile.mailbox = { [form!]: read.text(mailbox[form!], ["mailbox", form!]) } as Profile["mailbox"];
  }
  const storage = read.fields(fields["object_storage"], ["object_storage"], ["ca"]);
  if (storage["ca"] !== undefined)
    profile.object_storage.ca = read.text(storage["ca"], ["object_storage", "ca"]);
  const emails = read.fields(fields["emails"], ["emails"], ["formal", "blocked_domain", "free"]);
  for (const [name, value] of Object.entries(emails)) {
    profile.emails[name as "formal"] = read.text(value, ["emails", name]);
  }
  if (!/^[^@]*\*[^@]*@[^@]+$/.test(profile.emails.free)) {
    refuse(["emails", "free"], "is an address with a * before its @, such as claim-*@example.com");
  }
  const limits = read.fields(fields["limits"], ["limits"], [...Object.keys(profile.limits), "anonymous"]);
  for (const [name, value] of Object.entries(limits)) {
    const path = ["limits", name];
    const quota = name === "window" ? read.seconds(value, path) : read.amount(value, path);
    if (!Number.isInteger(quota) || quota < 1) refuse(["limits", name], "is a whole number, at least 1");
    profile.limits[name as "discover"] = quota;
  }
  for (const lag of ["audit_lag", "mail_lag"] as const) {
    if (fields[lag] !== undefined) profile[lag] = read.seconds(fields[lag], [lag]);
  }
  for (const [name, value] of Object.entries(read.fields(fields["features"], ["features"], features))) {
    const path = ["features", name];
    if (value === true || value === "on") continue;
    if (typeof value !== "object" || value === null)
      refuse(path, "is on, or { off: why the server lacks it }");
    profile.features[name as Feature] = read.text(read.fields(value, path, ["off"])["off"], [...path, "off"]);
  }
  profile.known_failures = read
    .list(fields["known_failures"], ["known_failures"])
    .map((id, index) => read.text(id, ["known_failures", index]));
  return profile;
}

type Path = (string | number)[];

function reader(refuse: (path: Path, reason: string) => never) {
  const text = (value: unknown, path: Path): string =>
    typeof value === "string" && value !== "" ? value : refuse(path, "is a text");
  const fields = (value: unknown, path: Path, known: readonly string[]): Record<string, unknown> => {
    if (value === undefined || value === null) return {};
    if (typeof value !== "object" || Array.isArray(value))
      return refuse(path, "is a mapping of names to values");
    for (const name of Object.keys(value)) {
      if (!known.includes(name)) refuse([...path, name], `is not known here; known are ${known.join(", ")}`);
    }
    return value as Record<string, unknown>;
  };
  return {
    text,
    fields,
    list: (value: unknown, path: Path): unknown[] =>
      value === undefined || value === null ? [] : Array.isArray(value) ? value : refuse(path, "is a list"),
    /** Seconds as a number, or a text such as `90s` or `500ms`. */
    seconds: (value: unknown, path: Path): number => {
      if (typeof value === "number" && value >= 0) return value;
      const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*(ms|s)$/.exec(String(value)) ?? [];
      if (amount === undefined) return refuse(path, "is a number of seconds, or a text such as 90s or 500ms");
      return Number(amount) / (unit === "ms" ? 1000 : 1);
    },
    amount: (value: unknown, path: Path): number =>
      typeof value === "number" && value >= 0 ? value : refuse(path, "is a number, at least 0"),
    use: (value: unknown, path: Path): Use => {
      if (typeof value === "string") return { id: text(value, path) };
      const given = fields(value, path, ["id", "parameters"]);
      const use: Use = { id: text(given["id"], [...path, "id"]) };
      const parameters = given["parameters"];
      if (parameters === undefined) return use;
      if (typeof parameters !== "object" || parameters === null || Array.isArray(parameters)) {
        return refuse([...path, "parameters"], "is a mapping of parameter names to values");
      }
      return { ...use, parameters: parameters as Record<string, unknown> };
    },
  };
}
