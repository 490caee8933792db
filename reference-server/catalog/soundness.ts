import { micro } from "../billing/money.ts";
import { discounted } from "../billing/price.ts";
import { suggestion } from "../../base/yaml/nearest.ts";
import { oneOfGroups, violations } from "./parameters.ts";
import type { YamlPath as Path } from "../../base/yaml/file.ts";
import type { Capability, Param, Tool } from "./tool.ts";

/** A problem in a well-formed entry: its place in the entry, and what would be right. */
export interface Problem {
  path: Path;
  reason: string;
}

function* checkAmount(amount: number | undefined, path: Path): Iterable<Problem> {
  if (amount === undefined) return;
  try {
    micro(amount);
  } catch (error) {
    yield { path, reason: error instanceof Error ? error.message : String(error) };
  }
}

function* checkParam(param: Param, path: Path): Iterable<Problem> {
  const numeric = param.type === "integer" || param.type === "number";
  for (const bound of ["minimum", "maximum"] as const) {
    if (param[bound] !== undefined && !numeric) {
      yield {
        path: [...path, bound],
        reason: `"${bound}" is for numbers; "${param.name}" is of type ${param.type}`,
      };
    }
  }
  if (param.minimum !== undefined && param.maximum !== undefined && param.minimum > param.maximum) {
    yield { path: [...path, "minimum"], reason: `the minimum of "${param.name}" is above its maximum` };
  }
  for (const rule of ["pattern", "format"] as const) {
    if (param[rule] !== undefined && param.type !== "string") {
      yield {
        path: [...path, rule],
        reason: `"${rule}" is for strings; "${param.name}" is of type ${param.type}`,
      };
    }
  }
  if (param.pattern !== undefined) {
    try {
      new RegExp(param.pattern, "u");
    } catch (error) {
      yield { path: [...path, "pattern"], reason: error instanceof Error ? error.message : String(error) };
    }
  }
  const misfits = (param.enum ?? []).filter((value) =>
    typeof value === "string"
      ? param.type !== "string"
      : !numeric || (param.type === "integer" && !Number.isInteger(value)),
  );
  if (misfits.length > 0) {
    const reason = `enum values of "${param.name}" must be of its type ${param.type}: ${misfits.join(", ")} is not`;
    yield { path: [...path, "enum"], reason };
  }
  if (new Set(param.enum).size !== (param.enum ?? []).length) {
    yield { path: [...path, "enum"], reason: `the enum of "${param.name}" names a value twice` };
  }
  if (param.one_of_required !== undefined && param.required) {
    const reason = `"${param.name}" is in a one-of group, so it cannot be required by itself`;
    yield { path: [...path, "required"], reason };
  }
}

/** Problems of a parameter contract, with paths that begin at `params`. */
function* checkParams(contract: { params: readonly Param[] }): Iterable<Problem> {
  const seen = new Set<string>();
  for (const [position, param] of contract.params.entries()) {
    const path = ["params", position];
    if (seen.has(param.name))
      yield { path: [...path, "name"], reason: `parameter "${param.name}" is there twice` };
    seen.add(param.name);
    yield* checkParam(param, path);
  }
  for (const [label, members] of oneOfGroups(contract)) {
    if (members.length > 1) continue;
    const position = contract.params.findIndex((param) => param.one_of_required === label);
    const reason = `one-of group "${label}" has one member, "${members[0]}": make it required, or give it company`;
    yield { path: ["params", position, "one_of_required"], reason };
  }
}

function* checkPrice({ billing_rule: rule, cost, mapping }: Tool): Iterable<Problem> {
  yield* checkAmount(cost, ["cost"]);
  if (rule === undefined) {
    if (cost === undefined) {
      yield {
        path: ["tool_id"],
        reason: `the tool lacks a price: give "billing_rule", or the legacy "cost"; 0 is free`,
      };
    }
    return;
  }
  const at = (field: string): Path => ["billing_rule", field];
  const misspelt = [...checkAmount(rule.amount_credits, at("amount_credits"))];
  yield* misspelt;
  yield* checkAmount(rule.minimum_credits, at("minimum_credits"));
  if (
    misspelt.length === 0 &&
    rule.amount_credits > 0 &&
    discounted(micro(rule.amount_credits), rule) === 0
  ) {
    const reason = `${rule.amount_credits} credits less this discount would settle as 0: the smallest amount is 0.000001 credits`;
    yield { path: at("discount"), reason };
  }
  if (rule.policy === "exempt" && rule.charge_on_failure) {
    yield { path: at("charge_on_failure"), reason: "a tool that policy exempts cannot charge for failure" };
  }
  if (rule.unit === "request") {
    for (const field of ["max_units", "minimum_credits"] as const) {
      if (rule[field] === undefined) continue;
      yield {
        path: at(field),
        reason: `"${field}" is for prices per unit of result; this price is per request`,
      };
    }
    if (cost !== undefined && cost !== rule.amount_credits) {
      yield {
        path: ["cost"],
        reason: `the legacy cost ${cost} contradicts billing_rule (${rule.amount_credits})`,
      };
    }
    return;
  }
  if (rule.max_units === undefined) {
    const reason = `a price per ${rule.unit} needs "max_units", so that a call has an upper bound`;
    yield { path: at("unit"), reason };
  } else {
    yield* checkAmount(rule.amount_credits * rule.max_units, at("max_units"));
    if ((rule.minimum_credits ?? 0) > rule.amount_credits * rule.max_units) {
      yield { path: at("minimum_credits"), reason: "the minimum is above the most that a call can cost" };
    }
  }
  if (mapping.rows === undefined && mapping.data === undefined) {
    const reason = `a price per ${rule.unit} needs "mapping.rows" (or "mapping.data"), so that units can be counted`;
    yield { path: at("unit"), reason };
  }
}

