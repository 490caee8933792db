// Sends the same requests through a tool that records them: record.mjs TOOL BASE KEY FILE. Packages are in NODE_LIBRARIES.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const [tool, base, key, file] = process.argv.slice(2);
const require = createRequire(`${process.env.NODE_LIBRARIES}/`);
const executablePath = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };

/** Each step as method, path and body, from the JSON of the steps before it. */
const steps = [
  () => ["POST", "/search", { query: "current weather in a city", session_id: "one" }],
  ([{ search_id }]) => ["POST", "/tools/by-ids", { tool_ids: ["weather.current.v1"], search_id }],
  ([{ search_id }]) => [
    "POST",
    "/tools/execute",
    {
      tool_id: "weather.current.v1",
      parameters: { city: "Graz", units: "metric" },
      search_id,
      session_id: "one",
      model: "recorder-1",
    },
  ],
  ([, , { execution_id }]) => ["GET", `/auth/usage/history/v2?execution_id=${execution_id}`],
  () => ["GET", "/auth/credits/ledger?page_size=5"],
  () => ["GET", "/auth/credits"],
  () => ["POST", "/capabilities/query", { capability_id: "market.quote", parameters: { symbol: "ACME" } }],
];

/** Takes all steps with a function that sends one and returns the text of its answer. */
async function through(send) {
  const answers = [];
  for (const step of steps) {
    const [method, path, body] = step(answers);
    answers.push(
      JSON.parse(await send(method, base + path, body === undefined ? undefined : JSON.stringify(body))),
    );
  }
}

/** In a page of the server's own origin. */
const inPage = (page) => async (method, url, body) =>
  page.evaluate(
    async ([address, options]) => (await fetch(address, options)).text(),
    [url, { method, headers, ...(body && { body }) }],
  );

async function withPlaywright(recordHar) {
  const { chromium } = require("playwright-core");
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const context = await browser.newContext({ recordHar: { path: file, ...recordHar } });
  const page = await context.newPage();
  await page.goto(`${base}/nothing`);
  await through(inPage(page));
  await context.close();
  await browser.close();
}

const plainly = (agent, address) => (method, url, body) =>
  new Promise((resolve, reject) => {
    const target = address === undefined ? url : address + new URL(url).pathname + new URL(url).search;
    const request = http.request(target, { method, headers, agent }, (answer) => {
      let text = "";
      answer.on("data", (chunk) => (text += chunk)).on("end", () => resolve(text));
    });
    request.on("error", reject).end(body);
  });

/** @param begin starts the recording of a page, and returns what ends it */
async function withPuppeteer(begin) {
  const puppeteer = require("puppeteer-core");
  const browser = await puppeteer.launch({ executablePath, args: ["--no-sandbox"] });
  const page = await browser.newPage();
  const end = await begin(page);
  await page.goto(`${base}/nothing`);
  await through((method, url, body) =>
    page.evaluate(async (address, options) => (await fetch(address, options)).text(), url, {
      method,
      headers,
      ...(body && { body }),
    }),
  );
  // Bodies are fetched from the browser after their answers.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  await end();
  await browser.close();
}

