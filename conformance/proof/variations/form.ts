import { isFields } from "../../judge/seen.ts";
import { onAnswers, variationsOf, type Change, type Variation } from "../../changes/mutant.ts";
import type { WireAnswer, WireRequest } from "../../changes/wire.ts";

const isJson = ({ headers, body }: WireAnswer): boolean =>
  body !== "" && (headers["content-type"] ?? "").includes("json");

/** Changes the text of every JSON answer. */
const onText = (change: (text: string) => string): Change =>
  onAnswers(
    (_, answer) => isJson(answer),
    (answer) => ({ ...answer, body: change(answer.body) }),
  );

/** Rebuilds every JSON answer bottom-up; `change` receives each value with its path. */
const onValues = (
  change: (value: unknown, path: string, request: WireRequest) => unknown,
  chooses: (request: WireRequest, answer: WireAnswer) => boolean = () => true,
): Change =>
  onAnswers(
    (request, answer) => isJson(answer) && chooses(request, answer),
    (answer, request) => {
      const rebuild = (value: unknown, path: string): unknown => {
        const inner = Array.isArray(value)
          ? value.map((member: unknown) => rebuild(member, `${path}.*`))
          : typeof value === "object" && value !== null
            ? Object.fromEntries(
                Object.entries(value).map(([name, member]) => [name, rebuild(member, `${path}.${name}`)]),
              )
            : value;
        return change(inner, path, request);
      };
      return { ...answer, body: JSON.stringify(rebuild(JSON.parse(answer.body), "")) };
    },
  );

/** A tool's results and parameters are its own: a server must not change them. */
const isForeign = (path: string): boolean =>
  /\.(result\.data|parameters|sample_parameters|content_schema|params)\b/.test(path);

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** Writes every timestamp of the answers in another format for the same instant. */
const onTimestamps = (write: (moment: Date, text: string) => string): Change =>
  onValues((value, path) =>
    typeof value === "string" && !isForeign(path) && timestamp.test(value)
      ? write(new Date(value), value)
      : value,
  );

const inZone =
  (minutes: number) =>
  (moment: Date, text: string): string => {
    const shifted = new Date(moment.getTime() + minutes * 60_000).toISOString().slice(0, 19);
    const sign = minutes < 0 ? "-" : "+";
    const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
    const fraction = /\.\d+/.exec(text)?.[0] ?? "";
    return `${shifted}${fraction}${sign}${String(hours).padStart(2, "0")}:${String(rest).padStart(2, "0")}`;
  };

const messages = /\.(message|error_message|outcome_message|billing_summary|msg)$/;

/** Summaries limit what an answer may contain, so nothing can be added to them. */
const isLimited = (request: WireRequest, answer: WireAnswer): boolean =>
  request.operation === "call" && answer.body.includes('"respond_with"');

/** Lawful differences in the form of answers: order, white space, zones, texts, case. */
export const formVariations: readonly Variation[] = variationsOf({
  "the contract lists fields and forbids no others, outside the summary projection": {
    "adds unknown fields to every object": onValues(
      (value, path) =>
        isFields(value) && !isForeign(path) ? { "x-noise": { more: [1, null] }, ...value } : value,
      (request, answer) => !isLimited(request, answer),
    ),
  },
  'open: null or absent, where a field is optional or has nothing to say; the lists name `summary` "object or null"':
    {
      "leaves out of a success whatever is null": onValues(
        (value, path) =>
          isFields(value) && !isForeign(path)
            ? Object.fromEntries(
                Object.entries(value).filter(([name, member]) => member !== null || name === "summary"),
              )
            : value,
        (_, { status }) => status === 200,
      ),
    },
  "JSON: an object is unordered": {
    "orders the fields of every object the other way round": onValues((value, path) =>
      isFields(value) && !isForeign(path) ? Object.fromEntries(Object.entries(value).reverse()) : value,
    ),
  },
  "JSON: insignificant white space": {
    "writes JSON with white space": onText((text) => JSON.stringify(JSON.parse(text), null, 4)),
  },
  "JSON: \\u escapes": {
    "escapes every character beyond ASCII, and each g": onText((text) =>
      text.replace(/[g\u0080-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`),
    ),
  },
  "JSON: 1 and 1.0 are one number": {
    "writes whole amounts of credits with a decimal point": onText((text) =>
      text.replace(/("(?:[a-z_]*_credits|cost|credits_used)":-?\d+)(?=[,}])/g, "$1.0"),
    ),
  },
  "Timestamp (ISO 8601)": {
    "writes timestamps with an offset of +05:30": onTimestamps(inZone(330)),
    "writes timestamps with an offset of -08:00": onTimestamps(inZone(-480)),
    "writes timestamps with six decimals": onTimestamps((moment) =>
      moment.toISOString().replace("Z", "000Z"),
    ),
  },
  "message: a human-readable message; user-facing text may change": {
    "answers in other words": onValues((value, path) =>
      typeof value === "string" && messages.test(path) && !isForeign(path) ? "Bitte prüfen." : value,
    ),
  },
  "Bodies are JSON unless stated otherwise": {
    "leaves charset out of the content type": onAnswers(
      (_, answer) => isJson(answer),
      (answer) => ({ ...answer, headers: { ...answer.headers, "content-type": "application/json" } }),
    ),
  },
  "HTTP: unknown headers are ignored; a connection may be closed": {
    "sends more headers, and closes the connection after each answer": onAnswers(
      () => true,
      (answer) => ({
        ...answer,
        headers: { ...answer.headers, connection: "close", "x-trace": "1", vary: "accept" },
      }),
    ),
  },
  "the contract names no time for an answer": {
    "answers 40 ms later": {
      wire: (_, answer) => new Promise((resolve) => setTimeout(() => resolve(answer), 40)),
    },
    "answers in another order than it was asked": {
      wire: (request, answer) =>
        new Promise((resolve) => setTimeout(() => resolve(answer), (request.path.length * 7) % 23)),
    },
  },
  "Columns of the CSV exports: not shown; text/csv": {
    "ends CSV lines with LF alone and quotes every cell": onAnswers(
      (_, answer) => (answer.headers["content-type"] ?? "").startsWith("text/csv"),
      (answer) => ({ ...answer, body: quotedCsv(answer.body) }),
    ),
  },
});

function quotedCsv(text: string): string {
  const rows = text.split("\r\n").filter((row) => row !== "");
  const cells = (row: string): string[] => row.match(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)?.slice(0, -1) ?? [];
  return rows
    .map((row) =>
      cells(`${row},`)
        .map((cell) => cell.replace(/,$/, ""))
        .map((cell) => (cell.startsWith('"') ? cell : `"${cell}"`))
        .join(","),
    )
    .join("\n");
}
