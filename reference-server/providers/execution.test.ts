import * as net from "node:net";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ReasonCode } from "../../generated/contract.ts";
import { loadCatalog, sampleFolder } from "../catalog/load.ts";
import { sampleTools } from "../catalog/sample-roles.ts";
import type { Catalog, Tool } from "../catalog/tool.ts";
import { createProviders, outgoing } from "./client.ts";
import { startSampleProvider } from "./sample.ts";
import type { SampleProvider } from "./sample.ts";

const providers = createProviders({ clock: { now: () => 0 }, maxAnswerBytes: 256 * 1024 });
let provider: SampleProvider;
let catalog: Catalog;

beforeAll(async () => {
  provider = await startSampleProvider();
  catalog = loadCatalog(sampleFolder, { providerBaseUrl: provider.url });
});
afterAll(async () => {
  providers.close();
  await provider.stop();
});

const tool = (role: keyof typeof sampleTools): Tool => catalog.find(sampleTools[role].id)!;
/** A plain tool whose upstream is the given path of the sample provider. */
const toolAt = (path: string, rest: Partial<Tool> = {}): Tool => ({
  ...tool("charged"),
  upstream: { method: "GET", url: `${provider.url}${path}`, timeout_ms: 3_000 },
  ...rest,
});

describe("every way that an execution ends", () => {
  const expected = {
    charged: "result.valid",
    charged_decimal: "result.valid",
    included: "result.valid",
    discounted: "result.valid",
    policy_exempt: "result.valid",
    one_of: "result.valid",
    enum: "result.valid",
    zero_parameter: "result.valid",
    expensive: "result.valid",
    slow: "result.valid",
    partial_success: "result.partial_success",
    empty_result: "result.empty",
    provider_error: "provider.error",
    failed_charged: "provider.error",
    provider_http_error: "provider.http_error",
    provider_rate_limited: "provider.rate_limited",
    provider_auth: "provider.auth_or_permission",
    timeout: "transport.timeout",
    no_response: "transport.no_response",
    execution_failed: "transport.execution_failed",
  } as const satisfies Partial<Record<keyof typeof sampleTools, ReasonCode>>;

  test.each(Object.entries(expected))("the sample tool for %s ends as %s", async (role, reason) => {
    const { id, parameters } = sampleTools[role as keyof typeof expected];
    const execution = await providers.execute(catalog.find(id)!, parameters);
    const success = reason === "result.valid" || reason === "result.partial_success";
    expect(execution).toMatchObject({ reason, success });
    expect(execution.message === null).toBe(success);
  });

  test.each([
    ["/faults/status/500", "provider.http_error", 500],
    ["/faults/status/404", "provider.http_error", 404],
    ["/faults/status/401", "provider.auth_or_permission", 401],
    ["/faults/redirect", "provider.http_error", 302],
    ["/faults/no-content", "result.empty", 200],
    ["/faults/status/204", "result.empty", 204],
    ["/faults/reset", "transport.no_response", null],
    ["/faults/hang-up", "transport.no_response", null],
    ["/faults/cut-off", "transport.execution_failed", 200],
    ["/faults/rubbish", "transport.execution_failed", 200],
    ["/faults/rows?rows=20000", "transport.execution_failed", 200],
    ["/faults/rows?rows=20", "result.valid", 200],
  ])("%s ends as %s", async (path, reason, statusCode) => {
    expect(await providers.execute(toolAt(path), {})).toMatchObject({ reason, statusCode });
  });

  test("a provider that is missing, or does not speak HTTP, is a failed execution", async () => {
    const server = net.createServer((socket) => socket.resume().end("SSH-2.0-x\r\n\r\n"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const other = { ...tool("charged"), upstream: { method: "GET" as const, url, timeout_ms: 2_000 } };
    expect((await providers.execute(other, {})).reason).toBe("transport.execution_failed");
    await new Promise((resolve) => server.close(resolve));
    expect((await providers.execute(other, {})).reason).toBe("transport.execution_failed");
  });
});

describe("an execution", () => {
  test("answers the same request in the same way, and is counted", async () => {
    const path = "/weather/current";
    const before = provider.executions()[path] ?? 0;
    const first = await providers.execute(tool("charged"), { city: "Lima" });
    expect((await providers.execute(tool("charged"), { city: "Lima" })).data).toEqual(first.data);
    expect((await providers.execute(tool("charged"), { city: "Quito" })).data).not.toEqual(first.data);
    expect(provider.executions()[path]).toBe(before + 3);
    const counted: unknown = await (await fetch(`${provider.url}/_executions`)).json();
    expect(counted).toEqual(provider.executions());
  });

  test("counts the units of a price per row, and one of a price per request", async () => {
    const forecast = catalog.find("weather.forecast.v1")!;
    expect((await providers.execute(forecast, { city: "Lima", days: 9 })).quantity).toBe(9);
    expect((await providers.execute(tool("charged"), { city: "Lima" })).quantity).toBe(1);
  });

  test("can hold any JSON value", async () => {
    expect((await providers.execute(catalog.find("language.detect.v1")!, { text: "你好" })).data).toBe("zh");
    expect(Array.isArray((await providers.execute(tool("zero_parameter"), {})).data)).toBe(true);
  });

  test("large: more than Call shows without truncation", async () => {
    const roomy = createProviders({ clock: { now: () => 0 } });
    const { data } = await roomy.execute(tool("large_result"), sampleTools.large_result.parameters);
    roomy.close();
    expect(Buffer.byteLength(JSON.stringify(data))).toBeGreaterThan(20_480);
  });

  test("sends parameters in the query, in the body, and in the path, but never to another path", async () => {
    const echo = (method: "GET" | "POST") =>
      toolAt("", { upstream: { method, url: `${provider.url}/faults/echo`, timeout_ms: 2_000 } });
    expect((await providers.execute(echo("GET"), { a: "ü & b", n: 2 })).data).toEqual({ a: "ü & b", n: "2" });
    expect((await providers.execute(echo("POST"), { list: [1, 2] })).data).toEqual({ list: [1, 2] });
    const inPath = toolAt("/companies/{number}");
    expect(outgoing(inPath, { number: "../x?y#z", q: 1 }).url.href).toBe(
      `${provider.url}/companies/..%2Fx%3Fy%23z?q=1`,
    );
    expect((await providers.execute(inPath, { number: ".." })).reason).toBe("transport.execution_failed");
  });

  test("quotes the provider, without the credentials that were sent", async () => {
    const secret = toolAt("/faults/echo?error=key+sk-123456+is+old", {
      upstream: {
        method: "GET",
        url: `${provider.url}/faults/echo?error=key+sk-123456+is+old`,
        headers: { authorization: "Bearer sk-123456" },
        timeout_ms: 2_000,
      },
    });
    const { reason, message } = await providers.execute(secret, {});
    expect(reason).toBe("provider.error");
    expect(message).toBe("The provider reported an error: key *** is old");
  });
});