/** Firefox by WebDriver BiDi, whose events the recorder makes a HAR of. */
async function withFirefox() {
  const { HarRecorder } = require("ff-test-bidi-har-export");
  const profile = await mkdtemp(join(tmpdir(), "firefox-"));
  // Its viewer of JSON is a page of another origin.
  await writeFile(join(profile, "user.js"), 'user_pref("devtools.jsonview.enabled", false);');
  const browser = spawn(
    process.env.FIREFOX_PATH ?? "/usr/bin/firefox-esr",
    ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"],
    { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, HOME: profile } },
  );
  const address = await new Promise((resolve) => {
    let said = "";
    browser.stderr.on("data", (chunk) => {
      said += chunk;
      const [, found] = /WebDriver BiDi listening on (ws:\S+)/.exec(said) ?? [];
      if (found) resolve(found);
    });
  });
  const socket = new WebSocket(`${address}/session`);
  await once(socket, "open");
  const answered = new Map();
  const bodies = [];
  const recorder = new HarRecorder({ browser: "firefox", version: "153" });
  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      const id = answered.size + 1;
      answered.set(id, ({ error, message, result }) =>
        error === undefined ? resolve(result) : reject(new Error(`${method}: ${message}`)),
      );
      socket.send(JSON.stringify({ id, method, params }));
    });
  const bodyOf = (dataType, request) =>
    ask("network.getData", { dataType, request }).then(
      ({ bytes }) => bytes,
      () => null,
    );
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(data);
    if (message.id !== undefined) return answered.get(message.id)(message);
    if (message.method !== "network.responseCompleted") return recorder.recordEvent(message);
    const { request } = message.params.request;
    const whole = Promise.all([bodyOf("request", request), bodyOf("response", request)]).then(
      ([requestBody, responseBody]) => {
        message.params._bodyData = { requestBody, responseBody };
        recorder.recordEvent(message);
      },
    );
    bodies.push(whole);
  });
  await ask("session.new", { capabilities: {} });
  const { contexts } = await ask("browsingContext.getTree", {});
  const [{ context }] = contexts;
  await ask("network.addDataCollector", {
    dataTypes: ["request", "response"],
    maxEncodedDataSize: 10_000_000,
  });
  await ask("session.subscribe", {
    events: [
      "network.beforeRequestSent",
      "network.responseCompleted",
      "browsingContext.domContentLoaded",
      "browsingContext.load",
    ],
  });
  recorder.startRecording();
  await ask("browsingContext.navigate", { context, url: `${base}/nothing`, wait: "complete" });
  await through(async (method, url, body) => {
    const options = { method, headers, ...(body && { body }) };
    const expression = `fetch(${JSON.stringify(url)}, ${JSON.stringify(options)}).then((answer) => answer.text())`;
    const target = { context };
    const { result, exceptionDetails } = await ask("script.evaluate", {
      expression,
      target,
      awaitPromise: true,
    });
    if (result === undefined) throw new Error(exceptionDetails.text);
    return result.value;
  });
  await new Promise((resolve) => setTimeout(resolve, 500));
  await Promise.all(bodies);
  await writeFile(file, JSON.stringify(recorder.stopRecording()));
  socket.close();
  browser.kill();
  await once(browser, "exit");
  await rm(profile, { recursive: true, force: true });
}

async function withPolly(adapter, send) {
  const { Polly } = require("@pollyjs/core");
  Polly.register(require(`@pollyjs/adapter-${adapter}`));
  Polly.register(require("@pollyjs/persister-fs"));
  const recordingsDir = join(tmpdir(), `polly-${process.pid}`);
  const polly = new Polly("session", {
    adapters: [adapter],
    persister: "fs",
    persisterOptions: { fs: { recordingsDir } },
  });
  await through(send);
  await polly.stop();
  const [name] = await readdir(recordingsDir);
  await writeFile(file, await readFile(join(recordingsDir, name, "recording.har")));
}

