import { readFile } from "node:fs/promises";
import https from "node:https";
import type { Exchange, Headers } from "../judge/exchange.ts";
import { WrongUse } from "../../base/exit.ts";
import { moment } from "../judge/moment.ts";
import { Blocked, Unverifiable } from "../judge/verdict.ts";
import { Answer } from "../judge/answer.ts";
import { textOf } from "./client.ts";
import type { Profile } from "./profile.ts";
import { CutShort, receive } from "./receive.ts";
import type { Session } from "./session.ts";

/** Time and size limits for a file from the object storage. */
const bounds = { silenceMs: 30_000, bytes: 64 * 1024 * 1024 };

/**
 * Fetches a `full_content_file_url` exactly as returned, without the API's credential, and keeps the exchange in the
 * session; one that ends too early contains the part that was received. Trusts only the profile's CA; without one, the
 * system's, and any on this machine.
 * @throws Blocked when there is no answer, or the URL is not an HTTPS address; Unverifiable when there is no answer and
 *   the profile has no CA; WrongUse when the CA cannot be read
 */
export async function download(session: Session, profile: Profile, url: string): Promise<Answer> {
  if (!URL.canParse(url) || new URL(url).protocol !== "https:") {
    throw new Blocked(
      `full_content_file_url is not an HTTPS address: ${session.secrets.mask(url)}`,
      session.last,
    );
  }
  const { ca: caFile } = profile.object_storage;
  const ca = caFile === undefined ? undefined : await certificateAuthority(caFile);
  const rejectUnauthorized = caFile !== undefined || !isOwnMachine(new URL(url).hostname);
  const { at, since } = moment(() => session.now());
  const requestHeaders: Headers = { accept: "*/*" };
  const record = (response: Exchange["response"], error: string | null): Exchange => {
    const exchange: Exchange = {
      operation: null,
      account: null,
      started_at: at,
      duration_ms: Math.round((performance.now() - since) * 1000) / 1000,
      request: { method: "GET", url: session.secrets.mask(url), headers: requestHeaders, body: null },
      response: response && { ...response, body: session.secrets.mask(response.body) },
      error,
    };
    session.client.keep(exchange);
    session.exchanges.push(exchange);
    return exchange;
  };

  try {
    const options = { ca, rejectUnauthorized, agent: false, headers: requestHeaders };
    const read = () => receive(https.get(url, options), bounds);
    // A connection may break. If the answer ends too early twice, it is taken as it is.
    const { incoming, bytes } = await read().catch((error: unknown) => {
      asCutShort(error);
      return read().catch(asCutShort);
    });
    const text = textOf(bytes, incoming.headers["content-encoding"]);
    const status = incoming.statusCode ?? 0;
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, [value].flat().join(", ")]),
    );
    return new Answer(status, headers, text, record({ status, headers, body: text }, null));
  } catch (error) {
    const { message } = error as Error;
    const exchange = record(null, message);
    if (caFile === undefined) {
      // The network between may be the reason, where the profile does not promise the storage.
      throw new Unverifiable(
        `the object storage cannot be reached: ${message}`,
        "object_storage: {ca: FILE}",
      );
    }
    throw new Blocked(`no answer to GET ${exchange.request.url}: ${message}`, exchange);
  }
}

function asCutShort(error: unknown): CutShort {
  if (error instanceof CutShort) return error;
  throw error;
}

/** A loopback address needs no certificate. */
const isOwnMachine = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);

async function certificateAuthority(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch {
    throw new WrongUse(
      `the CA of the object storage cannot be read: ${file}; object_storage.ca names a PEM file`,
    );
  }
}
