import { isDeepStrictEqual } from "node:util";
import type { Located } from "../../judge/answer.ts";

/** The fields of a capability result that the contract names, without its id and its history. */
export const contractFields = [
  "name",
  "description",
  "provider_name",
  "params",
  "examples",
  "expected_cost",
  "billing_rule",
  "cost",
] as const;

/** A result reduced to the fields that the contract names; a server may add others that change. */
export const contractIn = (result: Located): Record<string, unknown> =>
  Object.fromEntries(contractFields.map((name) => [name, result.at(name).value]));

/** The parts of a parameter on which two results must agree; texts may be shortened. */
const telling = ["type", "required"] as const;
const prices = ["billing_rule.unit", "billing_rule.amount_credits"] as const;

const listOf = (result: Located): Located[] => {
  const params = result.at("params");
  return Array.isArray(params.value) ? params.items : [];
};

/** Whether one result's empty contract says that its tool takes no parameters while the other shows some. */
export const deniesParams = (result: Located, other: Located): boolean =>
  Array.isArray(result.at("params").value) && listOf(result).length === 0 && listOf(other).length > 0;

/** Whether an enum has a value that the other lacks; it may be truncated. */
const listsMore = (values: unknown, others: unknown): boolean =>
  Array.isArray(values) && Array.isArray(others) && values.some((value) => !others.includes(value));

/** Contradictions between two results about a tool's parameters and price; an omission is not a contradiction. */
function contradictions(result: Located, other: Located): string[] {
  const found = deniesParams(result, other) ? ["params, which is empty"] : [];
  const differ = (parameter: Located, same: Located): boolean =>
    parameter.present && same.present && !isDeepStrictEqual(parameter.value, same.value);
  for (const definition of listOf(result)) {
    const name = definition.at("name").value;
    if (typeof name !== "string") continue;
    const same = listOf(other).find((parameter) => parameter.at("name").value === name);
    if (same === undefined) found.push(`params.${name}`);
    else {
      const parts: string[] = telling.filter((part) => differ(definition.at(part), same.at(part)));
      if (listsMore(definition.at("enum").value, same.at("enum").value)) parts.push("enum");
      found.push(...parts.map((part) => `params.${name}.${part}`));
    }
  }
  return [...found, ...prices.filter((path) => differ(result.at(path), other.at(path)))];
}

/** The contradictions between two answers about the same tools, each with its `tool_id`. */
export function contradictionsAmong(results: readonly Located[], others: readonly Located[]): string[] {
  return results.flatMap((result) => {
    const id = result.at("tool_id").value;
    const other = others.find((contract) => contract.at("tool_id").value === id);
    return other === undefined ? [] : contradictions(result, other).map((what) => `${id}: ${what}`);
  });
}
