import {
  asking,
  besideInstant,
  ignoring,
  lenientDates,
  misread,
  onAny,
  taking,
} from "../../changes/audit-query.ts";
import { mutantsOf, onAnswers, onHeaders, onStatus, type Body, type Change } from "../../changes/mutant.ts";
import { once, textOf } from "../usage/row-changes.ts";

const id = "exportLedger";

/** Changes the lines of the export. */
const onLines = (change: (lines: string[]) => string[]): Change =>
  onStatus(id, 200, (answer) => {
    const lines = answer.body.split("\r\n").filter((line) => line !== "");
    return { ...answer, body: `${change(lines).join("\r\n")}\r\n` };
  });

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

export const mutants = [
  ...mutantsOf({
    "LEXP-01": {
      "exports as plain text": onHeaders(
        (request, answer) => request.operation === id && answer.status === 200,
        {
          "content-type": "text/plain; charset=utf-8",
        },
      ),
    },
    "LEXP-06": {
      "names a column that its rows do not have": onLines(([header, ...rows]) => [`${header},note`, ...rows]),
    },
    "LEXP-02": {
      "exports empty cells alone": onLines((lines) => lines.map(() => lines[0]!.replace(/[^,]/g, ""))),
      "exports the consumptions alone": onLines(([header, ...rows]) => [
        header!,
        ...rows.filter((row) => !row.includes("grant_")),
      ]),
      "exports every entry, whatever the scope": asking(id, (query) => ({ ...query, scope: "" })),
      "exports no more than 50 entries": onLines((lines) => lines.slice(0, 51)),
      "forgets the scope after 50 entries": onAny(id, (operation) => async (request, context) => {
        const answer = await operation(request, context);
        const query = { ...(request.query as Body), scope: "" };
        const [scoped, every] = await Promise.all(
          [answer, await operation({ ...request, query }, context)].map(async (one) =>
            (await textOf(one)).split("\r\n"),
          ),
        );
        const cut = every!.indexOf(scoped![50] ?? "");
        const lines = scoped!.length > 51 ? [...scoped!.slice(0, 51), ...every!.slice(cut + 1)] : scoped!;
        return { ...answer, stream: once(lines.join("\r\n")) } as typeof answer;
      }),
      "leaves the oldest entry out": onLines((lines) => lines.slice(0, -1)),
      "exports its first entry twice": onLines((lines) => [...lines, ...lines.slice(1, 2)]),
    },
    "LEXP-03": {
      "ignores start_date": ignoring(id, "start_date"),
      "ignores end_date": ignoring(id, "end_date"),
      "takes an end_date beside an instant for the beginning of its day": besideInstant(id),
      "takes an instant for nothing": taking(id, "end_date", misread.noInstant),
    },
    "LEXP-04": { "exports what another account called": leaking() },
  }),
  ...(["exportLedger", "exportUsage", "listUsageFeed"] as const).flatMap((operation) =>
    lenientDates("LEXP-05", operation, ` of ${operation} that is no date`),
  ),
];
