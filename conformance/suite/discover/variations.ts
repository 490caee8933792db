import { preferredLanguage } from "../../../reference-server/http/language.ts";
import {
  answering,
  onAnswers,
  onBody,
  onFields,
  onPath,
  reading,
  together,
  variationsOf,
  withBody,
  type Body,
} from "../../changes/mutant.ts";
import { widestQuery } from "../../server/requests.ts";

const failure = "a body with `search_id` set to a failure marker, `total` 0 and empty `results`";

/** The searches so far. */
const searches = new Set<string>();

const marks = "one-of groups are marked `one_of_required`: with what is not stated";

/** Marks the parameters of a one-of group differently; the label is the reference's own mark. */
const marking = (mark: (label: string) => Body) =>
  onPath(["discover", "inspect"], "results.*.params.*", (param) => {
    const { one_of_required: label, ...rest } = param as Body;
    return typeof label === "string" ? { ...rest, ...mark(label) } : param;
  });

/** Lawful answers of Discover that the reference server does not give. */
export const variations = variationsOf({
  [failure]: {
    "leaves the query out of the failure body of Discover": onFields(
      "discover",
      { query: undefined, elapsed_time_ms: undefined },
      401,
    ),
    "returns an empty query in the failure body of Discover": onFields("discover", { query: "" }, 401),
  },
  [`${failure}; insufficient credits also sets \`error_message\` and \`remaining_credits\` 0`]: {
    "refuses Discover to an account without credits in a 200 with only the named fields": onAnswers(
      ({ operation }, { status, body }) =>
        operation === "discover" &&
        status === 200 &&
        Number((JSON.parse(body) as Body)["remaining_credits"]) <= 0,
      (answer) => ({
        ...answer,
        body: JSON.stringify({
          search_id: "failed",
          total: 0,
          results: [],
          error_message: "no credits",
          remaining_credits: 0,
        }),
      }),
    ),
  },
  "insufficient credits returns a body with `search_id` set to a failure marker": {
    "refuses Discover to an account without credits with 402, although Discover is free": onAnswers(
      ({ operation }, { status, body }) =>
        operation === "discover" &&
        status === 200 &&
        Number((JSON.parse(body) as Body)["remaining_credits"]) <= 0,
      withBody(402, {
        search_id: "failed",
        total: 0,
        results: [],
        error_message: "no credits",
        remaining_credits: 0,
      }),
    ),
  },
  "### Discover response … `query` (string)": {
    "shows the query as it was interpreted": onFields("discover", {
      query: (query: unknown) => `${String(query).trim().toLowerCase()} (data)`,
    }),
  },
  [marks]: {
    "marks one-of groups with lists of labels": marking((label) => ({ one_of_required: [label] })),
    "marks one-of groups with a flag": marking(() => ({ one_of_required: true })),
    "lists one-of groups among other constraints": marking((label) => ({
      constraints: [{ kind: "one_of_required", group: label }],
    })),
  },
  "the contract lists fields and forbids no others": {
    "adds the time of the answer to some results": onPath(["discover", "inspect"], "results.*", (result) =>
      Math.random() < 0.5 ? result : { ...(result as Body), shown_at: new Date().toISOString() },
    ),
  },
  "`routing` returns compact cards: not of every tool": {
    "has routing cards for only 20 tools, plus any searched for by id": together(
      reading("discover", ({ view, limit }) => ({ limit: view === "routing" ? 100 : limit })),
      answering("discover", (answer, { body: { query, view, limit } }, { catalog }) => {
        if (view !== "routing" || answer.status !== 200) return answer;
        const { results } = answer.body as unknown as { results: { tool_id: string }[] };
        const carded = new Set(catalog.search(widestQuery, 20).map(({ tool_id: id }) => id)).add(query);
        const cards = results.filter(({ tool_id: id }) => carded.has(id)).slice(0, limit);
        return { ...answer, body: { ...answer.body, results: cards, total: cards.length } };
      }),
    ),
  },
  "lang | string | no | `zh` or `en`; default from Accept-Language negotiation": {
    "answers in Chinese unless English is accepted": reading("discover", ({ lang }, { headers }) => {
      const header = headers["accept-language"] ?? "";
      return { lang: lang ?? (/\ben\b/i.test(header) ? preferredLanguage(header) : "zh") };
    }),
  },
  "`elapsed_time_ms` (number): of which search it tells is not stated": {
    "replays the elapsed time of an earlier search": onBody("discover", (body, { sent }) => {
      const isRepeated = searches.has(sent());
      searches.add(sent());
      return isRepeated ? { ...body, elapsed_time_ms: 86_400_000 } : body;
    }),
  },
});
