import type { Schema } from "../http/published-operations.ts";
import { html, type Html } from "./html.ts";

/** A description in the spec: text with `code` between backticks. */
export function prose(text: unknown): Html | null {
  if (typeof text !== "string" || text === "") return null;
  return html`${text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

/** Marks the parts that the contract leaves to the server. */
export const openBadge = html`<abbr class="open" title="The contract leaves this to the server: x-open"
  >open</abbr
>`;

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const schemasOf = (value: unknown): Schema[] => (Array.isArray(value) ? value.filter(isSchema) : []);

/** The type of a schema in one phrase, with links to the named ones. */
export function typeOf(schema: Schema | undefined): Html {
  if (!schema) return html`any value`;
  if (typeof schema.$ref === "string") return schemaLink(schema.$ref);
  for (const [keyword, joint] of [
    ["anyOf", " or "],
    ["oneOf", " or "],
    ["allOf", " and "],
  ] as const) {
    const parts = schemasOf(schema[keyword]).filter(
      (part) => part.$ref !== undefined || part.type !== undefined,
    );
    if (parts.length > 0 && !schema.properties) {
      return html`${parts.map((part, index) => html`${index > 0 && joint}${typeOf(part)}`)}`;
    }
  }
  if ("const" in schema) return html`<code>${JSON.stringify(schema.const)}</code>`;
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return html`any value`;
  const named = types.map((type) =>
    type === "array" && isSchema(schema.items) ? html`array of ${typeOf(schema.items)}` : html`${type}`,
  );
  return html`${named.map((name, index) => html`${index > 0 && " or "}${name}`)}`;
}

function schemaLink(ref: string): Html {
  const name = ref.slice(ref.lastIndexOf("/") + 1);
  return html`<a href="#schema-${name}">${name}</a>`;
}

const limits: readonly [keyword: string, text: string][] = [
  ["format", "format"],
  ["minimum", "at least"],
  ["exclusiveMinimum", "more than"],
  ["maximum", "at most"],
  ["minLength", "characters at least"],
  ["maxLength", "characters at most"],
  ["minItems", "items at least"],
  ["maxItems", "items at most"],
  ["pattern", "pattern"],
  ["default", "default"],
];

/** The constraints of a value: range, length, pattern, allowed values, default. */
export function limitsOf(schema: Schema): Html | null {
  const said = limits
    .filter(([keyword]) => schema[keyword] !== undefined)
    .map(([keyword, text]) => {
      const value = schema[keyword];
      return html`<li>${text} <code>${typeof value === "string" ? value : JSON.stringify(value)}</code></li>`;
    });
  if (Array.isArray(schema.enum)) {
    said.push(
      html`<li>
        one of ${schema.enum.map((value, index) => html`${index > 0 && ", "}<code>${value as string}</code>`)}
      </li>`,
    );
  }
  return said.length === 0
    ? null
    : html`<ul class="limits">
        ${said}
      </ul>`;
}

/** A schema in full: description, constraints, and a table of its properties, with nested objects inside. */
export function schemaView(schema: Schema, depth = 0): Html {
  const properties = isSchema(schema.properties) ? Object.entries(schema.properties) : [];
  const required = new Set(Array.isArray(schema.required) ? (schema.required as string[]) : []);
  const combined = ["allOf", "anyOf", "oneOf"].flatMap((keyword) =>
    schemasOf(schema[keyword]).filter((part) => part.properties !== undefined),
  );
  return html`${depth === 0 && schema.description ? html`<p>${prose(schema.description)}</p>` : null}
  ${
    properties.length === 0 && depth === 0
      ? html`<p>${typeOf(schema)}</p>
          ${limitsOf(schema)}`
      : null
  }
  ${
    properties.length > 0 &&
    html`<div class="scroll">
      <table class="properties">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Type</th>
            <th scope="col">Description</th>
          </tr>
        </thead>
        <tbody>
          ${properties.map(([name, value]) => propertyRow(name, value as Schema, required.has(name), depth))}
        </tbody>
      </table>
    </div>`
  }
  ${depth < 4 && combined.map((part) => schemaView(part, depth + 1))}`;
}

function propertyRow(name: string, schema: Schema, required: boolean, depth: number): Html {
  const inner = isSchema(schema.properties)
    ? schema
    : isSchema(schema.items) && schema.items.properties
      ? schema.items
      : null;
  return html`<tr>
    <th scope="row">
      <code>${name}</code
      >${required ? html` <span class="required">required</span>` : null}${schema["x-open"] === true && openBadge}
    </th>
    <td>${typeOf(schema)}</td>
    <td>
      ${prose(schema.description)}${limitsOf(schema)}${
        inner && depth < 4
          ? html`<details>
              <summary>Fields</summary>
              ${schemaView(inner, depth + 1)}
            </details>`
          : null
      }
    </td>
  </tr>`;
}
