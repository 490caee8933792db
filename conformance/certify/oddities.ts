import type { OddWay } from "../../reference-server/chaos/odd.ts";
import { sentOf, type Body, type Change } from "../changes/mutant.ts";
import { inForm as formOf } from "../changes/odd-form.ts";
import type { WireRequest } from "../changes/wire.ts";
import { excludes, lawfulChange, points, type Point } from "../proof/lawful/index.ts";

/** A lawful way for a server to differ from the reference server: made anew for each run of a client. */
export type Oddity = () => Pick<Change, "wire" | "inward"> & {
  /** Calls return more than an answer holds, so it is truncated; `expired` addresses have already expired. */
  result?: "large" | "expired";
  /** What changed at its place stays changed. */
  lasts?: boolean;
};

/**
 * Members without which a client cannot do its task: an id to reconcile by, or a contract or an address that it
 * needs.
 */
const needed =
  /(^|\.)(params|examples)\.|(^|\.)(params|examples|full_content_file_url|execution_id|search_id|data|items|details|success|status)$/;

/** Ways that change a type where the contract names none: a client may take the type that it has seen. */
const otherTypes = /^(as a|in an?) |^as seconds/;
const otherNumbers = /^with (a fraction|an exponent)/;

/** Whether a right client does its task on a server with this lawful difference. */
const isBearable = ({ at, aspect, edit, operation, way }: Point): boolean =>
  (edit?.status ?? 200) === 200 &&
  operation !== "exportUsage" &&
  operation !== "exportLedger" &&
  !(aspect === "value" && (needed.test(at.replace(/^\d+ /, "")) || otherTypes.test(way))) &&
  // A whole number stays one: not every language reads 1.0 as such.
  !(otherNumbers.test(way) && !/(credits|cost|rate)$/.test(at));

/** The chosen lawful differences, as in the suite's variations; of two that exclude each other, the first. */
export const lawfully = (chooses: (point: Point) => boolean): Oddity => {
  const chosen: Point[] = [];
  for (const point of points)
    if (isBearable(point) && chooses(point) && !chosen.some((chosenPoint) => excludes(chosenPoint, point)))
      chosen.push(point);
  return () => lawfulChange(chosen);
};

/** Every success in one form of the catalogue. */
export const inForm =
  (way: OddWay): Oddity =>
  () =>
    formOf(way);

export const largeResult: Oddity = () => ({ result: "large" });
export const expiredResult: Oddity = () => ({ result: "expired" });

/** The claim of a trial account is refused. */
export const claimRefused: Oddity = () => ({
  wire: (request, answer) =>
    request.operation !== "startClaim" && request.operation !== "verifyClaim"
      ? answer
      : {
          ...answer,
          status: 422,
          body: JSON.stringify({
            detail: [
              { loc: ["body", "claim_code"], msg: "The claim code is not valid.", type: "value_error" },
            ],
          }),
        },
});

/** After the client has read a tool's contract, a required parameter of it gets another name. */
export const changedContract: Oddity = () => {
  /** By tool: the parameter's old name. */
  const renamed = new Map<string, string>();
  const shown = new Map<string, string>();
  const next = (name: string): string => `${name}_v2`;
  return {
    lasts: true,
    inward: async (request, body) => {
      if (request.operation !== "call") return null;
      const sent = parsed(await body());
      const tool = request.query.get("tool_id") ?? String(sent["tool_id"]);
      const old = renamed.get(tool) ?? shown.get(tool);
      if (old === undefined) return null;
      renamed.set(tool, old);
      const { [old]: _old, [next(old)]: value, ...others } = (sent["parameters"] ?? {}) as Body;
      const parameters = value === undefined ? others : { ...others, [old]: value };
      return { body: JSON.stringify({ ...sent, parameters }) };
    },
    wire: (request, answer) => {
      if (request.operation === "call" && answer.status === 422) {
        const old = renamed.get(toolOf(request)) ?? "";
        return { ...answer, body: answer.body.replaceAll(new RegExp(`\\b${old}\\b`, "g"), next(old)) };
      }
      if (request.operation !== "discover" && request.operation !== "inspect") return answer;
      if (answer.status !== 200) return answer;
      const body = parsed(answer.body);
      const results = Array.isArray(body["results"]) ? (body["results"] as Body[]) : [];
      for (const result of results) {
        const params = Array.isArray(result["params"]) ? (result["params"] as Body[]) : [];
        const param = params.find(({ required }) => required === true);
        const tool = String(result["tool_id"]);
        if (param === undefined) continue;
        shown.set(tool, String(param["name"]));
        const old = renamed.get(tool);
        if (old === undefined || param["name"] !== old) continue;
        param["name"] = next(old);
        const sample = ((result["examples"] ?? {}) as Body)["sample_parameters"] as Body | undefined;
        if (sample === undefined || !(old in sample)) continue;
        const { [old]: value, ...others } = sample;
        (result["examples"] as Body)["sample_parameters"] = { ...others, [next(old)]: value };
      }
      return { ...answer, body: JSON.stringify(body) };
    },
  };
};

/** The first tool that is called was withdrawn, although searches still return it. */
export const withdrawnTool: Oddity = () => {
  let gone: string | null = null;
  const suffix = "-withdrawn";
  return {
    lasts: true,
    inward: async (request, body) => {
      if (request.operation !== "call") return null;
      const sent = parsed(await body());
      const tool = request.query.get("tool_id") ?? String(sent["tool_id"]);
      gone ??= tool;
      if (tool !== gone) return null;
      const query = new URLSearchParams(request.query);
      query.delete("tool_id");
      return { query, body: JSON.stringify({ ...sent, tool_id: gone + suffix }) };
    },
    wire: (_, answer) => ({ ...answer, body: answer.body.replaceAll(suffix, "") }),
  };
};

const toolOf = (request: WireRequest): string =>
  request.query.get("tool_id") ?? String(sentOf(request)["tool_id"]);

const parsed = (text: string): Body => {
  try {
    return (JSON.parse(text) ?? {}) as Body;
  } catch {
    return {};
  }
};

/** Several oddities together, each applied to the result of the one before it. */
export const combined =
  (...oddities: readonly Oddity[]): Oddity =>
  () => {
    const made = oddities.map((oddity) => oddity());
    const results = made.flatMap(({ result }) => result ?? []);
    return {
      ...(results.length > 0 && { result: results[0]! }),
      wire: async (request, answer) => {
        let changed = answer;
        for (const { wire } of made) if (wire !== undefined) changed = await wire(request, changed);
        return changed;
      },
      inward: async (request, body) => {
        for (const { inward } of made) {
          const replaced = await inward?.(request, body);
          if (replaced != null) return replaced;
        }
        return null;
      },
    };
  };
