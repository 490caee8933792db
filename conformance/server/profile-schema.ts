import type { Reading } from "../../generated/readings.ts";
import type { JsonSchema } from "../../base/yaml/schema.ts";

/** What a server may omit if its profile says why, and what is not judged then. */
const featureTitles = {
  trial: "Registration of trial accounts, and claims",
  claim: "Claims of trial accounts by e-mail",
  capabilities: "Capability queries and details",
  delegation: "Constrained delegation tokens",
  jwt: "JWTs, and their verification",
  rate_limits: "The four quotas, 429 with Retry-After, and the rate-limit headers",
  truncation: "Truncated results with a signed address",
  projection: "Projections of a result: `summary` and `fields:`",
  exports: "The CSV exports of ledger and usage audit",
  feeds: "The summary feed of the usage audit",
  readiness: "The readiness of the ledger",
  settlement_history: "The settlement history",
  usage: "The usage audit: list, event, feed, export, credits spent",
  ledger: "The ledger: list, entry, export, readiness, settlement history",
  chinese: "Texts in Chinese",
} as const;

export const features = Object.keys(featureTitles) as (keyof typeof featureTitles)[];

/** The credentials of a profile that consist of one key. */
export const keyNames = [
  "account",
  "other_account",
  "second_key_of_account",
  "every_kind",
  "exhausted",
  "expired_trial",
  "revoked",
  "jwt",
  "expired_jwt",
] as const;

/** The facts of the contract that a profile uses. */
export interface ProfileFacts {
  operations: readonly string[];
  /** Role → the kind of tool or capability in it. */
  toolRoles: Readonly<Record<string, string>>;
  capabilityRoles: Readonly<Record<string, string>>;
  limitedOperations: readonly string[];
  readings: readonly Pick<Reading, "id" | "question" | "answers" | "seen">[];
}

const text = { type: "string", minLength: 1, description: "a text" };

const mapping = (properties: Readonly<Record<string, JsonSchema>>, more: JsonSchema = {}): JsonSchema => ({
  type: ["object", "null"],
  additionalProperties: false,
  properties,
  ...more,
});

const each = (names: readonly string[], schema: JsonSchema): Record<string, JsonSchema> =>
  Object.fromEntries(names.map((name) => [name, schema]));

const texts = { type: ["array", "null"], items: text, description: "a list of texts" };

const use = {
  type: ["string", "object"],
  minLength: 1,
  additionalProperties: false,
  required: ["id"],
  properties: { id: text, parameters: { type: "object", description: "names with values" } },
  description: "an id, or { id, parameters }",
};

const inRoles = (roles: Readonly<Record<string, string>>): JsonSchema =>
  mapping(Object.fromEntries(Object.entries(roles).map(([role, title]) => [role, { ...use, title }])));

const seconds = {
  type: ["number", "string"],
  minimum: 0,
  pattern: "^\\d+(\\.\\d+)?\\s*(ms|s)$",
  description: "a number of seconds, or a text such as 90s or 500ms",
};

const requests = { type: "integer", minimum: 1, description: "a whole number of requests, at least 1" };

const feature = {
  type: ["boolean", "string", "object"],
  not: { const: false },
  pattern: "^on$",
  additionalProperties: false,
  required: ["off"],
  properties: { off: text },
  description: "on, or { off: why the server lacks it }",
};

/** The answers that a profile may promise for a reading; none when a client cannot observe it. */
function pin({ question, answers, seen }: ProfileFacts["readings"][number]): JsonSchema {
  if (typeof seen !== "string") return { not: {}, description: `left out: ${seen.not_observable}` };
  const names = Object.keys(answers);
  const numbers = names.map(Number).filter((number) => !Number.isNaN(number));
  return { enum: [...names, ...numbers], title: question };
}

/** The JSON Schema of a profile. `description` says what is right, in an editor and where a value is refused. */
export const profileSchema = (facts: ProfileFacts): JsonSchema => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "The profile of a server under test",
  ...mapping({
    base_url: { ...text, title: "The address of the server, which ends in /api/v1" },
    also: { ...texts, title: "Further addresses of the same server, which share its rate limits" },
    contract: {
      ...text,
      title: "The version of the contract to judge by; what the server announces unless given",
    },
    requirements: {
      ...text,
      title:
        "The release of the suite whose checks and rules count; what is newer is shown and fails nothing",
    },
    credentials: mapping({
      ...each(keyNames, text),
      pool: texts,
      delegation: {
        type: "object",
        additionalProperties: false,
        required: ["token", "run_id", "provider_id"],
        properties: each(["token", "run_id", "provider_id"], text),
      },
    }),
    tools: inRoles(facts.toolRoles),
    capabilities: inRoles(facts.capabilityRoles),
    mailbox: mapping(each(["smtp_listen", "directory", "command"], text), {
      type: "object",
      minProperties: 1,
      maxProperties: 1,
      description: "one of smtp_listen, directory, command",
    }),
    clock: mapping(each(["url", "command"], text), {
      type: "object",
      minProperties: 1,
      maxProperties: 1,
      description: "one of url, command",
    }),
    tls: mapping({
      ca: { ...text, title: "The PEM file of the authority that the server's certificate is from" },
    }),
    object_storage: mapping({ ca: text }),
    emails: mapping({
      ...each(["formal", "blocked_domain"], text),
      free: {
        type: "string",
        pattern: "^[^@]*\\*[^@]*@[^@]+$",
        description: "an address with a * before its @, such as claim-*@example.com",
      },
    }),
    limits: mapping({
      ...each([...facts.limitedOperations, "anonymous"], requests),
      window: {
        type: ["integer", "string"],
        minimum: 1,
        pattern: "^[1-9]\\d*\\s*s$",
        description: "a whole number of seconds, at least 1",
      },
    }),
    audit_lag: seconds,
    mail_lag: seconds,
    readings: mapping(Object.fromEntries(facts.readings.map((reading) => [reading.id, pin(reading)]))),
    features: mapping({
      ...Object.fromEntries(
        Object.entries(featureTitles).map(([name, title]) => [name, { ...feature, title }]),
      ),
      ...each(facts.operations, feature),
    }),
    known_failures: texts,
  }),
});
