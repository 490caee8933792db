import { readFileSync } from "node:fs";
import { contractFile } from "../../cli/pinned.ts";
import { clauses, type Clause } from "../../generated/clauses.ts";
import {
  publishedOperations,
  readSpec,
  resolve,
  type PublishedOperation,
  type Schema,
  type Spec,
} from "../http/published-operations.ts";
import { html, page, type Html } from "./html.ts";
import { limitsOf, openBadge, prose, schemaView, typeOf } from "./schema-view.ts";

interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { summary?: string; value?: unknown }>;
}

interface Described {
  description?: string;
  required?: boolean;
  schema?: Schema;
  example?: unknown;
  "x-open"?: boolean;
  content?: Record<string, Media>;
  headers?: Record<string, Described | { $ref: string }>;
}

interface Operation extends Described {
  summary?: string;
  tags?: string[];
  security?: Record<string, unknown>[];
  requestBody?: Described | { $ref: string };
  responses: Record<string, Described | { $ref: string }>;
}

interface Info {
  title: string;
  version: string;
  description?: string;
}

/** The API reference: every operation of the spec, its schemas and its clauses, on one page without scripts. */
export function referencePage(): string {
  const spec = readSpec();
  const info = spec.info as Info;
  const tags = (spec as Spec & { tags?: { name: string; description?: string }[] }).tags ?? [];
  const operations = publishedOperations(spec);
  const ofTag = (tag: string) => operations.filter(({ spec: operation }) => tagOf(operation) === tag);
  const schemas = Object.entries((spec.components?.schemas ?? {}) as Record<string, Schema>);

  return page(
    { title: `${info.title}: API reference`, lang: "en", className: "reference" },
    html`<a class="skip" href="#content">Skip to the operations</a>
      ${contents(tags, ofTag, schemas)}
      <main id="content">
        <header id="top">
          <h1>${info.title}</h1>
          <p class="lead">${prose(info.description)}</p>
          <p class="facts">
            Version <code>${info.version}</code> · <a href="/openapi.json">OpenAPI as JSON</a> ·
            <a href="/openapi.yaml">as YAML</a> · <a href="/reference/contract">the contract</a> ·
            <a href="/claim">claim a trial</a>
          </p>
          <p>
            Every path stands under <code>/api/v1</code>. ${openBadge} marks what the contract leaves to the
            server.
          </p>
        </header>
        ${tags.map(
          ({ name, description }) =>
            html`<section aria-labelledby="tag-${name}">
              <h2 class="tag" id="tag-${name}">${name}</h2>
              <p>${prose(description)}</p>
              ${ofTag(name).map((operation) => operationView(spec, operation))}
            </section>`,
        )}
        <section aria-labelledby="schemas">
          <h2 class="tag" id="schemas">Schemas</h2>
          ${schemas.map(
            ([name, schema]) =>
              html`<article class="schema" id="schema-${name}">
                <h3>${name}${schema["x-open"] === true && openBadge}</h3>
                ${schemaView(schema)}
              </article>`,
          )}
        </section>
      </main>`,
  );
}

function contents(
  tags: readonly { name: string }[],
  ofTag: (tag: string) => PublishedOperation[],
  schemas: readonly [string, Schema][],
): Html {
  return html`<nav aria-label="Contents">
    <p class="brand"><a href="#top">API reference</a></p>
    ${tags.map(
      ({ name }) =>
        html`<h2>${name}</h2>
          <ul>
            ${ofTag(name).map(
              ({ id, method, spec: operation }) =>
                html`<li>
                  <a href="#${id}"
                    ><span class="method ${method}">${method}</span>
                    ${(operation as Operation).summary ?? id}</a
                  >
                </li>`,
            )}
          </ul>`,
    )}
    <details>
      <summary>Schemas</summary>
      <ul>
        ${schemas.map(([name]) => html`<li><a href="#schema-${name}">${name}</a></li>`)}
      </ul>
    </details>
  </nav>`;
}

const tagOf = (operation: object): string => (operation as Operation).tags?.[0] ?? "";

