import type { Document } from "./document.ts";
import { entriesOf, isObject, itemsOf, member, step, type Json, type JsonObject } from "../../base/data.ts";

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/** One operation of a document: of a path, a webhook or a callback. */
export interface Operation {
  /** Method and path, by which it is known: `GET /orders/{id}`. */
  title: string;
  /** Its operationId: a label, which documents repeat, renumber and leave out. */
  id: string | undefined;
  method: string;
  path: string;
  document: Document;
  pointer: string;
  raw: JsonObject;
  /** The path item, whose parameters it shares. */
  shared: JsonObject;
}

export const titleOf = ({ method, path }: Pick<Operation, "method" | "path">): string =>
  `${method.toUpperCase()} ${path}`;

/** The operations of a document in document order: of its paths, or of the webhooks, which the server calls. */
export function operationsOf(document: Document, folder: "paths" | "webhooks" = "paths"): Operation[] {
  const { root } = document;
  // OpenAPI 3.0 has them as an extension.
  const name = folder === "webhooks" && root[folder] === undefined ? "x-webhooks" : folder;
  return operationsIn(document, root[name], `/${name}`);
}

/** The requests that the server sends in response to those of an operation. */
export const callbacksOf = ({ document, raw, pointer }: Operation): Operation[] =>
  entriesOf(raw["callbacks"]).flatMap(([name, written]) =>
    operationsIn(document, document.resolved(written), `${pointer}/callbacks/${step(name)}`, `${name} `),
  );

function operationsIn(document: Document, paths: Json | undefined, folder: string, before = ""): Operation[] {
  return entriesOf(paths).flatMap(([key, written]) => {
    const shared = document.resolved(written);
    if (!isObject(shared) || key.startsWith("x-")) return [];
    const path = before + key;
    const usual = methods.map((method) => [method, shared[method]] as const);
    return [...usual, ...entriesOf(shared["additionalOperations"])].flatMap(([method, raw]) => {
      if (!isObject(raw)) return [];
      const { operationId } = raw;
      const id = typeof operationId === "string" ? operationId : undefined;
      const pointer = document.pointerOf(raw) ?? `${folder}/${step(key)}/${method}`;
      return { title: titleOf({ method, path }), id, method, path, document, pointer, raw, shared };
    });
  });
}

/** Maximum number of addresses that the variables of one server give. */
const maxAddresses = 64;

/** The base addresses of an operation, one for each value that a variable lists, else with its default. */
export function addressesOf({ document, raw, shared }: Operation): string[] {
  const servers = itemsOf(raw["servers"] ?? shared["servers"] ?? document.root["servers"]);
  if (servers.length === 0) return [""];
  return servers.flatMap((server) => {
    let addresses = [String(member(server, "url")).replace(/\/+$/, "")];
    for (const [name, variable] of entriesOf(member(server, "variables"))) {
      const listed = itemsOf(member(variable, "enum"));
      const values = listed.length > 0 ? listed : [member(variable, "default") ?? `{${name}}`];
      addresses = addresses
        .flatMap((address) => values.map((value) => address.replaceAll(`{${name}}`, String(value))))
        .slice(0, maxAddresses);
    }
    return [...new Set(addresses.map((address) => address.replace(/\/+$/, "")))];
  });
}

export const prefixOf = (address: string): string => address.replace(/^[a-z]+:\/\/[^/]*/i, "");

/** Method and path below each server: as written, and with parameters by position; the latter without a server, too. */
export function keysOf(operation: Operation) {
  const { method, path } = operation;
  const prefixes = [...new Set(addressesOf(operation).map(prefixOf))];
  const keys = (below: string): string[] => prefixes.map((prefix) => `${method} ${prefix}${below}`);
  const shape = path.replace(/\{[^}]*\}/g, "{}");
  return { literal: keys(path), full: keys(shape), plain: `${method} ${shape}` };
}

/** The parameters by location and name; a path parameter by its position in the path, unless the path is another. */
export function parametersOf(operation: Operation, isMoved: boolean): Map<string, JsonObject> {
  const { document, raw, shared, path } = operation;
  const byKey = new Map<string, JsonObject>();
  const inPath = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name);
  for (const written of [...itemsOf(shared["parameters"]), ...itemsOf(raw["parameters"])]) {
    const parameter = document.resolved(written);
    if (!isObject(parameter)) continue;
    const [name, place] = [String(parameter["name"]), String(parameter["in"])];
    const isHeader = place === "header";
    // OpenAPI ignores these as parameters: the content and the security schemes describe them.
    if (isHeader && /^(accept|content-type|authorization)$/i.test(name)) continue;
    const key = place === "path" && !isMoved ? inPath.indexOf(name) : isHeader ? name.toLowerCase() : name;
    // There is one query string, whatever its parameter is called.
    byKey.set(place === "querystring" ? place : `${place} ${key}`, parameter);
  }
  return byKey;
}

