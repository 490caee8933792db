import { has, observe, type Observer } from "../../judge/observer.ts";
import { memberOf, type Seen } from "../../judge/seen.ts";

const resultOf = ({ status, body }: Seen): unknown =>
  status === 200 && memberOf(body, "success") === true ? memberOf(body, "result") : undefined;

/** The `fields:` of a Call; null when it requests something else. */
function expressionsOf({ sent }: Seen): string | null {
  const asked = sent["respond_with"];
  return typeof asked === "string" && asked.startsWith("fields:") ? asked.slice("fields:".length) : null;
}

const namesOf = (value: unknown): string[] => Object.keys((value as object | null | undefined) ?? {});

const bytesOf = (text: string): number => Buffer.byteLength(text);

export const observers: readonly Observer[] = [
  observe("R-031", "call", (seen) => {
    const [data, most] = [memberOf(resultOf(seen), "data"), seen.sent["max_response_size"]];
    if (typeof data !== "string" || typeof most !== "number") return null;
    return bytesOf(data) <= most && bytesOf(JSON.stringify(data)) > most ? "own" : null;
  }),
  observe("R-032", "call", ({ sent: { max_response_size: most }, status }) => {
    if (typeof most !== "number" || (most !== 0 && most >= -1)) return null;
    return status === 200 ? "accepted" : status === 422 ? "refused" : null;
  }),
  observe("R-033", "call", (seen) => {
    const [data, most] = [memberOf(resultOf(seen), "data"), seen.sent["max_response_size"]];
    return data !== undefined && bytesOf(JSON.stringify(data)) === most ? "whole" : null;
  }),
  observe("R-034", "call", (seen) => {
    const [content, most] = [memberOf(resultOf(seen), "truncated_content"), seen.sent["max_response_size"]];
    if (typeof content !== "string" || typeof most !== "number") return null;
    if (content.endsWith("\uFFFD")) return "bytes";
    const missing = most - bytesOf(content);
    return missing === 0 ? null : missing > 0 && missing < 4 ? "whole_character" : "other";
  }),
  observe("R-036", "call", (seen) => {
    const url = memberOf(resultOf(seen), "full_content_file_url");
    if (typeof url !== "string" || !URL.canParse(url)) return null;
    const seconds = new URL(url).searchParams.get("X-Amz-Expires");
    return seconds === null ? null : seconds === "7200" ? "two_hours" : "other";
  }),
  observe("R-037", "call", (seen) => {
    const result = resultOf(seen);
    if (!has(result, "data") || "respond_with" in seen.sent) return null;
    return has(result, "full_content_file_url") ? "url" : "no_url";
  }),
  observe("R-038", "call", (seen) => {
    const draft = memberOf(memberOf(resultOf(seen), "content_schema"), "$schema");
    return typeof draft !== "string" ? null : draft.includes("2020-12") ? "draft_2020" : "other";
  }),
  observe("R-040", "call", (seen) => {
    const summary = memberOf(resultOf(seen), "summary");
    if (seen.sent["respond_with"] !== "summary" || summary === undefined) return null;
    return has(summary, "size_bytes", "fields") ? "object" : "other";
  }),
  observe("R-045", "call", (seen) => {
    const [asked, result] = [expressionsOf(seen), resultOf(seen)];
    if (asked === null || result === undefined || result === null || /['"[]/.test(asked)) return null;
    const named = namesOf(memberOf(result, "data"));
    const isByExpression = has(result, "respond_with", "data") && named.length === asked.split(",").length;
    return isByExpression ? "by_expression" : "other";
  }),
  observe("R-046", "call", (seen) => {
    const asked = expressionsOf(seen);
    const data = memberOf(resultOf(seen), "data");
    if (asked === null || data === undefined || !/['"][^'"]*,[^'"]*['"]|\[[^\]]*,[^\]]*\]/.test(asked))
      return null;
    return namesOf(data).some((name) => asked.includes(name) && name.includes(","))
      ? "no_separation"
      : "separation";
  }),
  observe("R-047", "call", ({ sent, status, body }) => {
    const projected = sent["respond_with"];
    if (status !== 200 || memberOf(body, "success") !== false || projected === undefined) return null;
    return projected === "full" ? null : has(body, "billing") ? "whole" : "projected";
  }),
];
