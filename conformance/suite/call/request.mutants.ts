import type { Request } from "../../../reference-server/http/operation.ts";
import {
  mutant,
  mutantsOf,
  onAnswers,
  onOperation,
  withStatus,
  type Change,
  type Mutant,
} from "../../proof/mutant.ts";

type CallBody = Request<"call">["body"];

/** Answers 200 for Calls that should be refused with 422: omits their model or projection. */
const accepting = (which: RegExp): Change => ({
  ...onAnswers(
    (request, answer) => request.operation === "call" && answer.status === 422 && which.test(answer.body),
    withStatus(200),
  ),
});

/** The same when the value sent has a certain type. */
const acceptingSent = (which: (sent: CallBody) => boolean): Change =>
  onAnswers(
    (request, answer) =>
      request.operation === "call" && answer.status === 422 && which(sentBody(request.sent())),
    withStatus(200),
  );

/** The fields of the request; none when it is no JSON object. */
function sentBody(text: string): CallBody {
  try {
    return (JSON.parse(text) as CallBody | null) ?? ({} as CallBody);
  } catch {
    return {} as CallBody;
  }
}

/** Mutants that wrongly accept or refuse fields of a Call's body. */
export const mutants: Mutant[] = [
  ...mutantsOf({
    "CALL-20": {
      "refuses a model of 128 characters": onOperation("call", (call) => (request, context) => {
        const long = (request.body.model ?? "").length > 127;
        return call(
          long ? { ...request, body: { ...request.body, respond_with: "nothing" } } : request,
          context,
        );
      }),
      "counts the bytes of a model": onOperation("call", (call) => (request, context) => {
        const long = Buffer.byteLength(request.body.model ?? "") > 128;
        return call(
          long ? { ...request, body: { ...request.body, respond_with: "nothing" } } : request,
          context,
        );
      }),
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
      "wants some parameter of every tool": onOperation(
        "call",
        (call) => (request, context) =>
          call(
            Object.keys(request.body.parameters).length > 0
              ? request
              : { ...request, body: { ...request.body, respond_with: "nothing" } },
            context,
          ),
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
