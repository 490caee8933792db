import { csvRows } from "../../books/csv.ts";
import { mutantsOf, onAnswers, onStatus, type Change } from "../../changes/mutant.ts";

const id = "exportLedger";

/** Adds the newest row of the previous caller's account to each export. */
function leaking(): Change {
  const newest = new Map<string, string>();
  return onAnswers(
    (request, answer) => answer.status === 200 && request.operation !== null,
    (answer, request) => {
      const who = String(request.headers.authorization);
      if (request.operation === "call") {
        newest.set(who, String((JSON.parse(answer.body) as Record<string, unknown>)["execution_id"]));
      }
      if (request.operation !== id) return answer;
      const theirs = [...newest].filter(([other]) => other !== who).map(([, execution]) => execution);
      return { ...answer, body: `${answer.body}${theirs.join("\r\n")}\r\n` };
    },
  );
}

export const mutants = mutantsOf({
  "LEXP-02": {
    "exports a row for each entry that shows nothing of it": onStatus(id, 200, (answer) => ({
      ...answer,
      body: csvRows(answer.body)
        .map(() => "moved")
        .join("\r\n"),
    })),
  },
  "LEXP-04": { "exports Calls of other accounts": leaking() },
});
