import { readsBooks, usualLagSeconds } from "../../books/finality.ts";
import { jsonOf, type Exchange } from "../../judge/exchange.ts";
import type { Finding, Script } from "../../judge/finding.ts";
import type { RunContext } from "../perform.ts";
import { givenKeys, type GivenKey } from "./keys.ts";
import { givenBy, valuesOf, withValues, type Given } from "./references.ts";
import { keyOf, sentIn, sideBySide, type Steps } from "./steps.ts";

/**
 * Steps as a script for a shell with curl, which takes ids from the responses.
 * @param isRepeated whether they were sent again and showed the same
 */
export function scriptFrom(
  steps: Steps,
  finding: Finding,
  { client: { baseUrl }, profile, secrets }: RunContext,
  isRepeated: boolean,
): Script {
  const shell = new Shell(baseUrl, givenKeys(profile, secrets));
  const lagSeconds = Math.ceil(profile.audit_lag ?? usualLagSeconds);
  const sides = sideBySide(steps);
  let hasActed = false;
  for (const [nth, side] of sides.entries()) {
    for (const step of side) shell.haveKey(step);
    if (hasActed && side.some(({ operation }) => readsBooks(operation))) {
      if (lagSeconds > 0) shell.lines.push(`sleep ${lagSeconds} # the audit may be this late`);
      hasActed = false;
    }
    hasActed ||= side.some(({ request }) => request.method !== "GET");
    const later = sides.slice(nth + 1).flat();
    for (const step of side.slice(0, -1)) shell.sendBeside(step);
    if (later.length === 0) shell.sendLast(side.at(-1)!);
    else shell.send(side.at(-1)!, new Set(later.flatMap((step) => valuesOf(sentIn(step, baseUrl)))));
  }
  const head = [
    `# ${finding.id}: ${finding.title}`,
    ...comment("expected", finding.expected),
    ...comment("received", finding.received),
    `BASE=${quoted(baseUrl)}`,
    ...(shell.takesValues ? [value] : []),
  ];
  return {
    shell: [...head, ...shell.lines].join("\n"),
    requests: shell.requests,
    is_repeated: isRepeated,
  };
}

const comment = (label: string, text: string | null): string[] =>
  text === null ? [] : `${label} ${text}`.split("\n").map((line) => `# ${line}`);

/** Prints the value of the n-th member of a name in a JSON text: value TEXT NAME N. */
const value = `value() { printf '%s' "$1" | grep -oE "\\"$2\\": *(\\"[^\\"]*\\"|[^],}]*)" | sed -n "$3p" | sed -E 's/^[^:]*: *"?//; s/"$//'; }`;

/** Writes the lines of a script. */
class Shell {
  readonly lines: string[] = [];
  requests = 0;
  takesValues = false;
  /** What is sent at the same time as the next step. */
  readonly #beside: string[] = [];
  readonly #baseUrl: string;
  readonly #keys: ReadonlyMap<string, GivenKey>;
  /** The variable of each value that a response gave. */
  readonly #variables = new Map<string, string>();

  constructor(baseUrl: string, keys: ReadonlyMap<string, GivenKey>) {
    this.#baseUrl = baseUrl;
    this.#keys = keys;
  }

  /** Has a variable for the key that a step sends; the user sets that of one that no step registers. */
  haveKey(step: Exchange): void {
    const key = keyOf(step);
    if (key === undefined || this.#variables.has(key)) return;
    const { place, variable } = this.#keys.get(key) ?? {};
    const name = variable ?? `KEY_${this.#variables.size + 1}`;
    this.#variables.set(key, name);
    const what = place === undefined ? `a key of ${step.account}` : `${place} of the profile`;
    this.lines.push(`: "\${${name}:?set it to ${what}}"`);
  }

  /** Sends a step at the same time as the next one. */
  sendBeside(step: Exchange): void {
    this.#beside.push(`-o /dev/null ${this.#words(step)}`);
  }

  /** Sends the step whose response shows what is wrong, and shows its head too. */
  sendLast(step: Exchange): void {
    this.lines.push(this.#curl(step, "i"));
  }

  /** Sends a step and takes what later ones repeat of its response. @param later the values of these */
  send(step: Exchange, later: ReadonlySet<string>): void {
    const taken: Given[] = [];
    for (const given of givenBy(jsonOf(step)))
      if (later.has(given.value) && !this.#variables.has(given.value)) taken.push(given);
    const shows = step.operation !== "registerAnonymous";
    if (taken.length === 0)
      return void this.lines.push(`${this.#curl(step)}${shows ? "; echo" : " > /dev/null"}`);
    this.lines.push(`RESPONSE=$(${this.#curl(step)})${shows ? ' && echo "$RESPONSE"' : ""}`);
    this.takesValues = true;
    for (const { name, value } of taken) {
      if (this.#variables.has(value)) continue;
      const variable = `${name.toUpperCase()}_${this.#variables.size + 1}`;
      this.#variables.set(value, variable);
      this.lines.push(`${variable}=$(value "$RESPONSE" ${name} ${numberOf(step, name, value)})`);
    }
  }

  /** Sends a step, and those beside it from the same process: others would start too far apart for a race. */
  #curl(step: Exchange, flag: "" | "i" = ""): string {
    const words = this.#words(step);
    const beside = this.#beside.splice(0);
    if (beside.length === 0) return `curl -s${flag} ${words}`;
    const last = flag === "" ? words : `-${flag} ${words}`;
    return ["curl -sZ --parallel-immediate", [...beside, last].join(" \\\n  --next ")].join(" ");
  }

  #words(step: Exchange): string {
    this.requests += 1;
    const marked = (text: string): string | undefined => {
      const name = this.#variables.get(text);
      return name === undefined ? undefined : `${opening}${name}${closing}`;
    };
    const { method, path, authorization, headers, body } = withValues(sentIn(step, this.#baseUrl), marked);
    return [
      ...(method === "GET" ? [] : [`-X ${method}`]),
      `"$BASE${inDouble(path)}"`,
      ...(authorization === null ? [] : [`-H "authorization: ${inDouble(authorization)}"`]),
      ...Object.entries(headers).map(([name, text]) => `-H ${quoted(`${name}: ${text}`)}`),
      ...(body === null ? [] : [`--data-raw ${quoted(body)}`]),
    ].join(" ");
  }
}

/** Which of the members of a name in a response has a value, from 1 on. */
function numberOf({ response }: Exchange, name: string, value: string): number {
  const members = [...(response?.body ?? "").matchAll(new RegExp(`"${name}": *("[^"]*"|[^\\],}]*)`, "g"))];
  return members.findIndex(([, text]) => text === value || text === JSON.stringify(value)) + 1;
}

/** Marks a variable within a text that is still to be quoted. */
const [opening, closing] = ["__VARIABLE_", "_ELBAIRAV__"];
const marks = new RegExp(`${opening}(\\w+?)${closing}`, "g");

/** A text within double quotes of the shell, with its variables. */
const inDouble = (text: string): string =>
  text.replaceAll(/[\\"$`]/g, "\\$&").replaceAll(marks, (_, name) => `\${${name}}`);

/** A text as a word of the shell in single quotes, with its variables. */
const quoted = (text: string): string =>
  `'${text.replaceAll("'", `'\\''`).replaceAll(marks, (_, name) => `'"\${${name}}"'`)}'`;