function operationView(spec: Spec, { id, method, path, spec: raw, parameters }: PublishedOperation): Html {
  const operation = raw as unknown as Operation;
  const body = operation.requestBody && resolve<Described>(spec, operation.requestBody);
  return html`<article class="operation" id="${id}">
    <h3>${operation.summary ?? id}</h3>
    <p class="line"><span class="method ${method}">${method}</span> <code>${path}</code></p>
    <p>${prose(operation.description)}</p>
    <p class="facts">${securityOf(operation)} · <code>${id}</code></p>
    ${
      parameters.length > 0 &&
      html`<h4>Parameters</h4>
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">In</th>
                <th scope="col">Type</th>
                <th scope="col">Description</th>
              </tr>
            </thead>
            <tbody>
              ${(parameters as unknown as (Described & { name: string; in: string })[]).map(
                (parameter) =>
                  html`<tr>
                    <th scope="row">
                      <code>${parameter.name}</code
                      >${parameter.required === true ? html` <span class="required">required</span>` : null}${parameter["x-open"] === true && openBadge}
                    </th>
                    <td>${parameter.in}</td>
                    <td>${typeOf(parameter.schema)}</td>
                    <td>
                      ${prose(parameter.description)}${parameter.schema ? limitsOf(parameter.schema) : null}${parameter.example === undefined ? null : html`<p class="example">e.g. <code>${inline(parameter.example)}</code></p>`}
                    </td>
                  </tr>`,
              )}
            </tbody>
          </table>
        </div>`
    }
    ${
      body
        ? html`<h4>Body</h4>
            ${contentView(spec, body, "open")}`
        : null
    }
    <h4>Answers</h4>
    ${Object.entries(operation.responses).map(([status, answer]) => answerView(spec, status, resolve<Described>(spec, answer)))}
    ${clausesView(id)}
  </article>`;
}

function securityOf({ security }: Operation): string {
  if (!security || security.length === 0 || security.some((scheme) => Object.keys(scheme).length === 0)) {
    return "No credential needed";
  }
  return `Credential: ${[...new Set(security.flatMap((scheme) => Object.keys(scheme)))].join(" or ")}`;
}

function answerView(spec: Spec, status: string, answer: Described): Html {
  const headers = Object.entries(answer.headers ?? {});
  return html`<details class="answer" ${status === "200" ? html` open` : null}>
    <summary>
      <span class="status s${status[0] ?? ""}">${status}</span>
      ${prose(answer.description)}${answer["x-open"] === true && openBadge}
    </summary>
    ${contentView(spec, answer, "closed")}
    ${headers.length > 0 && html`<p class="facts">Headers: ${headers.map(([name, header], index) => html`${index > 0 && ", "}<code title="${resolve<Described>(spec, header).description ?? ""}">${name}</code>`)}</p>`}
  </details>`;
}

/** Each content type with its examples and the fields of its schema, optionally collapsed. */
function contentView(spec: Spec, { content }: Described, fields: "open" | "closed"): Html {
  return html`${Object.entries(content ?? {}).map(([type, media]) => {
    const schema = media.schema;
    const examples = Object.values(media.examples ?? {});
    if (media.example !== undefined) examples.unshift({ value: media.example });
    return html`<p><code>${type}</code>: ${typeOf(schema)}${schema?.["x-open"] === true && openBadge}</p>
      ${schema ? fieldsView(resolve<Schema>(spec, schema as { $ref: string }), fields === "open") : null}
      ${examples.map(
        ({ summary, value }) =>
          html`<details class="sample">
            <summary>Example${summary ? html`: ${prose(summary)}` : null}</summary>
            <pre
              tabindex="0"
            ><code>${typeof value === "string" ? value : JSON.stringify(value, null, 2)}</code></pre>
          </details>`,
      )}`;
  })}`;
}

function fieldsView(schema: Schema, open: boolean): Html | null {
  if (!schema.properties && !schema.allOf) return null;
  return html`<details class="sample" ${open ? html`open` : null}>
    <summary>Fields</summary>
    ${schemaView(schema)}
  </details>`;
}

function clausesView(operationId: string): Html | null {
  const own = (clauses as readonly Clause[]).filter(({ operation }) =>
    [operation ?? []].flat().some((id) => id === operationId),
  );
  if (own.length === 0) return null;
  return html`<details class="clauses">
    <summary>${own.length} clauses of the contract</summary>
    <ul>
      ${own.map(
        ({ id, level, party, text, line }) =>
          html`<li id="${operationId}-${id}">
            <a href="/reference/contract#L${line}">${id}</a>
            <span class="level">${party === "client" ? "client " : ""}${level}</span> ${prose(text)}
          </li>`,
      )}
    </ul>
  </details>`;
}

const inline = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** The contract's text line by line, so that each clause can link to its lines. */
export function contractPage(): string {
  const lines = readFileSync(contractFile(), "utf8").replace(/\n$/, "").split("\n");
  return page(
    { title: "The contract", lang: "en", className: "contract" },
    html`<main>
      <p class="facts"><a href="/reference">API reference</a></p>
      <ol class="lines">
        ${lines.map((line, index) => html`<li id="L${index + 1}" ${line.startsWith("#") ? html` class="heading"` : null}>${line === "" ? html`&nbsp;` : line}</li>`)}
      </ol>
    </main>`,
  );
}
