import { suiteVersion, type ReportedCheck, type ReportedExchange } from "./report.ts";

type Pairs = { name: string; value: string }[];

const pairs = (headers: Readonly<Record<string, string>>): Pairs =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

/** The exchanges of a check up to the one at fault, the last `max` of them, as HAR 1.2. Secrets stay masked. */
export function harOf({ id, exchanges, culprit }: ReportedCheck, max = 10): object {
  const end = culprit === null ? exchanges.length : culprit + 1;
  return {
    log: {
      version: "1.2",
      creator: { name: "capability-contract", version: suiteVersion },
      comment: id,
      entries: exchanges.slice(Math.max(0, end - max), end).map(entryOf),
    },
  };
}

function entryOf({
  method,
  url,
  started_at,
  status,
  duration_ms,
  request,
  response,
}: ReportedExchange): object {
  const none: { headers: Record<string, string>; body: string } = { headers: {}, body: "" };
  const answer = "error" in response ? none : response;
  const body = request.body;
  return {
    startedDateTime: started_at,
    time: duration_ms,
    request: {
      method,
      url,
      httpVersion: "HTTP/1.1",
      cookies: [],
      headers: pairs(request.headers),
      queryString: pairs(URL.canParse(url) ? Object.fromEntries(new URL(url).searchParams) : {}),
      ...(body !== null && {
        postData: { mimeType: request.headers["content-type"] ?? "application/json", text: body },
      }),
      headersSize: -1,
      bodySize: Buffer.byteLength(body ?? ""),
    },
    response: {
      status: status ?? 0,
      statusText: "",
      httpVersion: "HTTP/1.1",
      cookies: [],
      headers: pairs(answer.headers),
      content: {
        size: Buffer.byteLength(answer.body),
        mimeType: answer.headers["content-type"] ?? "",
        text: answer.body,
      },
      redirectURL: answer.headers["location"] ?? "",
      headersSize: -1,
      bodySize: -1,
      ...("error" in response && { comment: response.error }),
    },
    cache: {},
    timings: { send: 0, wait: duration_ms, receive: 0 },
  };
}