/** The names in `{…}` of an upstream url. */
const urlNames = (url: string): string[] => [...url.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name ?? "");

function* checkUpstream({ upstream, params }: Tool): Iterable<Problem> {
  const path = ["upstream", "url"];
  const names = urlNames(upstream.url);
  const parsed = URL.parse(upstream.url.replaceAll(/\{[^{}]*\}/g, "x"));
  if (parsed === null || !["http:", "https:"].includes(parsed.protocol)) {
    yield {
      path,
      reason: "the url must be an absolute http or https address (or begin with {sample_provider})",
    };
  } else if (parsed.username !== "" || parsed.password !== "") {
    yield {
      path,
      reason: "the url must not hold credentials: put them into a header, as ${NAME_OF_VARIABLE}",
    };
  } else if (
    names.length > 0 &&
    urlNames(upstream.url.split(/[?#]/)[0]?.replace(/^\w+:\/\/[^/]*/, "") ?? "").length < names.length
  ) {
    yield { path, reason: "only the path of the url may hold parameters" };
  }
  for (const name of names) {
    const param = params.find((parameter) => parameter.name === name);
    if (param === undefined) {
      const known = params.map((parameter) => parameter.name);
      yield { path, reason: `the url names {${name}}, which is not a parameter.${suggestion(name, known)}` };
    } else if (!param.required || param.type === "object" || param.type === "array") {
      yield {
        path,
        reason: `{${name}} is in the url, so the parameter must be required and a plain value`,
      };
    }
  }
  for (const [name, value] of Object.entries(upstream.headers ?? {})) {
    if (/^[A-Za-z0-9-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(value)) continue;
    yield {
      path: ["upstream", "headers", name],
      reason: `header "${name}" holds characters that HTTP does not allow`,
    };
  }
}

/** Every contradiction within a well-formed tool. */
export function* checkTool(tool: Tool): Iterable<Problem> {
  const contract = [...checkParams(tool)];
  yield* contract;
  yield* checkPrice(tool);
  yield* checkUpstream(tool);
  if (tool.examples !== undefined && contract.length === 0) {
    for (const { param, message } of violations(tool, tool.examples.sample_parameters)) {
      const reason = `the sample parameters break the tool's own contract: ${message}`;
      yield { path: ["examples", "sample_parameters", param], reason };
    }
  }
}

/** Everything in a capability that its candidates cannot fulfil. `listed` holds all tool ids, valid or not. */
export function* checkCapability(
  capability: Capability,
  find: (toolId: string) => Tool | undefined,
  listed: ReadonlySet<string>,
): Iterable<Problem> {
  yield* checkParams(capability);
  for (const [position, toolId] of capability.candidates.entries()) {
    const path = ["candidates", position];
    const tool = find(toolId);
    if (tool === undefined) {
      if (!listed.has(toolId))
        yield { path, reason: `there is no tool "${toolId}".${suggestion(toolId, listed)}` };
      continue;
    }
    for (const param of capability.params) {
      const declared = tool.params.find(({ name }) => name === param.name);
      if (declared === undefined)
        yield { path, reason: `candidate "${toolId}" does not take "${param.name}"` };
      else if (declared.type !== param.type) {
        yield {
          path,
          reason: `candidate "${toolId}" takes "${param.name}" as ${declared.type}, not ${param.type}`,
        };
      }
    }
    for (const { name, required } of tool.params) {
      if (!required || capability.params.some((param) => param.name === name && param.required)) continue;
      yield { path, reason: `candidate "${toolId}" requires "${name}", which the capability does not` };
    }
  }
}
