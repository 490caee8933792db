import { inLine } from "../../base/plain.ts";
import type { Answer } from "../judge/answer.ts";

/** What to do about a server that cannot be reached. */
export function adviceOn(cause: string, baseUrl: string, env = process.env): string {
  const proxy = proxyIn(cause, baseUrl, env);
  if (proxy !== undefined)
    return `that is the proxy of ${proxy}: fix it, or bypass it with NO_PROXY=${new URL(baseUrl).hostname}`;
  if (/header overflow|headers? overflow/i.test(cause))
    return "the headers of an answer are above 16 kB, the limit of Node.js; raise it with NODE_OPTIONS=--max-http-header-size=65536";
  if (/self.signed|certificate|CERT_|unable to verify/i.test(cause))
    return "if its certificate is your own, name its authority in the profile: tls: {ca: FILE}";
  if (/wrong version number|packet length too long|EPROTO/.test(cause))
    return "it does not speak TLS there: give an address that begins with http://";
  if (/socket hang up/.test(cause) && baseUrl.startsWith("http:"))
    return "if it speaks TLS there, give an address that begins with https://";
  return "is the server started?";
}

/** The variable of the environment that names the proxy for an address, and the proxy; undefined without one. */
function proxyOf(baseUrl: string, env: NodeJS.ProcessEnv): { name: string; url: URL } | undefined {
  const lower = `${new URL(baseUrl).protocol.slice(0, -1)}_proxy`;
  const name = [lower, lower.toUpperCase()].find((variable) => env[variable]);
  return name !== undefined && URL.canParse(env[name]!) ? { name, url: new URL(env[name]!) } : undefined;
}

/** The variable whose proxy a failed connection went to, as far as the error shows. */
function proxyIn(cause: string, baseUrl: string, env: NodeJS.ProcessEnv): string | undefined {
  const { name, url } = proxyOf(baseUrl, env) ?? {};
  if (url === undefined) return undefined;
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const shows = [
    / tunnel /.test(cause),
    cause.includes(`ENOTFOUND ${url.hostname}`),
    cause.endsWith(`:${port}`),
  ];
  return shows.includes(true) ? name : undefined;
}

/** What to do about a redirect of Discover. */
export function adviceOnRedirect(baseUrl: string, location: string): string {
  const search = `${baseUrl.replace(/\/+$/, "")}/search`;
  const target = (URL.canParse(location, search) ? new URL(location, search).href : location).replace(
    /[?#].*$/,
    "",
  );
  if (target === search)
    return "it leads to itself, as a cookie wall does, which no client of this API passes";
  if (target === `${search}/`) return "the contract's paths do not end in a slash";
  if (!/\/search\/?$/.test(target)) return "this leads away from the API, perhaps to a page to log in";
  return `give ${inLine(target.replace(/\/search\/?$/, ""))} as base_url`;
}

/** Describes an answer of another kind of server, and what to do about it. */
export function adviceOnStranger({ status, text }: Answer, baseUrl: string, env = process.env): string {
  const isPage = /^\s*<(!doctype|html)/i.test(text);
  const received = `(POST /search gave ${status}${isPage ? ", with an HTML page" : ""})`;
  if (status === 407)
    return `${received}; the proxy of ${proxyOf(baseUrl, env)?.name ?? "the network"} asks for a login`;
  if ([502, 503, 504].includes(status))
    return `${received}, as a gateway without a server; is the server started?`;
  if ((status === 401 || status === 403) && !isPage)
    return `${received}; if it knows no trials, give it a key: credentials: {account: KEY} in a profile`;
  if (isPage) return `${received}; something in front of the server may have answered`;
  if (status >= 300 && status < 400) return `${received}; a redirect without Location leads nowhere`;
  return /\/api\/v1\/*$/.test(baseUrl)
    ? `${received}; a server that is not written yet begins with this operation`
    : `${received}; the base URL ends in /api/v1`;
}
