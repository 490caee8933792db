import type { ClientAnswer, Surroundings } from "./transport.ts";

type Fields = Record<string, unknown>;

/** A user's request to the client. */
export interface Task {
  /** Identifies the conversation. */
  session: string;
  query: string;
  /** What the user has said, by the name under which a contract may ask for it. */
  values: Fields;
  /** Calls only this tool, if the search returns it. */
  prefer?: string;
}

/** A tool as an answer described it. */
export interface Tool extends Fields {
  tool_id: string;
  params?: Fields[];
}

/** How a Call ended for its client: a result, a refusal, or unknown. */
export type Called =
  | { outcome: "done"; executionId: string; body: Fields }
  | { outcome: "failed"; executionId: string | null; body: Fields }
  | { outcome: "refused"; status: number; body: Fields }
  | { outcome: "unknown" };

/** Maximum attempts at something that is free or was not executed. */
const attempts = 8;

/**
 * A small client that meets its obligations: it follows the recommended flow, from Discover to the ledger. Each step is
 * a method, so that a wrong client overrides one of them.
 */
export class RightClient {
  protected readonly around: Surroundings;

  constructor(around: Surroundings) {
    this.around = around;
  }

  /** Carries out one task, as far as the server allows. */
  async perform(task: Task): Promise<void> {
    const found = await this.discover(task);
    const tool = found === null ? undefined : this.choose(found.tools, task);
    if (found === null || tool === undefined) return;
    const known = this.isComplete(tool) ? tool : await this.inspect(tool, found.searchId, task);
    if (known === null) return;
    await this.carryOut(known, this.parametersOf(known, task), found.searchId, task);
  }

  /** Calls a tool and finds out the outcome. */
  protected async carryOut(tool: Tool, parameters: Fields, searchId: string, task: Task): Promise<void> {
    const since = new Date(Date.now() - 60_000).toISOString();
    let called = await this.call(tool, parameters, searchId, task);
    if (called.outcome === "refused" && called.status === 422) {
      const others = this.regenerated(tool, parameters);
      if (others !== null) called = await this.call(tool, others, searchId, task);
    }
    if (called.outcome === "unknown") return this.lookFor(searchId, since);
    if (called.outcome === "refused") return;
    if (called.executionId !== null) await this.reconcile(called.executionId);
    if (called.outcome === "failed") await this.afterFailure(tool, parameters, searchId, task);
    if (called.outcome === "done") await this.fetchWhole(called.body);
  }

  protected async discover(task: Task): Promise<{ searchId: string; tools: Tool[] } | null> {
    const body = this.discoverBody(task);
    const found = await this.freely("/search", { ...body, ...this.sessionField(task) });
    if (found === null || !Array.isArray(found["results"])) return null;
    return { searchId: String(found["search_id"]), tools: found["results"] as Tool[] };
  }

  protected discoverBody(task: Task): Fields {
    return { query: task.query, limit: 10 };
  }

  protected sessionField(task: Task): Fields {
    return { session_id: task.session };
  }

  /** The first tool whose contract can be satisfied with what the user has said. */
  protected choose(tools: readonly Tool[], task: Task): Tool | undefined {
    const wanted = tools.filter((tool) => task.prefer === undefined || tool.tool_id === task.prefer);
    return wanted.find((tool) => !this.isComplete(tool) || this.canKeep(tool, task));
  }

  protected isComplete(tool: Tool): boolean {
    return Array.isArray(tool.params) && tool.params.every((param) => typeof param["name"] === "string");
  }

  protected canKeep(tool: Tool, task: Task): boolean {
    return (tool.params ?? []).every((param) => param["required"] !== true || this.fitting(param, task));
  }

  /** Whether the user has said something that fits a parameter. */
  private fitting(param: Fields, task: Task): boolean {
    const value = task.values[String(param["name"])];
    const allowed = param["enum"];
    return value !== undefined && (!Array.isArray(allowed) || allowed.includes(value));
  }

  protected async inspect(tool: Tool, searchId: string, task: Task): Promise<Tool | null> {
    const body = { tool_ids: [tool.tool_id], search_id: searchId, ...this.sessionField(task) };
    const found = await this.freely("/tools/by-ids", body);
    const [result] = Array.isArray(found?.["results"]) ? (found["results"] as Tool[]) : [];
    return result !== undefined && this.isComplete(result) ? result : null;
  }

  /** Parameters from the tool's own contract and from what the user has said. */
  protected parametersOf(tool: Tool, task: Task): Fields {
    const fitting = (tool.params ?? []).filter((param) => this.fitting(param, task));
    return Object.fromEntries(fitting.map(({ name }) => [String(name), task.values[String(name)]]));
  }

