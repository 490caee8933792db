import { onAnswers, variationsOf, type Body } from "../../changes/mutant.ts";

const missing = JSON.stringify({ status: "failure", message: "There is no such tool.", status_code: 404 });

/** Lawful answers of Inspect that the reference server does not give. */
export const variations = variationsOf({
  "tool_ids | string[] | yes | Ids returned by Discover": {
    "refuses an Inspect of an unknown tool_id": onAnswers(
      ({ operation, sent }, { status, body }) =>
        operation === "inspect" &&
        status === 200 &&
        ((JSON.parse(body) as Body)["results"] as unknown[]).length <
          new Set((JSON.parse(sent()) as { tool_ids: string[] }).tool_ids).size,
      (answer) => ({ ...answer, status: 404, body: missing }),
    ),
  },
});
