import { decoded, encoded } from "../../../base/address.ts";

/*
 * A later request repeats what an earlier response gave: an execution's id, a cursor, a key. In a script such a value is
 * taken from the new response.
 */

/**
 * The names of members whose value a server makes up, so that another run has another. A script makes variables of them: a
 * server may choose names, but none that a shell would read as more.
 */
const givenName = /^(?:id|api_key|claim_code|[a-z]\w*_(?:id|at|url)|(?:[a-z]\w*_)?cursor)$/;

/** The names among them whose values are the server's constants: the same tool has the same id in every run. */
const constantName = /^(?:tool_id|capability_id|provider_id)$/;

/** Parameters whose values no response gives. */
const isOwnNumber = /^(?:page|page_size|limit)$/;

/** A value that a response gave. */
export interface Given {
  name: string;
  value: string;
  /** Its path in the body, such as `data.items.0.id`. */
  path: string;
}

/** The values that a response gives to later requests. */
export function givenBy(body: unknown, path = "", name = ""): Given[] {
  if (typeof body === "object" && body !== null)
    return Object.entries(body).flatMap(([key, value]) =>
      givenBy(value, path === "" ? key : `${path}.${key}`, Array.isArray(body) ? name : key),
    );
  const isMade = givenName.test(name) && !constantName.test(name);
  const isValue = (typeof body === "string" && body !== "") || typeof body === "number";
  return isMade && isValue ? [{ name, value: String(body), path }] : [];
}

/** The parts of a request that may repeat a value: the credential, segments and parameters of its path, values of its body. */
export interface Sent {
  method: string;
  /** Below the base URL, with the query. */
  path: string;
  /** The value of `Authorization`, if it has one. */
  authorization: string | null;
  headers: Record<string, string>;
  body: string | null;
}

/**
 * A request with some of its values replaced.
 * @param replaced the new value; undefined leaves it as it is
 */
export function withValues(sent: Sent, replaced: (value: string) => string | undefined): Sent {
  const inAddress = (text: string): string => {
    const value = replaced(decoded(text));
    return value === undefined ? text : encoded(value);
  };
  const [path = "", query] = sent.path.split(/\?(.*)/s);
  const parameters = query?.split("&").map((pair) => {
    const [name = "", value = ""] = pair.split(/=(.*)/s);
    // A cursor may be the number that a page has of rows.
    return isOwnNumber.test(name) ? pair : `${name}=${inAddress(value)}`;
  });
  const bearer = /^Bearer (.*)$/s.exec(sent.authorization ?? "")?.[1];
  const key = bearer === undefined ? undefined : replaced(bearer);
  return {
    ...sent,
    path:
      path.split("/").map(inAddress).join("/") + (parameters === undefined ? "" : `?${parameters.join("&")}`),
    authorization: key === undefined ? sent.authorization : `Bearer ${key}`,
    body: sent.body === null ? null : bodyWith(sent.body, replaced),
  };
}

/** A body of JSON with some of its values replaced; any other body as it is. */
function bodyWith(body: string, replaced: (value: string) => string | undefined): string {
  const renew = (_: string, value: unknown): unknown =>
    typeof value === "string" ? (replaced(value) ?? value) : value;
  try {
    return JSON.stringify(JSON.parse(body, renew));
  } catch {
    return body;
  }
}

/** The values of a request that may be repeated ones. */
export function valuesOf(sent: Sent): string[] {
  const values: string[] = [];
  withValues(sent, (value) => {
    values.push(value);
    return undefined;
  });
  return values;
}