  /** Revised parameters after a refusal: texts in capitals. Null when that changes nothing. */
  protected regenerated(tool: Tool, parameters: Fields): Fields | null {
    const isChoice = (name: string): boolean =>
      (tool.params ?? []).some((param) => param["name"] === name && Array.isArray(param["enum"]));
    const others = Object.entries(parameters).map(([name, value]) => [
      name,
      typeof value === "string" && !isChoice(name) ? value.toUpperCase() : value,
    ]);
    const changed = Object.fromEntries(others) as Fields;
    return JSON.stringify(changed) === JSON.stringify(parameters) ? null : changed;
  }

  protected callBody(tool: Tool, parameters: Fields, searchId: string, task: Task): Fields {
    return {
      tool_id: tool.tool_id,
      parameters,
      search_id: searchId,
      ...this.sessionField(task),
      model: "sample-1",
    };
  }

  /** One Call. If rate-limited it was not executed, and is sent again later; if its answer is lost it is not. */
  protected async call(tool: Tool, parameters: Fields, searchId: string, task: Task): Promise<Called> {
    const body = JSON.stringify(this.callBody(tool, parameters, searchId, task));
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const answer = await this.post("/tools/execute", body);
      if (answer === null) return this.afterLoss(tool, parameters, searchId, task);
      if (answer.status === 429) {
        await this.waitAsAsked(answer);
        continue;
      }
      const content = objectOf(answer.body);
      if (answer.status >= 500 || answer.status === 408 || content === null) return { outcome: "unknown" };
      if (answer.status !== 200) return { outcome: "refused", status: answer.status, body: content };
      const id = content["execution_id"];
      if (content["success"] === true && typeof id === "string") {
        return { outcome: "done", executionId: id, body: content };
      }
      return { outcome: "failed", executionId: typeof id === "string" ? id : null, body: content };
    }
    return { outcome: "refused", status: 429, body: {} };
  }

  /** The Call may have been charged, so it is not sent again. */
  protected afterLoss(_tool: Tool, _parameters: Fields, _searchId: string, _task: Task): Promise<Called> {
    return Promise.resolve({ outcome: "unknown" });
  }

  /** A failed Call is not repeated unchanged; another search may find a better tool. */
  protected async afterFailure(
    _tool: Tool,
    _parameters: Fields,
    _searchId: string,
    task: Task,
  ): Promise<void> {
    await this.discover(task);
  }

  /** The outcome of a Call: first from the usage audit, then from the ledger. */
  protected async reconcile(executionId: string): Promise<void> {
    await this.read(`/auth/usage/history/v2?execution_id=${encodeURIComponent(executionId)}`);
    await this.read("/auth/credits/ledger?page_size=20");
  }

  /** The outcome of a Call without an execution_id, since its answer was lost. */
  protected async lookFor(searchId: string, since: string): Promise<void> {
    const query = `kind=call&search_id=${encodeURIComponent(searchId)}&start_date=${encodeURIComponent(since)}`;
    const found = await this.read(`/auth/usage/history/v2?${query}`);
    const data = found?.["data"] as { items?: Fields[] } | undefined;
    for (const { execution_id: id } of data?.items ?? []) {
      if (typeof id === "string") await this.reconcile(id);
    }
  }

  /** The full result, when the answer contained only its beginning. */
  protected async fetchWhole(body: Fields): Promise<void> {
    const result = body["result"] as Fields | null;
    const address = result?.["full_content_file_url"];
    if (typeof address !== "string") return;
    await this.around.send({ method: "GET", url: this.fileAddress(address), headers: this.fileHeaders() });
  }

  protected fileAddress(address: string): string {
    return address;
  }

  protected fileHeaders(): Record<string, string> {
    return {};
  }

  protected headers(): Record<string, string> {
    return { authorization: `Bearer ${this.around.key}` };
  }

  protected address(path: string): string {
    return this.around.baseUrl + path;
  }

  protected async waitAsAsked(answer: ClientAnswer): Promise<void> {
    await this.around.sleep(1000 * Number(answer.headers["retry-after"] ?? 1));
  }

  protected post(path: string, body: string): Promise<ClientAnswer | null> {
    const headers = { ...this.headers(), "content-type": "application/json" };
    return this.around.send({ method: "POST", url: this.address(path), headers, body });
  }

  /** A free request, repeated if its answer is lost. Null when it does not succeed. */
  protected async freely(path: string, body: Fields): Promise<Fields | null> {
    return this.succeed(() => this.post(path, JSON.stringify(body)));
  }

  protected async read(path: string): Promise<Fields | null> {
    return this.succeed(() =>
      this.around.send({ method: "GET", url: this.address(path), headers: this.headers() }),
    );
  }

  private async succeed(ask: () => Promise<ClientAnswer | null>): Promise<Fields | null> {
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const answer = await ask();
      if (answer?.status === 200) return objectOf(answer.body);
      if (answer !== null && answer.status !== 429 && answer.status < 500) return null;
      if (answer?.status === 429) await this.waitAsAsked(answer);
    }
    return null;
  }
}

function objectOf(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Fields) : null;
  } catch {
    return null;
  }
}
