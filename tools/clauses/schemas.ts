import type { JsonSchema } from "../../base/yaml/schema.ts";

/** The names from elsewhere that files of spec/ may use. */
export interface KnownNames {
  operations: readonly string[];
  /** Names for groups of operations, such as `authenticated`. */
  groups: Readonly<Record<string, readonly string[]>>;
  needs: readonly string[];
  readings: readonly string[];
}

const filled = { type: "string", pattern: "\\S", description: "a text that is not blank" };
const sentence = { type: "string", pattern: "\\.$", description: "a sentence that ends with a full stop" };
const oneOrMore = (item: JsonSchema): JsonSchema => ({
  type: ["string", "array"],
  if: { type: "string" },
  then: item,
  else: { type: "array", minItems: 1, items: item, description: "a list of at least one" },
});
const quote = oneOrMore({
  ...filled,
  description: "words of spec/contract.md; `…` leaves something out",
});

const needed = (basis: string, key: string): JsonSchema => ({
  if: { properties: { basis: { const: basis } }, required: ["basis"] },
  then: { required: [key] },
  else: { not: { required: [key] }, description: `without ${key}, which goes with the basis ${basis} only` },
});

const clause = ({ operations, groups, needs, readings }: KnownNames): JsonSchema => ({
  type: "object",
  required: ["id", "level", "text", "quote", "basis", "seen"],
  additionalProperties: false,
  properties: {
    id: { type: "string", pattern: "^[A-Z]{4}-\\d{2,3}$", description: "an id such as CALL-07" },
    level: { enum: ["must", "should"] },
    party: { enum: ["client"] },
    text: sentence,
    since: { ...filled, description: "the first version of the contract that has it" },
    until: { ...filled, description: "the first version of the contract without it" },
    editorial: {
      ...sentence,
      description: "why a released clause obliges to the same though it is worded anew",
    },
    quote,
    basis: { enum: ["stated", "implied", "reading"] },
    because: sentence,
    why_should: { ...sentence, description: "why words that state it oblige to no more than a should" },
    reading: { type: "string", ...(readings.length > 0 && { enum: readings }) },
    operation: oneOrMore({ enum: [...operations, ...Object.keys(groups), "all"] }),
    resource: { ...filled, description: "the name of a schema" },
    seen: {
      type: ["string", "object"],
      if: { type: "string" },
      then: { enum: ["blackbox"] },
      else: {
        minProperties: 1,
        maxProperties: 1,
        additionalProperties: false,
        properties: {
          needs: { type: "array", minItems: 1, items: { enum: needs }, description: "a list of needs" },
          not_observable: filled,
        },
        description: "`blackbox`, `{ needs: [...] }` or `{ not_observable: why }`",
      },
    },
  },
  allOf: [
    needed("implied", "because"),
    needed("reading", "reading"),
    {
      if: {
        properties: { level: { const: "should" }, basis: { const: "stated" } },
        required: ["level", "basis"],
      },
      then: { required: ["why_should"] },
      else: {
        not: { required: ["why_should"] },
        description: "without why_should, which goes with a `should` that is stated",
      },
    },
    {
      if: { properties: { party: { const: "client" } }, required: ["party"] },
      then: {
        properties: {
          seen: {
            not: { type: "object", required: ["needs"] },
            description: "seen in the client's traffic, without a need",
          },
        },
      },
    },
    {
      if: { required: ["operation"] },
      then: { not: { required: ["resource"] }, description: "about an operation or a resource, not both" },
      else: { required: ["resource"] },
    },
  ],
});

/** A file of spec/clauses: the clauses of one area. */
export const clausesSchema = (known: KnownNames): JsonSchema => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Clauses of one area of the contract",
  type: "object",
  required: ["area", "prefix", "title", "clauses"],
  additionalProperties: false,
  properties: {
    area: filled,
    prefix: { type: "string", pattern: "^[A-Z]{4}$", description: "four capitals" },
    title: filled,
    clauses: { type: "array", minItems: 1, items: clause(known) },
  },
});

/** spec/not-clauses.yaml: parts of the contract that carry no obligation. */
export const notClausesSchema: JsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Words of the contract that are not a clause",
  type: "array",
  items: {
    type: "object",
    required: ["quote"],
    additionalProperties: false,
    properties: { quote, why: filled, open: filled },
    minProperties: 2,
    maxProperties: 2,
    description: "a quote, and either `why` it obliges nobody or what it leaves `open`",
  },
};

/** A file of spec/readings: open questions of the contract, with their lawful answers. */
export const readingsSchema: JsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Readings: open questions of the contract",
  type: "object",
  required: ["title", "readings"],
  additionalProperties: false,
  properties: {
    title: filled,
    readings: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        required: ["id", "question", "quote", "answers", "reference", "seen"],
        additionalProperties: false,
        properties: {
          id: { type: "string", pattern: "^R-\\d{3}$", description: "an id such as R-012" },
          question: { type: "string", pattern: "\\?$", description: "a question" },
          quote,
          answers: {
            type: "object",
            minProperties: 2,
            additionalProperties: filled,
            description: "at least two lawful answers, each by a short name",
          },
          reference: { ...filled, description: "the name of one of the answers" },
          seen: {
            type: ["string", "object"],
            if: { type: "object" },
            then: {
              required: ["not_observable"],
              additionalProperties: false,
              properties: { not_observable: filled },
            },
          },
        },
      },
    },
  },
};
