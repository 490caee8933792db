import { mutantsOf, onBody, onPath, sentOf, type Body, type Change } from "../../changes/mutant.ts";

/** Changes the parameter definitions of results that the predicate selects by the request. */
const onParams = (
  operation: "discover" | "inspect",
  chooses: (sent: Body) => boolean,
  change: (param: Body) => Body | undefined,
): Change =>
  onPath(operation, "results.*.params", (params, request) =>
    chooses(sentOf(request)) ? (params as Body[]).map(change).filter((param) => param !== undefined) : params,
  );

/** Answers a different list of results, depending on the request, and a matching count. */
const onResults = (change: (results: Body[], sent: Body) => Body[]): Change =>
  onBody("inspect", (body, request) => {
    const results = change(body["results"] as Body[], sentOf(request));
    return { ...body, results, total: results.length };
  });

/** Inspect's answers for several tools, in its views, and compared with Discover's. */
export const mutants = mutantsOf({
  "INSP-05": {
    "translates the values of an enum": onParams(
      "discover",
      (sent) => sent["lang"] === "zh",
      (param) =>
        param["enum"]
          ? { ...param, enum: (param["enum"] as unknown[]).map((value) => `${value} 值`) }
          : param,
    ),
  },
  "INSP-13": {
    "shows an empty contract for every tool except the first": onResults((results) =>
      results.map((result, place) => (place === 0 ? result : { ...result, params: [] })),
    ),
  },
});
