import {
  mutant,
  mutantsOf,
  sentOf,
  reading,
  onStatus,
  type Body,
  type Change,
} from "../../changes/mutant.ts";
import { unreadable } from "./mutants.ts";

/** Answers 200 for Calls that should be refused with 422: omits their model or projection. */
const accepting = (which: RegExp): Change => onStatus("call", 422, 200, (_, { body }) => which.test(body));

/** The same when the value sent has a certain type. */
const acceptingSent = (which: (sent: Body) => boolean): Change =>
  onStatus("call", 422, 200, (request) => which(sentOf(request)));

/** Mutants that wrongly accept or refuse fields of a Call's body. */
export const mutants = [
  ...mutantsOf({
    "CALL-20": {
      "refuses a model of 128 characters": reading("call", ({ model }) =>
        (model ?? "").length > 127 ? unreadable : {},
      ),
      "counts the bytes of a model": reading("call", ({ model }) =>
        Buffer.byteLength(model ?? "") > 128 ? unreadable : {},
      ),
    },
    "CALL-21": { "accepts a model of 129 characters": accepting(/128|length|long/i) },
    "CALL-22": { "accepts a blank model": accepting(/model/) },
    "CALL-23": {
      "accepts a model with white space": accepting(/model/),
      "trims a model before it looks at it": acceptingSent(
        ({ model }) => typeof model === "string" && /^\s*[!-~]+\s*$/.test(model),
      ),
    },
    "CALL-24": {
      "knows the control characters of ASCII alone": acceptingSent(
        ({ model }) => typeof model === "string" && /[\u0080-\u009f]/.test(model),
      ),
      "accepts a model with a control character": accepting(/model/),
    },
    "CALL-25": { "accepts missing parameters": accepting(/parameters/) },
    "CALL-26": {
      "wants some parameter of every tool": reading("call", ({ parameters }) =>
        Object.keys(parameters).length > 0 ? {} : unreadable,
      ),
    },
    "CALL-27": { "accepts any max_response_size": accepting(/max_response_size/) },
  }),
  ...(
    [
      ["missing parameters", (parameters) => parameters === undefined],
      ["parameters of null", (parameters) => parameters === null],
      ["a list as parameters", (parameters) => Array.isArray(parameters)],
      ["a text as parameters", (parameters) => typeof parameters === "string"],
    ] as const satisfies [string, (parameters: unknown) => boolean][]
  ).map(([what, chooses]) =>
    mutant(
      "CALL-25",
      `takes ${what} for empty ones, which a tool without parameters accepts`,
      acceptingSent(({ tool_id: id, parameters }) => id === "currency.list.v1" && chooses(parameters)),
    ),
  ),
];
