import { crossing, type Crossing } from "../../judge/crossing.ts";
import type { ClientMemory } from "../../judge/memory.ts";

/** The mask of a credential in an exchange; see masking.ts. */
const labels = /«key \d+»/g;

const keysIn = (text: string): string[] => text.match(labels) ?? [];

const knownKey = (texts: readonly string[], memory: ClientMemory): string | undefined =>
  texts.flatMap(keysIn).find((key) => memory.accounts.get(key) === true);

const isKeyParameter = /[?&](api[_-]?key|apikey|access_token|auth_token)=[^&#]/i;

/** Where a client sends its key, and how it downloads results that did not fit into an answer. */
export const clientRules: Crossing[] = [
  crossing("FLOW-19", "full_content_file_url is used exactly as returned", ({ memory }) => ({ exchange }) => {
    if (exchange.operation !== null || !URL.canParse(exchange.request.url)) return null;
    const url = new URL(exchange.request.url);
    url.hash = "";
    const returned = memory.files.get(url.origin + url.pathname);
    if (returned === undefined) return null;
    // A signature is as sensitive as a credential, so show where it differs without showing it.
    return (
      returned.get(url.href) ?? {
        expected: `${url.origin}${url.pathname} with a query that was returned`,
        received: "another query",
      }
    );
  }),
  crossing(
    "FLOW-20",
    "no credential is sent to the origin of full results",
    ({ memory }) =>
      ({ exchange }) => {
        if (exchange.operation !== null || !URL.canParse(exchange.request.url)) return null;
        const { origin } = new URL(exchange.request.url);
        if (memory.fileOrigins.get(origin) === undefined) return null;
        const { url, headers, body } = exchange.request;
        const key = knownKey([url, body ?? "", ...Object.values(headers)], memory);
        return (
          key === undefined || {
            expected: `no credential of the API in a request to ${origin}`,
            received: key,
          }
        );
      },
  ),
  crossing("FLOW-25", "a key is sent as a bearer token in Authorization", ({ memory }) => ({ exchange }) => {
    const { operation, request } = exchange;
    if (operation === null || operation === "verifyToken") return null;
    const expected = "the key in the header Authorization, as a bearer token";
    if (knownKey([request.url], memory) !== undefined || isKeyParameter.test(request.url)) {
      return { expected, received: "a key in the address" };
    }
    const { authorization, ...others } = request.headers;
    const elsewhere = Object.entries(others).find(([, value]) => keysIn(value).length > 0);
    if (elsewhere !== undefined) return { expected, received: `a key in the header ${elsewhere[0]}` };
    if (authorization === undefined) return null;
    return (
      /^Bearer «/i.test(authorization) || {
        expected,
        received: `Authorization: ${authorization.slice(0, 40)}`,
      }
    );
  }),
];
