import { onAnswers, onBody, variationsOf, withBody, type Body } from "../../changes/mutant.ts";

/** Lawful answers of Probe that the reference server does not give. */
export const variations = variationsOf({
  "Statuses: 200; 400 invalid probe request (error object); 401; 404 capability not found": {
    "refuses to probe an id of another make than its own": onAnswers(
      ({ operation, query }, { status }) =>
        operation === "probe" &&
        status === 404 &&
        !/^[a-z-]+(\.[a-z0-9-]+){2}$/.test(query.get("tool_id") ?? ""),
      withBody(400, { status: "failure", message: "This is no id of a tool." }),
    ),
  },
  "Shape of the coverage and sample verdicts: not shown.": {
    "gives the verdicts of coverage and sample in words of its own": onBody("probe", (body) => ({
      ...body,
      ...Object.fromEntries(
        ["coverage", "sample"].filter((name) => name in body).map((name) => [name, ["UNKNOWN", 0]]),
      ),
    })),
  },
  "`quote`: object with `estimate_credits` (number), `currency` (string, `credits`), `exact` (boolean)": {
    "says more of a quote than was asked": onBody("probe", (body) =>
      "quote" in body
        ? { ...body, quote: { ...(body["quote"] as Body), valid_until: null, detail: { steps: [] } } }
        : body,
    ),
  },
});
