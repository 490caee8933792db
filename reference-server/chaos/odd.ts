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

const reversed = (object: Fields): Fields => Object.fromEntries(Object.entries(object).reverse());

/** Unusual and permitted forms of a JSON answer. */
const ways = {
  "members that this version does not name": onObjects((object) => ({
    x_next: { since: "a later version", list: [1, null, "two"] },
    ...object,
  })),
  "words that this version does not know": onObjects((object) =>
    Object.fromEntries(
      Object.entries(object).map(([name, value]) => [
        name,
        typeof value === "string" ? (unknownWords[name] ?? value) : value,
      ]),
    ),
  ),
  "remaining_credits is null, and billing absent": onObjects(({ billing, ...object }) =>
    "remaining_credits" in object
      ? { ...object, remaining_credits: null }
      : { ...object, ...(billing !== undefined && { billing }) },
  ),
  "cost in the place of billing_rule": onObjects((object) => {
    const { billing_rule: rule, expected_cost: _text, ...others } = object;
    if (typeof rule !== "object" || rule === null) return object;
    return { ...others, cost: (rule as Fields)["amount_credits"] };
  }),
  "tools without stats": onObjects(({ stats: _stats, ...object }) => object),
  "another order, other spaces and numbers": (body: unknown): string =>
    JSON.stringify(walked(body, reversed), null, 2).replace(
      /^(\s*"(?:\w+_credits|success_rate|cost)": -?\d+\.\d+)(,?)$/gm,
      "$1e0$2",
    ),
} satisfies Record<string, (body: unknown) => string>;

export type OddWay = keyof typeof ways;
export const oddWays = Object.keys(ways) as OddWay[];

/** The same answer in another lawful form; anything but JSON is unchanged. */
export function oddly(way: OddWay, body: string): string {
  try {
    return ways[way](JSON.parse(body));
  } catch {
    return body;
  }
}
