import http from "node:http";
import https from "node:https";
import { setTimeout as pause } from "node:timers/promises";
import type { Row } from "../judge/rows.ts";
import { isFields } from "../judge/seen.ts";
import { pathOf } from "../judge/operations.ts";

/** How long a read of a client's audit may take, in ms; a client that waits for the report has no more patience. */
const patienceMs = 10_000;
const pageSize = 1000;
/** Reads that may fail, and the pauses between them in ms: each is twice the one before. */
const attempts = 7;
const firstPauseMs = 100;
/** The longest wait that a 429 may ask for, in seconds. */
const longestWaitSeconds = 10;

/**
 * The usage events of Calls since a time, asked with a client's own key: again where a read fails in a way that may pass,
 * and until two reads agree, since records may appear late.
 * @param sinceMs epoch milliseconds
 * @throws Error with the reason why the audit could not be read
 */
export async function eventsSince(
  baseUrl: string,
  key: string,
  sinceMs: number,
  ca: string | undefined,
): Promise<Row[]> {
  let seen = null as Row[] | null;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const events = await readOnce(baseUrl, key, sinceMs, ca);
      if (seen?.length === events.length || attempt >= attempts) return events;
      seen = seen === null || events.length > seen.length ? events : seen;
    } catch (error) {
      const isPassing = !(error instanceof Refused) || error.isPassing;
      if (!isPassing || (attempt >= attempts && seen === null)) throw error;
      if (attempt >= attempts) return seen!;
      await pause(error instanceof Refused ? 1000 * error.waitSeconds : 0);
    }
    await pause(firstPauseMs * 2 ** (attempt - 1));
  }
}

/** An answer other than 200. */
class Refused extends Error {
  readonly isPassing: boolean;
  readonly waitSeconds: number;

  constructor(status: number, retryAfter: string | undefined) {
    super(`it answered ${status}`);
    this.isPassing = status >= 500 || status === 408 || status === 429;
    this.waitSeconds = Math.min(longestWaitSeconds, Number(retryAfter) || 0);
  }
}

/** All pages of the audit. */
async function readOnce(
  baseUrl: string,
  key: string,
  sinceMs: number,
  ca: string | undefined,
): Promise<Row[]> {
  // A minute earlier, since clocks differ.
  const start = new Date(sinceMs - 60_000).toISOString();
  const events: Row[] = [];
  for (let page = 1; ; page += 1) {
    const query = new URLSearchParams({ kind: "call", start_date: start, page_size: String(pageSize) });
    if (page > 1) query.set("page", String(page));
    const body = await get(`${baseUrl}${pathOf("listUsage")}?${query.toString()}`, key, ca);
    const data = isFields(body) ? body["data"] : undefined;
    if (!isFields(data) || !Array.isArray(data["items"])) throw new Error("its answer holds no list");
    const items = data["items"].filter(isFields);
    events.push(...items);
    if (items.length === 0 || events.length >= Number(data["total"] ?? 0)) return events;
  }
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
        const { statusCode = 0, headers } = answer;
        if (statusCode !== 200) return reject(new Refused(statusCode, headers["retry-after"]));
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
