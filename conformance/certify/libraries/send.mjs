// Sends one POST as an application would: send.mjs LIBRARY BASE CASE. The folder of the packages is in NODE_LIBRARIES.
import { createRequire } from "node:module";
import http from "node:http";
import { pathToFileURL } from "node:url";

const [library, base, which] = process.argv.slice(2);
const body = { tool_id: "weather.current.v1" };
const json = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
const require = createRequire(`${process.env.NODE_LIBRARIES}/`);
const load = async (name) => {
  const module = await import(pathToFileURL(require.resolve(name)).href);
  return module.default?.default ?? module.default ?? module;
};
const isKept = which === "kept";
const url = `${base}/${which}`;
const warm = `${base}/warm`;

const libraries = {
  async fetch() {
    if (isKept) await (await fetch(warm)).text();
    await fetch(url, json);
  },
  async "node:http, keepAlive"() {
    const agent = new http.Agent({ keepAlive: true });
    const ask = (address, method, sent) =>
      new Promise((resolve, reject) => {
        const request = http.request(address, { agent, method, headers: json.headers }, (answer) =>
          answer.resume().on("end", resolve),
        );
        request.on("error", reject).end(sent);
      });
    if (isKept) await ask(warm, "GET");
    await ask(url, "POST", json.body);
  },
  async axios() {
    const axios = await load("axios");
    const client = axios.create({ httpAgent: new http.Agent({ keepAlive: true }) });
    if (isKept) await client.get(warm);
    await client.post(url, body);
  },
  async "axios-retry"() {
    await axiosRetry({ retries: 2 });
  },
  async "axios-retry, retryCondition: isRetryableError"() {
    const { isNetworkError, isRetryableError } = await import(
      pathToFileURL(require.resolve("axios-retry")).href
    );
    await axiosRetry({
      retries: 2,
      retryCondition: (error) => isNetworkError(error) || isRetryableError(error),
    });
  },
  async got() {
    const got = await load("got");
    const client = got.extend({ agent: { http: new http.Agent({ keepAlive: true }) } });
    if (isKept) await client.get(warm);
    await client.post(url, { json: body });
  },
  async "got, retry.methods with POST"() {
    const got = await load("got");
    await got.post(url, { json: body, retry: { limit: 2, methods: ["POST"] } });
  },
  async ky() {
    const ky = await load("ky");
    if (isKept) await ky.get(warm).text();
    await ky.post(url, { json: body });
  },
  async superagent() {
    const superagent = await load("superagent");
    await superagent.post(url).send(body);
  },
  async "superagent, .retry(2)"() {
    const superagent = await load("superagent");
    await superagent.post(url).send(body).retry(2);
  },
  async "node-fetch"() {
    const nodeFetch = await load("node-fetch");
    const agent = new http.Agent({ keepAlive: true });
    if (isKept) await (await nodeFetch(warm, { agent })).text();
    await nodeFetch(url, { ...json, agent });
  },
  async "undici, RetryAgent"() {
    const { Agent, RetryAgent, fetch: ask } = await import(pathToFileURL(require.resolve("undici")).href);
    const dispatcher = new RetryAgent(new Agent());
    if (isKept) await (await ask(warm, { dispatcher })).text();
    await ask(url, { ...json, dispatcher });
  },
  async needle() {
    const needle = await load("needle");
    await needle("post", url, body, { json: true });
  },
  async "fetch-retry"() {
    const wrap = await load("fetch-retry");
    await wrap(fetch)(url, json);
  },
  async "p-retry around fetch"() {
    const retry = await load("p-retry");
    await retry(() => fetch(url, json), { retries: 2, minTimeout: 100 });
  },
  async openai() {
    const OpenAi = await load("openai");
    const client = new OpenAi({ apiKey: "key", baseURL: base });
    if (isKept) await client.get("/warm");
    await client.post(`/${which}`, { body });
  },
};

async function axiosRetry(settings) {
  const axios = await load("axios");
  const { default: retry } = await import(pathToFileURL(require.resolve("axios-retry")).href);
  const client = axios.create({ httpAgent: new http.Agent({ keepAlive: true }) });
  (retry.default ?? retry)(client, settings);
  if (isKept) await client.get(warm);
  await client.post(url, body);
}

if (which === "version") {
  const [name] = library.split(/[, ]/);
  const { readFileSync } = await import("node:fs");
  const ofPackage = () =>
    JSON.parse(readFileSync(`${process.env.NODE_LIBRARIES}/node_modules/${name}/package.json`, "utf8"))
      .version;
  console.log(/^(fetch$|node:)/.test(name) ? `Node ${process.versions.node}` : ofPackage());
} else await libraries[library]().catch((error) => console.error(String(error)));
process.exit(0);
