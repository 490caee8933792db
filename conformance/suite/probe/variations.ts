import { onAnswers, onBody, variationsOf, withBody, type Body } from "../../changes/mutant.ts";

/** Lawful answers of Probe that the reference server does not give. */
export const variations = variationsOf({
  "Statuses: 200; 400 invalid probe request (error object); 401; 404 capability not found": {
    "refuses a Probe with 400 when the tool_id is not in its own format": onAnswers(
      ({ operation, query }, { status }) =>
        operation === "probe" &&
        status === 404 &&
        !/^[a-z-]+(\.[a-z0-9-]+){2}$/.test(query.get("tool_id") ?? ""),
      withBody(400, { status: "failure", message: "This is not the id of a tool." }),
    ),
  },
  "Shape of the coverage and sample verdicts: not shown.": {
    "gives coverage and sample verdicts in its own words": onBody("probe", (body) => ({
      ...body,
      ...Object.fromEntries(
        ["coverage", "sample"].filter((name) => name in body).map((name) => [name, ["UNKNOWN", 0]]),
      ),
    })),
  },
  "`quote`: object with `estimate_credits` (number), `currency` (string, `credits`), `exact` (boolean)": {
    "adds unrequested fields to a quote": onBody("probe", (body) =>
      "quote" in body
        ? { ...body, quote: { ...(body["quote"] as Body), valid_until: null, detail: { steps: [] } } }
        : body,
    ),
  },
});
