import { readFile, stat } from "node:fs/promises";
import { fieldsOf, listOf, textOf, type Fields } from "./har-entry.ts";
import type { Entry } from "./json-entries.ts";

/** Larger exports are not read: they are held in memory as a whole. */
const maxBytes = 256 * 1024 * 1024;

/**
 * What Postman and Newman export, as entries of a HAR file: the saved responses of a collection (v2.0, v2.1), or the
 * executions of Newman's JSON report. Neither says when a request was sent. Null for any other JSON.
 * @param baseUrl what stands for a variable at the beginning of an address that only an environment has
 */
export async function savedEntries(file: string, baseUrl?: string): Promise<Entry[] | null> {
  if ((await stat(file)).size > maxBytes) return null;
  const text = (await readFile(file, "utf8")).replace(/^\uFEFF/, "");
  const json = fieldsOf(JSON.parse(text));
  const runs = listOf(fieldsOf(json["run"])["executions"]);
  const values = variablesOf(json["collection"] ?? json);
  const saved =
    runs.length > 0
      ? runs.map(({ request, response, requestError }) => ({ request, response, error: requestError }))
      : examplesIn(listOf(json["item"]));
  if (saved.length === 0 && !Array.isArray(json["item"])) return null;
  return saved.map((request) => ({ value: entryOf(request, values, baseUrl), cut: false }));
}

interface Saved {
  request: unknown;
  response: unknown;
  error?: unknown;
}

/** The saved responses of a collection and of its folders. */
const examplesIn = (items: readonly Fields[]): Saved[] =>
  items.flatMap((item) => [
    ...listOf(item["response"]).map((response) => ({
      request: response["originalRequest"] ?? item["request"],
      response,
    })),
    ...examplesIn(listOf(item["item"])),
  ]);

const variablesOf = (collection: unknown): ((text: string) => string) => {
  const values = new Map(
    listOf(fieldsOf(collection)["variable"]).map(({ key, value }) => [key, textOf(value)]),
  );
  return (text) => text.replaceAll(/\{\{([^{}]+)\}\}/g, (all, name: string) => values.get(name) ?? all);
};

function entryOf(
  { request: given, response: answer, error }: Saved,
  filled: (text: string) => string,
  baseUrl: string | undefined,
): Fields {
  const request = typeof given === "string" ? { url: given } : fieldsOf(given);
  const response = fieldsOf(answer);
  const pairs = (list: unknown): { name: unknown; value: unknown }[] =>
    listOf(list)
      .filter(({ disabled }) => disabled !== true)
      .map(({ key, value }) => ({ name: key, value: typeof value === "string" ? filled(value) : value }));
  const raw = fieldsOf(request["body"])["raw"];
  const stream = fieldsOf(response["stream"])["data"];
  const body = Array.isArray(stream) ? Buffer.from(stream as number[]).toString("utf8") : response["body"];
  const sent = known(filled(textOf(raw)));
  return {
    time: response["responseTime"],
    request: {
      method: request["method"],
      url: known(placed(filled(addressOf(request["url"])), baseUrl)),
      headers: [...pairs(request["header"]), ...bearerOf(request["auth"], filled)],
      bodySize: request["body"] == null ? 0 : -1,
      ...(sent !== "" && { postData: { text: sent } }),
    },
    response: {
      status: response["code"],
      headers: pairs(response["header"]),
      content: { text: body },
      ...(textOf(fieldsOf(error)["code"]) !== "" && { _error: fieldsOf(error)["code"] }),
    },
  };
}

/** A text that has variables without a value does not show what was sent. */
const known = (text: string): string => (text.includes("{{") ? "" : text);

/** An address at the server, if it begins with a variable without a value. */
function placed(address: string, baseUrl: string | undefined): string {
  const rest = address.replace(/^(?:https?:\/\/)?\{\{[^{}]+\}\}/, "");
  if (baseUrl === undefined || rest === address || !URL.canParse(baseUrl)) return address;
  const { origin, pathname } = new URL(baseUrl);
  return rest.startsWith(`${pathname}/`) ? origin + rest : baseUrl + rest;
}

/** An address: text, `raw`, or the parts of it. */
function addressOf(url: unknown): string {
  if (typeof url === "string") return url;
  const { raw, protocol, host, port, path, query, variable } = fieldsOf(url);
  const values = new Map(listOf(variable).map(({ key, value }) => [key, textOf(value)]));
  if (textOf(raw) !== "")
    return textOf(raw).replaceAll(/(?<=\/):([^/?#]+)/g, (all, name: string) => values.get(name) || all);
  const joined = (parts: unknown, by: string): string =>
    Array.isArray(parts) ? parts.join(by) : textOf(parts);
  const search = listOf(query)
    .filter(({ disabled }) => disabled !== true)
    .map(({ key, value }) => `${textOf(key)}=${textOf(value)}`)
    .join("&");
  const authority = joined(host, ".") + (textOf(port) === "" ? "" : `:${textOf(port)}`);
  return `${textOf(protocol) || "http"}://${authority}/${joined(path, "/")}${search === "" ? "" : `?${search}`}`;
}

/** The credential that a request takes from its own tab instead of a header. */
function bearerOf(auth: unknown, filled: (text: string) => string): { name: string; value: string }[] {
  const { type, bearer } = fieldsOf(auth);
  const token = textOf(Array.isArray(bearer) ? listOf(bearer)[0]?.["value"] : fieldsOf(bearer)["token"]);
  return type === "bearer" && token !== ""
    ? [{ name: "authorization", value: `Bearer ${filled(token)}` }]
    : [];
}
