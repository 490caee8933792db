import { moving, answering, mutantsOf, onFields, type Change } from "../../changes/mutant.ts";

/** Charges a small amount for Calls of unknown tools. */
const charging = (chooses: (toolId: string) => boolean): Change =>
  answering("call", async (answer, { body: { tool_id: id = "" }, caller }, { books, catalog }) => {
    if (chooses(id) && catalog.find(id) === undefined) await moving(books, caller.account.id, -0.01);
    return answer;
  });

export const mutants = mutantsOf({
  "ERRO-08": {
    "reports only that something is wrong": onFields(
      "listLedger",
      { detail: [{ loc: [], msg: "invalid", type: "invalid" }] },
      422,
    ),
  },
  "ERRO-09": {
    "charges for a malformed tool_id": charging((id) => id.includes(" ")),
  },
  "ERRO-10": {
    "charges for an unknown tool": charging((id) => !id.includes(" ")),
  },
});
