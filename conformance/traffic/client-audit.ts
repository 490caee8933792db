import http from "node:http";
import https from "node:https";
import type { Row } from "../judge/rows.ts";
import { isFields } from "../judge/seen.ts";
import { pathOf } from "../judge/operations.ts";

/** How long a client's audit may take to answer, in ms; a client that waits for the report has no more patience. */
const patienceMs = 10_000;
const pageSize = 1000;

/**
 * The usage events of Calls since a time, asked with a client's own key.
 * @param sinceMs epoch milliseconds
 * @throws Error with the reason why the audit could not be read
 */
export async function eventsSince(
  baseUrl: string,
  key: string,
  sinceMs: number,
  ca: string | undefined,
): Promise<Row[]> {
  // A minute earlier, since clocks differ.
  const start = new Date(sinceMs - 60_000).toISOString();
  const query = new URLSearchParams({ kind: "call", start_date: start, page_size: String(pageSize) });
  const body = await get(`${baseUrl}${pathOf("listUsage")}?${query.toString()}`, key, ca);
  const data = isFields(body) ? body["data"] : undefined;
  if (!isFields(data) || !Array.isArray(data["items"])) throw new Error("its answer holds no list");
  return data["items"].filter(isFields);
}

function get(url: string, key: string, ca: string | undefined): Promise<unknown> {
  const send = url.startsWith("https:") ? https.get : http.get;
  const headers = { authorization: `Bearer ${key}` };
  const options = { headers, timeout: patienceMs, agent: false, ...(ca !== undefined && { ca }) };
  return new Promise((resolve, reject) => {
    const request = send(url, options, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (chunk: string) => (text += chunk));
      answer.on("error", reject);
      answer.on("end", () => {
        if (answer.statusCode !== 200) return reject(new Error(`it answered ${answer.statusCode}`));
        try {
          resolve(JSON.parse(text));
        } catch {
          reject(new Error("its answer is not JSON"));
        }
      });
    });
    request.on("timeout", () => request.destroy(new Error(`no answer within ${patienceMs / 1000} s`)));
    request.on("error", reject);
  });
}
