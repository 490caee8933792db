// Inspects and probes before it calls, and reads the ledger after the usage audit.
import http from "node:http";

const { BASE_URL, API_KEY } = process.env;
const session_id = crypto.randomUUID();
const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

/** Status, headers and JSON; null when the answer did not arrive whole. */
function ask(method, path, sent) {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" };
    const request = http.request(BASE_URL + path, { method, headers, agent: false }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (chunk) => (text += chunk));
      answer.on("error", () => resolve(null));
      answer.on("end", () =>
        resolve({ status: answer.statusCode, headers: answer.headers, body: JSON.parse(text || "{}") }),
      );
    });
    request.on("error", () => resolve(null));
    request.end(sent === undefined ? undefined : JSON.stringify(sent));
  });
}

/** Waits as told where the request was limited: it did nothing. */
async function waited(...request) {
  const answer = await ask(...request);
  if (answer?.status !== 429) return answer;
  await pause(Number(answer.headers["retry-after"]));
  return waited(...request);
}

/** What is free is asked until it is answered, within reason. */
async function free(...request) {
  for (let attempt = 0; attempt < 6; attempt += 1) {
    const answer = await waited(...request);
    if (answer?.status === 200) return answer.body;
    await pause(0.1);
  }
  return null;
}

/** Reads the audit until it shows an event, or enough is enough: records may come late. */
async function audited(query) {
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const [event] = (await free("GET", `/auth/usage/history/v2?${query}`))?.data.items ?? [];
    if (event !== undefined) return event;
    await pause(0.1);
  }
  return null;
}

async function task(query, values) {
  const { search_id, results } = await free("POST", "/search", { query, session_id, limit: 10 });
  for (const { tool_id } of results) {
    const inspected = await free("POST", "/tools/by-ids", { tool_ids: [tool_id], search_id, session_id });
    const params = inspected?.results[0]?.params;
    if (
      !params?.every(
        ({ name, required, enum: allowed }) =>
          !required || (name in values && (allowed?.includes(values[name]) ?? true)),
      )
    )
      continue;
    const named = params.filter(({ name }) => name in values);
    const parameters = Object.fromEntries(named.map(({ name }) => [name, values[name]]));
    await free("POST", `/tools/probe?tool_id=${tool_id}`, { parameters, checks: ["quote"] });
    const called = await waited("POST", "/tools/execute", {
      tool_id,
      parameters,
      search_id,
      session_id,
      model: "careful-1",
    });
    const id = called?.status === 200 ? called.body.execution_id : undefined;
    const event = await audited(id === undefined ? `kind=call&search_id=${search_id}` : `execution_id=${id}`);
    await free("GET", "/auth/credits/ledger?page_size=5");
    console.log(tool_id, called?.body.success === true, event?.charge_outcome ?? "unknown");
    return;
  }
}

await task("current weather in a city", { city: "Graz", units: "metric" });
await task("stock quote", { symbol: "ACME" });
