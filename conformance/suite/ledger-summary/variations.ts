import { together, variationsOf, type Body } from "../../changes/mutant.ts";
import { onBuckets, onSummary } from "../summary.mutants.ts";
import { summaryVariations } from "../summary.variations.ts";
import { ledgerSummary } from "../../books/ledger-summary.ts";

const list = "listLedger";
const noForm = "Ledger summary object: `start_date`, `end_date`: their form is not given";

const change = (write: (at: string) => unknown) =>
  onSummary(list, ({ start_date: from, end_date: to }) => ({
    start_date: write(String(from)),
    end_date: write(String(to)),
  }));

const inTexts = (figures: Body): Body =>
  Object.fromEntries(
    ["consumed_credits", "granted_credits", "net_amount_credits"].map((name) => [
      name,
      String(figures[name]),
    ]),
  );

/** Lawful ledger summaries that the reference server does not give. */
export const variations = [
  ...variationsOf({
    [noForm]: {
      "writes the window of a ledger summary as dates": change((at) => at.slice(0, 10)),
      "writes the window of a ledger summary in words": change((at) => new Date(at).toDateString()),
    },
    "`consumed_credits`, `granted_credits` (absolute totals), `net_amount_credits` (signed net)": {
      "writes the credits of a ledger summary as decimal strings": together(
        onSummary(list, inTexts),
        onBuckets(list, inTexts),
      ),
    },
    "`max_amount_items` (largest absolute movements, capped by `limit`)": {
      "shows at most three of the largest movements": onSummary(list, ({ max_amount_items: items }) => ({
        max_amount_items: (items as Body[]).slice(0, 3),
      })),
    },
  }),
  ...summaryVariations(ledgerSummary),
];
