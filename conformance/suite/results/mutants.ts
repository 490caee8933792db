import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import type { Operation, Request } from "../../../reference-server/http/operation.ts";
import type { ObjectStorage } from "../../../reference-server/parts.ts";
import { serverCertificate } from "../../../reference-server/results/certificates.ts";
import type { EmbeddedStorage } from "../../../reference-server/results/object-storage.ts";
import { freeing } from "../billing/free-call-changes.ts";
import {
  mutantsOf,
  onOperation,
  onPart,
  onPath,
  reading,
  type Body,
  type Change,
} from "../../changes/mutant.ts";
import type { WireRequest } from "../../changes/wire.ts";

type CallBody = Request<"call">["body"];
type CallAnswer = Awaited<ReturnType<Operation<"call">>>;

/** Changes the result of a Call, given the request and the payload in the object storage. */
export const onResult = (change: (result: Body, asked: CallBody, stored: string) => Body): Change =>
  onOperation("call", (call) => async (request, context) => {
    let stored = "";
    const put: ObjectStorage["put"] = (name, content, ...rest) => {
      stored = content;
      return context.objects.put(name, content, ...rest);
    };
    const answer = await call(request, { ...context, objects: { put } });
    const body = answer.body as unknown as Body;
    if (answer.status !== 200 || typeof body["result"] !== "object" || body["result"] === null) return answer;
    const result = change(body["result"] as Body, request.body, stored);
    return { ...answer, body: { ...body, result } } as unknown as CallAnswer;
  });

const isTruncated = (result: Body): boolean => "truncated_content" in result;

const storing = (change: (content: string) => string): Change =>
  onPart("objects", (objects) => ({
    ...objects,
    put: (name, content, ...rest) => objects.put(name, change(content), ...rest),
  }));

const onTruncated = (change: (result: Body, asked: CallBody, stored: string) => Body): Change =>
  onResult((result, asked, stored) => (isTruncated(result) ? change(result, asked, stored) : result));

/** Replaces the text of truncated results. */
const onContent = (change: (text: string, asked: CallBody, stored: string) => string): Change =>
  onTruncated((result, asked, stored) => ({
    ...result,
    truncated_content: change(String(result["truncated_content"]), asked, stored),
  }));

/** Reads another max_response_size than the client's, or the default in its absence. */
const sizing = (change: (size: number) => number): Change =>
  reading("call", ({ max_response_size: size }) => ({ max_response_size: change(size) }));

const ofDefault = (other: number) => (size: number) => (size === 20_480 ? other : size);

const onUrl = (change: (url: string, request: WireRequest) => string): Change =>
  onPath("call", "result.full_content_file_url", (url, request) => change(String(url), request));

/** Hands out the address that the truncated result before had. */
function lastAddress(): Change {
  let last: string | undefined;
  return onUrl((url) => {
    const before = last ?? url;
    last = url;
    return before;
  });
}

/** An object storage that serves a path with any signature. */
const unsigned: Change = onPart("objects", (objects, { clock, random }) => {
  const contents = new Map<string, string>();
  let origin: Promise<string> | undefined;
  const listen = async (): Promise<string> => {
    const folder = dirname((objects as EmbeddedStorage).caFile);
    const certificate = await serverCertificate(folder, ["localhost", "127.0.0.1", "::1"], {
      now: clock.now(),
      random,
    });
    const server = createServer(certificate, (request, response) => {
      const content = contents.get(new URL(request.url!, "https://storage").pathname);
      response.writeHead(content === undefined ? 404 : 200).end(content);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    server.unref();
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  return {
    ...objects,
    put: async (name, content) => {
      const path = `/${random.bytes(8).toString("hex")}/${name}`;
      contents.set(path, content);
      return `${await (origin ??= listen())}${path}?signature=${random.bytes(32).toString("hex")}`;
    },
  };
});

export const mutants = mutantsOf({
  "RSLT-02": {
    "truncates at 20 bytes unless a size is given": sizing(ofDefault(20)),
  },
  "RSLT-04": {
    "caps max_response_size at the default": sizing((size) => Math.min(size, 20_480)),
  },
  "RSLT-06": {
    "keeps a null data field in a truncated result": onTruncated((result) => ({ ...result, data: null })),
  },
  "RSLT-09": {
    "returns one byte too many": sizing((size) => (size > 0 ? size + 1 : size)),
    "counts characters, not bytes": onContent((_, asked, stored) => stored.slice(0, asked.max_response_size)),
    "truncates at 25000 bytes unless a size is given": sizing(ofDefault(25_000)),
  },
  "RSLT-11": {
    "points full_content_file_url at the API's own host": onUrl((url, { headers }) => {
      const { pathname, search } = new URL(url);
      return `https://${headers.host}${pathname}${search}`;
    }),
  },
  "RSLT-12": {
    "stores the full content without its last character": storing((content) => content.slice(0, -1)),
    "stores only the truncated content": storing((content) => content.slice(0, 20_480)),
    "returns the full_content_file_url of the previous Call": lastAddress(),
    "returns a full_content_file_url that leads nowhere": onUrl((url) => url.replace("/results/", "/files/")),
  },
  "RSLT-13": { "serves the full content for any signature": unsigned },
  "RSLT-14": {
    "keeps download URLs valid for a hundred years": { config: { resultLifetimeMs: 100 * 366 * 86_400_000 } },
  },
  "RSLT-18": {
    "charges nothing for a truncated result": freeing(
      ({ body: { max_response_size: size } }) => size > 0 && size < 20_480,
    ),
  },
});
