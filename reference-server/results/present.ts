import type { Logger } from "pino";
import type { Tool } from "../catalog/tool.ts";
import type { Execution, ObjectStorage } from "../parts.ts";
import { inferContentSchema } from "./content-schema.ts";
import { project } from "./project.ts";
import { summarize, type RespondWith } from "./projection.ts";
import { truncate } from "./truncate.ts";

/** How long a Call waits for the object storage. */
const storeDeadlineMs = 10_000;

/** The allowed top-level keys of a projected answer (contract: Projection `respond_with=summary`). */
const projectedKeys = [
  "execution_id",
  "success",
  "error_message",
  "execution_time",
  "elapsed_time_ms",
  "cost",
  "remaining_credits",
  "result",
] as const;

/** The client's choices on how to show a result. */
export interface Presentation {
  respondWith: RespondWith;
  /** Limit in bytes of serialised `result.data`; -1 disables truncation. */
  maxResponseSize: number;
}

/** The content and context of a full result. */
interface Executed {
  accountId: string;
  executionId: string;
  tool: Pick<Tool, "content_schema" | "mapping">;
  execution: Pick<Execution, "data" | "statusCode">;
}

/** The `result` of a Call response, and the keys allowed at its top level; null for all. */
interface Presented {
  result: Record<string, unknown>;
  topLevelKeys: readonly string[] | null;
}

/**
 * Builds the `result` of a Call response: whole, truncated, summarized or projected. Content that does not fit goes to
 * the object storage. If the storage fails, the content is answered whole, since it may have been paid for, and `message`
 * says that it was not cut.
 */
export async function present(
  executed: Executed,
  { respondWith, maxResponseSize }: Presentation,
  parts: { objects: ObjectStorage; log: Logger },
): Promise<Presented> {
  const { data, statusCode } = executed.execution;
  const topLevelKeys = topLevelOf(respondWith);
  const store = (text: string) => stored(executed, text, parts);
  if (respondWith.mode === "summary") return { result: await summary(executed, store), topLevelKeys };
  const status = respondWith.mode === "full" && statusCode !== null ? { status_code: statusCode } : {};
  if (data === undefined) return { result: { ...status }, topLevelKeys };

  const shown: { content: unknown; head: Record<string, unknown> } =
    respondWith.mode === "fields" ? await projected(data, respondWith) : { content: data, head: status };
  const text = JSON.stringify(shown.content);
  const beginning = truncate(text, maxResponseSize);
  if (beginning === null) return { result: { ...shown.head, data: shown.content }, topLevelKeys };
  const url = await store(text);
  const size = `The content has ${Buffer.byteLength(text)} bytes, more than max_response_size (${maxResponseSize})`;
  if (url === null) {
    const { message: earlier, ...head } = shown.head;
    const uncut = `${size}, but it could not be stored for download: data holds all of it, not cut.`;
    const message = typeof earlier === "string" ? `${earlier} ${uncut}` : uncut;
    return { result: { ...head, message, data: shown.content }, topLevelKeys };
  }
  const schema = respondWith.mode === "full" ? executed.tool.content_schema : undefined;
  const result = {
    ...shown.head,
    message: `${size}. Read its beginning in truncated_content, or download all of it from full_content_file_url before it expires.`,
    truncated_content: beginning,
    full_content_file_url: url,
    content_schema: schema ?? inferContentSchema(shown.content),
  };
  return { result, topLevelKeys };
}

const topLevelOf = ({ mode }: RespondWith) => (mode === "full" ? null : projectedKeys);

/** Replaces a result that could not be built. */
export function withheld({ respondWith }: Presentation): Presented {
  const message = "The result could not be shown. The call is recorded: see the usage audit.";
  return { result: { message }, topLevelKeys: topLevelOf(respondWith) };
}

/** The address of a stored text; null if the storage fails or takes too long. */
async function stored(
  { executionId, accountId }: Executed,
  text: string,
  { objects, log }: { objects: ObjectStorage; log: Logger },
): Promise<string | null> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`no address within ${storeDeadlineMs} ms`)),
    storeDeadlineMs,
  );
  try {
    return await Promise.race([
      objects.put(`${executionId}.json`, text, "application/json", accountId),
      late.promise,
    ]);
  } catch (error) {
    log.warn({ error, execution_id: executionId }, "the full result could not be stored");
    return null;
  } finally {
    clearTimeout(timer);
  }
}

async function summary(
  { tool, execution: { data } }: Executed,
  store: (text: string) => Promise<string | null>,
): Promise<Record<string, unknown>> {
  if (data === undefined) {
    const nothing = { size_bytes: 0, fields: [] };
    return { respond_with: "summary", summary: nothing, message: "There is no content." };
  }
  const text = JSON.stringify(data);
  const url = await store(text);
  return {
    respond_with: "summary",
    content_schema: tool.content_schema ?? inferContentSchema(data),
    summary: summarize(data, Buffer.byteLength(text), tool.mapping.rows),
    ...(url === null ? {} : { full_content_file_url: url }),
    message:
      url === null
        ? "The content could not be stored for download."
        : "The content can be downloaded from full_content_file_url before it expires.",
  };
}

async function projected(data: unknown, fields: RespondWith & { mode: "fields" }) {
  const { data: content, unfinished } = await project(data, fields.expressions);
  const head: Record<string, unknown> = { respond_with: fields.text };
  if (unfinished.length > 0) {
    head.message = `Too costly to evaluate, so null stands for it: ${unfinished.join(", ")}. Ask for less, or for full.`;
  }
  return { content, head };
}

/** The body with only the top-level keys that the presentation allows. */
export function limitTopLevel<Body extends object>(
  body: Body,
  keys: readonly string[] | null,
): Partial<Body> {
  if (keys === null) return body;
  return Object.fromEntries(Object.entries(body).filter(([key]) => keys.includes(key))) as Partial<Body>;
}
