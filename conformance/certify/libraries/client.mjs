// A right client whose Calls are sent by an HTTP library: client.mjs COMMAND... LIBRARY, as measure.ts has them. It looks
// up each Call, and waits as Retry-After says. What is sent twice, the library sends.
import { execFile } from "node:child_process";
import { once } from "node:events";
import http from "node:http";

const { BASE_URL, API_KEY } = process.env;
const [program, ...words] = process.argv.slice(2);
const headers = { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" };
const session_id = crypto.randomUUID();
const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

/** The JSON of what is free, asked until it is answered, within reason. */
async function free(path, sent) {
  const init = sent === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(sent) };
  for (let attempt = 0; attempt < 6; attempt += 1) {
    const answer = await fetch(BASE_URL + path, init).catch(() => null);
    if (answer?.status === 200) return answer.json();
    await pause(answer?.status === 429 ? Number(answer.headers.get("retry-after")) : 0.1);
  }
  throw new Error(`${path} is not answered`);
}

/** The answer to a Call that the library sends: its status, headers and text; null where none came whole. */
async function callByLibrary(body) {
  let answer = null;
  const relay = http.createServer((request, response) => {
    request.resume();
    if (request.url === "/warm") return response.end("{}");
    answer = null;
    const call = http.request(`${BASE_URL}/tools/execute`, { method: "POST", headers, agent: false });
    call.on("error", () => response.destroy());
    call.on("response", (came) => {
      const { statusCode: status, headers: answerHeaders } = came;
      response.writeHead(status, answerHeaders);
      const chunks = [];
      came.on("data", (chunk) => chunks.push(chunk)).on("error", () => response.destroy());
      came
        .on(
          "end",
          () => (answer = { status, headers: answerHeaders, text: Buffer.concat(chunks).toString() }),
        )
        .pipe(response);
    });
    call.end(JSON.stringify(body));
  });
  relay.listen(0, "127.0.0.1");
  await once(relay, "listening");
  // A library that throws has still sent what it sent.
  await new Promise((resolve) =>
    execFile(program, [...words, `http://127.0.0.1:${relay.address().port}`, "kept"], resolve),
  );
  relay.closeAllConnections();
  relay.close();
  return answer;
}

/** Reads the audit until it shows a Call, or enough is enough: records may come late. */
async function outcomeOf(answer, search_id) {
  const id = answer?.status === 200 ? JSON.parse(answer.text).execution_id : undefined;
  const filter = id === undefined ? `kind=call&search_id=${search_id}` : `execution_id=${id}`;
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const [event] = (await free(`/auth/usage/history/v2?${filter}`)).data.items;
    if (event !== undefined) return event.charge_outcome;
    await pause(0.1);
  }
  return "unknown";
}

async function task(query, values) {
  const { search_id, results } = await free("/search", { query, session_id });
  const { tool_id, params } = results.find(({ params }) =>
    params?.every(({ name, required }) => !required || name in values),
  );
  const parameters = Object.fromEntries(
    params.filter(({ name }) => name in values).map(({ name }) => [name, values[name]]),
  );
  const call = { tool_id, parameters, search_id, session_id, model: "library-1" };
  let answer = await callByLibrary(call);
  while (answer?.status === 429) {
    await pause(Number(answer.headers["retry-after"]));
    answer = await callByLibrary(call);
  }
  console.log(tool_id, answer?.status ?? "no answer", await outcomeOf(answer, search_id));
  await free("/auth/credits/ledger?page_size=5");
}

await task("current weather in a city", { city: "Graz", units: "metric" });
await task("stock quote", { symbol: "ACME" });