const tools = {
  "Playwright, full": () => withPlaywright({ mode: "full", content: "embed" }),
  "Playwright, minimal": () => withPlaywright({ mode: "minimal", content: "embed" }),
  "Playwright, without bodies": () => withPlaywright({ mode: "full", content: "omit" }),
  "Playwright, attached bodies": () => withPlaywright({ mode: "full", content: "attach" }),
  async "chrome-har with Chromium"() {
    const { harFromMessages } = require("chrome-har");
    const { chromium } = require("playwright-core");
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
    const page = await browser.newPage();
    const session = await page.context().newCDPSession(page);
    const messages = [];
    const received = new Map();
    for (const domain of ["Network", "Page"]) await session.send(`${domain}.enable`);
    for (const method of [
      "Page.frameStartedLoading",
      "Page.frameAttached",
      "Page.frameScheduledNavigation",
      "Page.loadEventFired",
      "Page.domContentEventFired",
      "Network.requestWillBeSent",
      "Network.requestWillBeSentExtraInfo",
      "Network.responseReceived",
      "Network.responseReceivedExtraInfo",
      "Network.dataReceived",
      "Network.loadingFinished",
      "Network.loadingFailed",
    ]) {
      session.on(method, (params) => {
        messages.push({ method, params });
        if (method === "Network.responseReceived") received.set(params.requestId, params.response);
        if (method === "Network.loadingFinished")
          void session
            .send("Network.getResponseBody", { requestId: params.requestId })
            .then(({ body }) => (received.get(params.requestId).body = body))
            .catch(() => undefined);
      });
    }
    await page.goto(`${base}/nothing`);
    await through(inPage(page));
    await new Promise((resolve) => setTimeout(resolve, 500));
    await browser.close();
    await writeFile(file, JSON.stringify(harFromMessages(messages, { includeTextFromResponseBody: true })));
  },
  "bidi-har-export with Firefox": () => withFirefox(),
  "puppeteer-har": () =>
    withPuppeteer(async (page) => {
      const Har = require("puppeteer-har");
      const har = new Har(page);
      await har.start({ path: file, saveResponse: true, captureMimeTypes: ["application/json"] });
      return () => har.stop();
    }),
  "@themarkup/puppeteer-har": () =>
    withPuppeteer(async (page) => {
      const { captureNetwork } = require("@themarkup/puppeteer-har");
      const har = await captureNetwork(page, { saveResponses: true });
      return () => har(file);
    }),
  async "har-recorder with Chromium"() {
    const port = 27182;
    const { chromium } = require("playwright-core");
    const { startRecording, endRecording } = require("har-recorder")();
    const args = ["--no-sandbox", `--remote-debugging-port=${port}`];
    const browser = await chromium.launch({ executablePath, args });
    const page = await browser.newPage();
    await startRecording({ port });
    await page.goto(`${base}/nothing`);
    await through(inPage(page));
    await endRecording(file);
    await browser.close();
  },
  async "node-fetch-har"() {
    const { withHar, createHarLog } = require("node-fetch-har");
    const entries = [];
    const fetch = withHar(require("node-fetch"), { onHarEntry: (entry) => entries.push(entry) });
    await through(async (method, url, body) => (await fetch(url, { method, headers, body })).text());
    await new Promise((resolve) => setTimeout(resolve, 200));
    await writeFile(file, JSON.stringify(createHarLog(entries)));
  },
  "Polly.js, node-http": () => withPolly("node-http", plainly()),
  "Polly.js, fetch": () =>
    withPolly("fetch", async (method, url, body) => (await fetch(url, { method, headers, body })).text()),
  async "axios-har-tracker"() {
    const { AxiosHarTracker } = require("axios-har-tracker");
    const axios = require("axios");
    const tracker = new AxiosHarTracker(axios);
    await through(async (method, url, data) =>
      JSON.stringify((await axios({ method, url, headers, data })).data),
    );
    await writeFile(file, JSON.stringify(tracker.getGeneratedHar()));
  },
  async newman() {
    const script = (text) => [{ listen: "test", script: { exec: text.split("\n") } }];
    const keep =
      'const body = pm.response.json();\nfor (const name of ["search_id", "execution_id"])\nif (body[name]) pm.collectionVariables.set(name, body[name]);';
    const answers = [{ search_id: "{{search_id}}" }, {}, { execution_id: "{{execution_id}}" }];
    const item = steps.map((step) => {
      const [method, path, body] = step(answers);
      const header = Object.entries(headers).map(([name, value]) => ({ key: name, value }));
      return {
        name: path,
        event: script(keep),
        request: {
          method,
          header,
          url: base + path,
          ...(body && { body: { mode: "raw", raw: JSON.stringify(body) } }),
        },
      };
    });
    const collection = {
      info: { name: "steps", schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" },
      item,
    };
    const reporter = { json: { export: file } };
    const run = promisify(require("newman").run);
    await run({ collection, reporters: ["json"], reporter });
  },
  async mitmproxy() {
    const script = "/usr/share/doc/mitmproxy/examples/contrib/har_dump.py";
    const origin = new URL(base).origin;
    const words = ["--mode", `reverse:${origin}`, "--listen-host", "127.0.0.1", "--listen-port", "27180"];
    const proxy = spawn("mitmdump", [...words, "-s", script, "--set", `hardump=${file}`], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(proxy.stdout, "data");
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await through(plainly(undefined, "http://127.0.0.1:27180"));
    proxy.kill("SIGINT");
    await once(proxy, "exit");
  },
  async "proxy --har"() {
    const cli = new URL("../../../cli/cli.ts", import.meta.url).pathname;
    const proxy = spawn(
      process.execPath,
      [cli, "proxy", "--target", new URL(base).origin, "--port", "27181", "--har", file],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    await once(proxy.stdout, "data");
    await through(plainly(undefined, "http://127.0.0.1:27181"));
    proxy.kill("SIGINT");
    await once(proxy, "exit");
  },
};

await tools[tool]();
process.exit(0);
