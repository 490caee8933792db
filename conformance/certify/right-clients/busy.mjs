// Right clients that do several things at once, wait, hurry, or vary: busy.mjs NAME runs one of them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import http from "node:http";

const { BASE_URL, API_KEY } = process.env;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const hurryMs = 400;

/** Status, headers and text, as far as they arrived. */
function ask(method, path, sent, timeoutMs = 60_000) {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" };
    let text = "";
    const request = http.request(BASE_URL + path, { method, headers, agent: false }, (answer) => {
      answer.setEncoding("utf8");
      answer.on("data", (chunk) => (text += chunk));
      answer.on("error", () => resolve({ text }));
      answer.on("end", () =>
        resolve({ status: answer.statusCode, headers: answer.headers, text, body: parsed(text) }),
      );
    });
    request.setTimeout(timeoutMs, () => request.destroy());
    request.on("error", () => resolve({ text }));
    request.on("close", () => resolve({ text }));
    request.end(sent === undefined ? undefined : JSON.stringify(sent));
  });
}

const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Waits as told where a request was limited, and sends it again: it did nothing. */
async function waited(...request) {
  const answer = await ask(...request);
  if (answer.status !== 429) return answer;
  await pause(1000 * Number(answer.headers["retry-after"]));
  return waited(...request);
}

/** What is free is asked until it is answered. */
async function free(...request) {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const { status, body } = await waited(...request);
    if (status === 200 && body !== undefined) return body;
    await pause(100);
  }
  throw new Error(`no answer to ${request[1]}`);
}

async function discover({ query, session_id, values }) {
  const { search_id, results } = await free("POST", "/search", { query, session_id });
  const fits = ({ params }) =>
    params?.every(
      ({ name, required, enum: allowed }) =>
        !required || (name in values && (allowed?.includes(values[name]) ?? true)),
    );
  const { tool_id, params } = results.find(fits);
  const named = params.filter(({ name }) => name in values);
  const parameters = Object.fromEntries(named.map(({ name }) => [name, values[name]]));
  return { tool_id, parameters, search_id, session_id, model: "busy-1" };
}

/** The event of a Call, by its execution_id where the answer had one, even half of it; else by its search. */
async function lookUp({ search_id }, { text = "" }) {
  const id = /"execution_id":\s*"([^"]+)"/.exec(text)?.[1];
  const focus = id === undefined ? `kind=call&search_id=${search_id}` : `execution_id=${id}`;
  return (await free("GET", `/auth/usage/history/v2?${focus}`)).data.items[0];
}

/** One Call; never sent again unless it was limited. @returns whether its result arrived */
async function task(wanted, send = waited) {
  const call = await discover(wanted);
  const answer = await send("POST", "/tools/execute", call);
  const event = await lookUp(call, answer);
  console.log(call.tool_id, answer.status ?? "no answer", event?.charge_outcome ?? "unknown");
  return answer.status === 200 && answer.body !== undefined;
}

const session = () => crypto.randomUUID();
const weather = (city = "Graz") => ({
  query: "current weather in a city",
  session_id: session(),
  values: { city, units: "metric" },
});
const quote = (symbol = "ACME") => ({ query: "stock quote", session_id: session(), values: { symbol } });

/** Takes work from a list until it is empty. */
async function worker(work) {
  for (let next = work.shift(); next !== undefined; next = work.shift()) await task(next);
}

async function run(...names) {
  const children = names.map((name) =>
    spawn(process.execPath, [process.argv[1], name], { stdio: "inherit" }),
  );
  await Promise.all(children.map((child) => once(child, "exit")));
}

const clients = {
  /** Two workers want the same, the second a little later. */
  staggered: () => Promise.all([task(weather()), pause(250).then(() => task(weather()))]),
  /** Two workers want the same at the same time. */
  together: () => Promise.all([task(weather()), task(weather())]),
  /** One session, several Calls of one task side by side. */
  fan: async () => {
    const session_id = session();
    await Promise.all([weather(), weather("Linz"), quote()].map((one) => task({ ...one, session_id })));
  },
  /** Three workers at one queue, that holds the same entry twice. */
  pool: async () => {
    const work = [weather(), quote(), weather(), weather("Linz"), quote("ABC")];
    await Promise.all([worker(work), worker(work), worker(work)]);
  },
  /** What is limited goes back to the end of the queue, and is taken up when its time has come. */
  requeue: async () => {
    const queue = [weather(), quote(), weather("Linz")].map((wanted) => ({ wanted, from: 0 }));
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { wanted, from } = next;
      await pause(from - Date.now());
      const again = async (...request) => {
        const answer = await ask(...request);
        const seconds = Number(answer.headers?.["retry-after"]);
        if (answer.status === 429) queue.push({ wanted, from: Date.now() + 1000 * seconds });
        return answer;
      };
      await task(wanted, again);
    }
  },
  /** Several processes side by side. */
  processes: () => run("single", "single", "other"),
  /** Several processes one after another. */
  chain: async () => {
    await run("single");
    await run("other");
    await run("single");
  },
  single: () => task(weather()),
  other: () => task(quote()),
  /** Is not ready for seconds. */
  slow: async () => {
    await pause(5000);
    await task(weather());
    await task(quote());
  },
  /** Has a short time limit for Calls, looks up what it did not await, and never sends it again. */
  hurried: async () => {
    const hurriedly = async (method, path, sent) => {
      const answer = await ask(method, path, sent, hurryMs);
      if (answer.status !== 429) return answer;
      await pause(1000 * Number(answer.headers["retry-after"]));
      return hurriedly(method, path, sent);
    };
    const done = [await task(weather(), hurriedly), await task(quote(), hurriedly)];
    process.exitCode = done.includes(false) ? 1 : 0;
  },
  /** Asks for other values in each run. */
  varying: async () => {
    for (let time = 0; time < 3; time += 1) await task(weather(`City ${Math.floor(10 * Math.random())}`));
    await task(quote(String.fromCharCode(65 + Math.floor(26 * Math.random()))));
  },
  /** Passes a refusal for its rate on to its caller, who goes on with the next task. */
  passing: async () => {
    await task(weather(), ask);
    await task(quote(), ask);
    await task(weather("Linz"), ask);
  },
  /** Watches its balance while it works, and leaves the last look unanswered. */
  watching: async () => {
    let watches = true;
    const watch = (async () => {
      while (watches) {
        await ask("GET", "/auth/credits");
        await pause(50);
      }
    })();
    await task(weather());
    await task(quote());
    watches = false;
    await watch;
    void ask("GET", "/auth/credits");
    setTimeout(() => process.exit(0), 20);
  },
};

await clients[process.argv[2]]();
