import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import { documentFile } from "../../base/pinned.ts";
import { contractVersion, operations, responseHeaders, trialCredits } from "../../generated/contract.ts";

/**
 * A server of the first operations of the contract, in memory, for the demo: Discover, Inspect, Call, registration and
 * the balance. Three things are wrong with it, each marked with FAULT. It knows nothing of the suite that judges it.
 */
export async function startServer(): Promise<Demo> {
  const credits = new Map<string, number>();
  const open = (amount: number): string => {
    const key = `demo-${randomUUID()}`;
    credits.set(key, amount);
    return key;
  };
  const accounts = Array.from({ length: 20 }, () => open(1_000));
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const { pathname } = new URL(request.url ?? "/", "http://demo");
      const answer = answerTo({
        route: `${request.method} ${pathname.replace(/^\/api\/v1/, "")}`,
        query: new URL(request.url ?? "/", "http://demo").searchParams,
        key: /^Bearer (\S+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "",
        body,
        credits,
        open,
      });
      const headers = { "content-type": "application/json", [responseHeaders.apiVersion]: contractVersion };
      response.writeHead(answer.status, headers).end(JSON.stringify(answer.body));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { baseUrl: `http://127.0.0.1:${port}/api/v1`, accounts, stop };
}

export interface Demo {
  baseUrl: string;
  /** Keys of accounts with credits. */
  accounts: string[];
  stop: () => void;
}

interface Asked {
  route: string;
  query: URLSearchParams;
  key: string;
  /** Undefined where it is not JSON. */
  body: unknown;
  credits: Map<string, number>;
  open: (amount: number) => string;
}

interface Answer {
  status: number;
  body: object;
}

function answerTo(asked: Asked): Answer {
  const handle = routes[asked.route];
  if (handle === undefined) return refusal(404, "there is no such path");
  if (asked.route.startsWith("POST") && asked.body === undefined) return refusal(400, "the body is not JSON");
  if (!asked.route.includes("/agent/") && !asked.credits.has(asked.key)) return unauthorized(asked);
  const issues = asked.body === undefined ? [] : issuesOf(asked.route, asked.body);
  return issues.length > 0 ? { status: 422, body: { detail: issues } } : handle(asked);
}

function unauthorized({ route, key }: Asked): Answer {
  // FAULT 1: a key that nobody has is answered with 403.
  const { status, body } = refusal(key === "" ? 401 : 403, "the API key is missing or unknown");
  return {
    status,
    body: route === "POST /search" ? { ...body, search_id: "failed", total: 0, results: [] } : body,
  };
}

const routes: Readonly<Record<string, (asked: Asked) => Answer>> = {
  "POST /agent/anonymous-register": ({ open }) => {
    const data = { api_key: open(trialCredits), claim_code: randomUUID(), trial_credits: trialCredits };
    return { status: 200, body: { status: "success", message: "registered", status_code: 0, data } };
  },
  "GET /auth/credits": ({ key, credits }) => {
    const data = { remaining_credits: credits.get(key), trial: credits.get(key) };
    return { status: 200, body: { status: "success", message: "the balance", status_code: 0, data } };
  },
  "POST /search": ({ key, body, credits }) => {
    const { query, limit = 20, view } = body as { query: string; limit?: number; view?: string };
    const words = query.toLowerCase().match(/\p{L}{3,}/gu) ?? [];
    const exact = tools.filter(({ tool_id }) => tool_id === query);
    const found =
      exact.length > 0
        ? exact
        : tools.filter(({ description }) => words.some((word) => description.includes(word)));
    const results = found.slice(0, limit).map((tool) => (view === "routing" ? cardOf(tool) : tool));
    // FAULT 2: all searches have one id, so that a Call cannot be traced to its search.
    return listed({ query, search_id: "search-1", results }, credits.get(key)!);
  },
  "POST /tools/by-ids": ({ key, body, credits }) => {
    const {
      tool_ids: ids,
      view,
      search_id,
    } = body as { tool_ids: string[]; view?: string; search_id?: string };
    const matching = [...new Set(ids)].flatMap((id) => tools.filter(({ tool_id }) => tool_id === id));
    const results = view === "lean" ? matching.map(({ stats: _, ...tool }) => tool) : matching;
    return listed({ results, ...(search_id && { search_id }) }, credits.get(key)!);
  },
  "POST /tools/execute": ({ key, query, body, credits }) => {
    const asked = body as { tool_id?: string; parameters: Record<string, unknown> };
    const id = asked.tool_id ?? query.get("tool_id");
    const tool = tools.find(({ tool_id }) => tool_id === id);
    const before = credits.get(key)!;
    if (tool === undefined)
      return failed(id === null ? 400 : 404, "tool_id is missing or unknown: discover again", before);
    const { city } = asked.parameters;
    if (typeof city !== "string") {
      const { status, body } = failed(422, "city must be a text", before);
      const details = [{ loc: ["body", "parameters", "city"], msg: "must be a text", type: "type" }];
      return { status, body: { ...body, details } };
    }
    const price = tool.billing_rule.amount_credits;
    if (before < price) return failed(402, "insufficient credits", 0);
    if (tool === archive) return failed(200, "the provider answered with an error", before);
    credits.set(key, before - price);
    const call = {
      execution_id: randomUUID(),
      // FAULT 3: a text instead of a boolean.
      success: "true",
      result: { data: { city, temperature: 21 } },
      error_message: null,
      execution_time: 0.01,
      elapsed_time_ms: 10,
      billing: { summary: `${price} credits`, list_amount_credits: price },
      cost: price,
      remaining_credits: credits.get(key),
    };
    return { status: 200, body: call };
  },
};

const toolOf = (id: string, description: string, price: number) => ({
  tool_id: id,
  name: id.split(".")[0]!,
  description,
  provider_name: "Demo (weather)",
  params: [{ name: "city", type: "string", required: true, description: "the name of a city" }],
  examples: { sample_parameters: { city: "Lisbon" } },
  expected_cost: `${price} credits`,
  billing_rule: { unit: "request", amount_credits: price },
  stats: { avg_execution_time_ms: 10, success_rate: 1 },
});

const archive = toolOf("archive.weather.v1", "past weather data of a city", 1);
const tools = [toolOf("weather.current.v1", "current weather data of a city", 1), archive];

const cardOf = ({ tool_id, description }: (typeof tools)[number]): object => ({
  tool_id,
  capability: description,
  cost_class: "low",
  reliability: "A",
  as_of_support: false,
});

const listed = (
  found: { query?: string; search_id?: string; results: object[] },
  remaining: number,
): Answer => ({
  status: 200,
  body: {
    search_id: randomUUID(),
    ...found,
    total: found.results.length,
    elapsed_time_ms: 1,
    remaining_credits: remaining,
    error_message: null,
  },
});

const failed = (status: number, message: string, remaining: number): Answer => ({
  status,
  body: {
    execution_id: randomUUID(),
    success: false,
    result: null,
    error_message: message,
    billing: { summary: "0 credits", list_amount_credits: 0 },
    cost: 0,
    remaining_credits: remaining,
  },
});

const refusal = (status: number, message: string): Answer => ({
  status,
  body: { status: "failure", message, status_code: status, data: null },
});

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const text = Buffer.concat((await request.toArray()) as Buffer[]).toString("utf8");
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a body lacks of the schema that the OpenAPI document has for it. */
const issuesOf = (route: string, body: unknown): object[] => {
  const validate = schemas[route];
  return validate === undefined || validate(body) ? [] : (validate.errors ?? []).map(issueOf);
};

const issueOf = ({ instancePath, message, keyword }: ErrorObject): object => ({
  loc: ["body", ...instancePath.split("/").slice(1)],
  msg: message,
  type: keyword,
});

const document = JSON.parse(readFileSync(documentFile(), "utf8")) as object;
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).addSchema(
  document,
  "api",
);
const bodyOfRoute = (operation: "discover" | "inspect" | "call" | "registerAnonymous") => {
  const pointer = `/paths/${operations[operation].path.replaceAll("/", "~1")}/post`;
  return ajv.compile({ $ref: `api#${pointer}/requestBody/content/application~1json/schema` });
};
const schemas: Readonly<Record<string, ReturnType<typeof bodyOfRoute>>> = {
  "POST /search": bodyOfRoute("discover"),
  "POST /tools/by-ids": bodyOfRoute("inspect"),
  "POST /tools/execute": bodyOfRoute("call"),
  "POST /agent/anonymous-register": bodyOfRoute("registerAnonymous"),
};