export type Form = ReturnType<typeof formOf>;

/** What binds a parameter besides its value, with OpenAPI's defaults. */
export function formOf(parameter: Json | undefined) {
  const place = String(member(parameter, "in"));
  const usual = ["path", "header"].includes(place) ? "simple" : "form";
  const style = String(member(parameter, "style") ?? usual);
  const explode = (member(parameter, "explode") ?? style === "form") === true;
  return { style, explode, required: member(parameter, "required") === true || place === "path" };
}

/** A media type of a body. */
export type Media = { type: string; media: Json };

/** A media type in lower case and without `charset=utf-8`, which is the default. */
export function mediaTypeOf(written: string): string {
  const [essence, ...parameters] = written.split(";").map((part) => part.trim().toLowerCase());
  const binding = parameters.filter((parameter) => !/^(charset="?utf-8"?)?$/.test(parameter));
  return [essence, ...binding.toSorted()].join(";");
}

/** The media types of a body, behind their references. */
export function mediaTypesOf(document: Document, content: Json | undefined): Map<string, Media> {
  const all = entriesOf(content).map(([type, media]) => ({ type, media: document.resolved(media) ?? {} }));
  return new Map(all.map((media) => [mediaTypeOf(media.type), media]));
}

/** The media type, or the narrowest range, that includes a type. */
export function takingIn(types: ReadonlyMap<string, Media>, type: string): Media | undefined {
  const [family] = type.split("/");
  return [type, `${family}/*`, "*/*"].map((range) => types.get(range)).find((range) => range !== undefined);
}

/** The media type that a type specialises: by other parameters, or by the `+json` suffix. */
export function generalOf(types: ReadonlyMap<string, Media>, type: string): Media | undefined {
  const [essence, suffix] = [type.split(";")[0]!, /\+(\w+)(?:;|$)/.exec(type)?.[1]];
  const general = [essence, `${essence.split("/")[0]}/${suffix}`];
  return [...types].find(([key]) => key !== type && general.includes(key.split(";")[0]!))?.[1];
}

/** A success is what a client expects; it handles all other answers by class. */
export const isSuccess = (status: string): boolean => status.startsWith("2");

/** The status, range or `default` that covers a status or a range. `default` is not a success if one is declared. */
export function statusFor(answers: ReadonlyMap<string, unknown>, status: string): string | undefined {
  const range = /^\d/.test(status) ? `${status[0]}XX` : status;
  const match = [status, range, "default"].find((key) => answers.has(key));
  const isNamed = match !== "default" || !isSuccess(status) || ![...answers.keys()].some(isSuccess);
  return isNamed || status === "default" ? match : undefined;
}

/** The answers among the responses of an operation by status, with ranges in capitals. */
export const answersOf = (responses: Json | undefined): Map<string, Json> =>
  new Map(
    entriesOf(responses)
      .filter(([status]) => !status.startsWith("x-"))
      .map(([status, answer]) => [/^\dxx$/i.test(status) ? status.toUpperCase() : status, answer]),
  );

/** The headers of an answer by their names in lower case, each with its name as written. */
export const headersOf = (headers: Json | undefined): Map<string, [name: string, written: Json]> =>
  new Map(entriesOf(headers).map((header) => [header[0].toLowerCase(), header]));

/** The date of `x-sunset`, as YYYY-MM-DD; undefined when there is none, null when it is not a date. */
export function sunsetOf(value: unknown): string | null | undefined {
  const written = member(value, "x-sunset");
  if (written === undefined) return undefined;
  const day = /^\d{4}-\d{2}-\d{2}/.exec(String(written))?.[0];
  return day !== undefined && !Number.isNaN(Date.parse(String(written))) ? day : null;
}

/** The meaning of an announced removal from the contract; undefined when it was not announced. */
export function announcedRemoval(value: unknown, today: string) {
  const day = sunsetOf(value);
  if (member(value, "deprecated") !== true || day === null) return undefined;
  if (day === undefined) return "deprecated_removed";
  return day <= today ? "removed_after_sunset" : undefined;
}
