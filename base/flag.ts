import { Option } from "commander";
import { WrongUse } from "./exit.ts";
import { bareAddress } from "./address.ts";
import { addressFault } from "./written.ts";

/** A flag of a verb, written as in `--port <N>`; `Value` is the type that the verb receives. */
export class Flag<Value> extends Option {
  /** The type of the value; absent at run time. */
  declare readonly value: Value;
  /** The value if the flag is absent and has no default. */
  readonly absent: unknown;

  constructor(
    spelled: string,
    help: string,
    read: (text: string, name: string, before: unknown) => unknown,
    absent?: unknown,
  ) {
    super(spelled, help);
    this.absent = absent;
    if (!this.required) return;
    this.argParser((text, before) => {
      if (text === "" && this.envVar !== undefined) return before;
      if (text === "" || text.startsWith("--")) {
        throw new WrongUse(
          `${this.long} needs a value, as in ${this.flags}${text === "" ? "" : `; ${text} is another flag`}.`,
        );
      }
      return read(text, this.long!, before);
    });
  }

  /** The value if the flag is absent. */
  or(value: NonNullable<Value>, shown?: string): Flag<NonNullable<Value>> {
    return this.default(value, shown) as Flag<NonNullable<Value>>;
  }

  /** Marks the flag as required. */
  needed(): Flag<NonNullable<Value>> {
    return this.makeOptionMandatory() as Flag<NonNullable<Value>>;
  }
}

/** @throws WrongUse naming the flag and what would be right */
export function wrongValue(name: string, right: string, text: string): never {
  throw new WrongUse(`${name} must be ${right}, not ${JSON.stringify(withoutPassword(text))}.`);
}

/** An address for a message, however it is mistyped: without a possible password, before the host or after it. */
export const withoutPassword = (address: string): string =>
  address.replace(/^([a-z\d+.-]*:?\/{0,2}).*@/is, "$1…@").replace(/([?#]).+$/s, "$1…");

/** A value parsed by a function of the verb, which gets the flag's name for its error message. */
export const valueOf = <Value>(
  spelled: string,
  help: string,
  read: (text: string, name: string) => Value,
): Flag<Value | undefined> => new Flag(spelled, help, read);

export const text = (spelled: string, help: string): Flag<string | undefined> =>
  valueOf(spelled, help, (text) => text);

/** A flag without a value. */
export const yes = (spelled: string, help: string): Flag<boolean> =>
  new Flag(spelled, help, () => true, false);

/** An integer within bounds. */
export const whole = (
  spelled: string,
  help: string,
  { least = 1, most = Number.MAX_SAFE_INTEGER }: { least?: number; most?: number } = {},
): Flag<number | undefined> =>
  valueOf(spelled, help, (text, name) => {
    const number = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
    if (number >= least && number <= most) return number;
    const range = most === Number.MAX_SAFE_INTEGER ? `, at least ${least}` : ` from ${least} to ${most}`;
    return wrongValue(name, `a whole number${range}`, text);
  });

/** A positive number, with or without decimals. */
export const number = (spelled: string, help: string): Flag<number | undefined> =>
  valueOf(spelled, help, (text, name) =>
    /^\d{1,12}(\.\d{1,12})?$/.test(text) && Number(text) > 0
      ? Number(text)
      : wrongValue(name, "a number above 0", text),
  );

/** A share from none to all. */
export const share = (spelled: string, help: string): Flag<number | undefined> =>
  valueOf(spelled, help, (text, name) =>
    /^(0(\.\d{1,12})?|1(\.0+)?)$/.test(text) ? Number(text) : wrongValue(name, "a number from 0 to 1", text),
  );

/** One of several words. */
export const oneOf = <const Choice extends string>(
  spelled: string,
  help: string,
  choices: readonly Choice[],
): Flag<Choice | undefined> =>
  Object.assign(
    valueOf(spelled, help, (text, name) => chosen(name, text, choices)),
    { argChoices: [...choices] },
  );

/** Looks a choice up by name. @throws WrongUse listing the choices */
export const chosen = <Choice extends string>(
  name: string,
  text: string,
  choices: readonly Choice[],
): Choice =>
  choices.find((choice) => choice === text) ?? wrongValue(name, `one of ${choices.join(", ")}`, text);

/** An http or https address. */
export const address = (
  spelled: string,
  help: string,
  example = "http://127.0.0.1:8080/api/v1",
): Flag<string | undefined> =>
  valueOf(spelled, help, (text, name) => {
    const right = addressFault(text, example);
    return right === null ? bareAddress(text) : wrongValue(name, right, text);
  });

/** A flag that may be repeated; written `<WHAT...>`, it takes several values at once. */
export const several = <Value = string>(
  spelled: string,
  help: string,
  read: (text: string, name: string) => Value = (text) => text as Value,
): Flag<Value[]> =>
  new Flag(
    spelled,
    help,
    (text, name, before) => [...((before as Value[] | undefined) ?? []), read(text, name)],
    [],
  );

/** The flag for the budget of waiting. */
export const wait = (): Flag<number> =>
  whole("--wait <SECONDS>", "maximum time to wait for windows, Retry-After and late responses").or(600);

/** The flag for the address of the server under test. */
export const baseUrl = (): Flag<string | undefined> =>
  address("--base-url <URL>", "your server; URL ends in /api/v1");
