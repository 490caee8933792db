import type { OperationId } from "../../generated/contract.ts";

type Fields = Record<string, unknown>;

/** Members with content that a tool, not the contract, defines. */
const payloads = new Set([
  "params",
  "result",
  "sample_parameters",
  "parameters",
  "request_payload",
  "response_payload_summary",
  "content_schema",
]);

/** Changes the objects of a value from the inside out. The payload of a tool, not the contract's, is unchanged. */
function walked(value: unknown, change: (object: Fields) => Fields): unknown {
  if (Array.isArray(value)) return value.map((item) => walked(item, change));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [
    name,
    payloads.has(name) ? (member as unknown) : walked(member, change),
  ]);
  return change(Object.fromEntries(members) as Fields);
}

const onObjects =
  (change: (object: Fields) => Fields) =>
  (body: unknown): string =>
    JSON.stringify(walked(body, change));

/** Words that this version of the contract does not know, in members whose words it does not list. */
const unknownWords: Fields = {
  unit: "furlong",
  basis: "per_moon",
  billing_snapshot_status: "archived",
  source_system: "another",
  source_ref_type: "another",
};

/** Whether a Call's answer is limited to the members that the contract lists. */
const isProjection = (body: unknown): boolean => {
  const result = ((body ?? {}) as Fields)["result"];
  return typeof result === "object" && result !== null && "respond_with" in result;
};

const reversed = (object: Fields): Fields => Object.fromEntries(Object.entries(object).reverse());

const withFurtherMembers = onObjects((object) => ({
  x_next: { since: "a later version", list: [1, null, "two"] },
  ...object,
}));

/** One unusual and permitted form of JSON answers. */
interface Oddity {
  /** The words of the contract, or of a standard that it builds on, that leave this free. */
  permittedBy: string;
  /** The operations whose answers it fits; all that answer JSON when absent. */
  operations?: readonly OperationId[];
  form: (body: unknown) => string;
}

const catalogue = {
  "members that this version does not name": {
    permittedBy:
      'RFC 8259, 4: an object has "zero or more" members; the contract closes no object but a projection',
    form: (body) => (isProjection(body) ? JSON.stringify(body) : withFurtherMembers(body)),
  },
  "words that this version does not know": {
    permittedBy:
      "billing_rule | object | Structured cost signal, e.g. fields `unit` (string) and `amount_credits` (number)",
    form: onObjects((object) =>
      Object.fromEntries(
        Object.entries(object).map(([name, value]) => [
          name,
          typeof value === "string" ? (unknownWords[name] ?? value) : value,
        ]),
      ),
    ),
  },
  "remaining_credits is null, and billing absent": {
    permittedBy: "remaining_credits | number or null | Remaining credits",
    operations: ["discover", "inspect", "call"],
    // A refusal for want of credits says 0.
    form: onObjects(({ billing, ...object }) =>
      Number(object["remaining_credits"]) > 0
        ? { ...object, remaining_credits: null }
        : { ...object, ...(billing !== undefined && { billing }) },
    ),
  },
  "cost in the place of billing_rule": {
    permittedBy: "A legacy cost field (`cost`) may appear instead of or beside `billing_rule`.",
    operations: ["discover", "inspect"],
    form: onObjects((object) => {
      const { billing_rule: rule, expected_cost: _text, ...others } = object;
      if (typeof rule !== "object" || rule === null) return object;
      return { ...others, cost: (rule as Fields)["amount_credits"] };
    }),
  },
  "tools without stats": {
    permittedBy: "stats.success_rate | number | Historical success rate, 0 to 1",
    operations: ["discover", "inspect"],
    form: onObjects(({ stats: _stats, ...object }) => object),
  },
  "another order, other spaces and numbers": {
    permittedBy:
      'RFC 8259, 1: "An object is an unordered collection"; 2: "Insignificant whitespace is allowed"; 6: exponents',
    form: (body: unknown): string =>
      JSON.stringify(walked(body, reversed), null, 2).replace(
        /^(\s*"(?:\w+_credits|success_rate|cost)": -?\d+\.\d+)(,?)$/gm,
        "$1e0$2",
      ),
  },
} satisfies Record<string, Oddity>;

export type OddWay = keyof typeof catalogue;

/** Unusual and permitted forms of JSON answers: for faults, trials of clients and variations of the suite's proof. */
export const oddities: Readonly<Record<OddWay, Oddity>> = catalogue;

/** The forms that fit the answers of an operation. */
export const oddWaysOf = (operation: OperationId): OddWay[] =>
  (Object.keys(oddities) as OddWay[]).filter((way) => fits(oddities[way], operation));

const fits = ({ operations }: Oddity, operation: OperationId | null): boolean =>
  operations === undefined || (operation !== null && operations.includes(operation));

/** A successful answer of an operation in another lawful form; where it does not fit, and other than JSON, unchanged. */
export function oddly(way: OddWay, operation: OperationId | null, body: string): string {
  try {
    return fits(oddities[way], operation) ? oddities[way].form(JSON.parse(body)) : body;
  } catch {
    return body;
  }
}
