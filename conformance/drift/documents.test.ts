import { expect, test } from "vitest";
import { WrongUse } from "../../base/exit.ts";
import type { Json } from "../../base/data.ts";
import { compareContracts } from "./contract/compare-contracts.ts";
import { Document } from "./document.ts";
import { temporaryFiles } from "./documents.fixture.ts";
import { readSource } from "./source.ts";

const { folder, write } = temporaryFiles();
const settings = { today: "2026-11-20" };

const compared = async (name: string, old: string, now: string) =>
  compareContracts(await readSource(write(`old.${name}`, old)), await readSource(write(`new.${name}`, now)), {
    settings,
  });

const lenient = (type: string): string => `openapi: 3.0.3
info: {title: t, version: 1.0.0}
paths:
  /a:
    get:
      responses:
        "200":
          description: ok
          content:
            application/json:
              schema:
                $ref: "#/components/schemas/X"#
components:
  schemas:
    X:
      type: object
      description: 'one line
      and another
      and a third'
      properties: {
        x: {type: ${type}}
      }
    Y: {
      type: string
}
`;

test("YAML that most readers take is read, with a note for each line", async () => {
  const { changes, notes } = await compared("lenient.yaml", lenient("string"), lenient("integer"));
  expect(changes.map(({ kind, at }) => [kind, at?.line])).toEqual([
    ["answer_type_changed", 21],
    ["version_not_raised", 2],
  ]);
  const lines = notes.filter((note) => note.includes("new.")).map((note) => /yaml:(\d+): /.exec(note)?.[1]);
  expect(lines).toEqual(["12", "18", "19", "25"]);
  expect(notes[0]).toContain(": a comment has no space before it; it is read as most readers do.");
});

test("a quoted text that does not end is no such YAML", async () => {
  const file = write("open.yaml", 'openapi: 3.0.3\ninfo: {title: t, version: "1}\npaths: {}\n');
  await expect(readSource(file)).rejects.toThrow(/open\.yaml:\d+: Missing closing "quote/);
});

const small = { openapi: "3.1.0", paths: {} };
const nested = (levels: number): Json[] => (levels === 0 ? [] : [nested(levels - 1)]);

test.each<[string, unknown, string | RegExp]>([
  ["swagger.yaml", 'swagger: "2.0"\npaths: {}\n', "it is Swagger 2.0; convert it"],
  ["overlay.yaml", "overlay: 1.0.0\nactions: []\n", "it is an overlay; apply it"],
  ["arazzo.yaml", "arazzo: 1.0.0\nworkflows: []\n", "it is Arazzo"],
  ["async.yaml", "asyncapi: 3.0.0\n", "it is AsyncAPI"],
  ["postman.json", '{"info": {"_postman_id": "1"}}', "it is a Postman collection"],
  ["a.har", '{"log": {"entries": []}}', "it is a HAR recording; give it with --traffic"],
  ["four.yaml", "openapi: 4.0.0\npaths: {}\n", "its version is not 3.0, 3.1 or 3.2"],
  ["schema.json", '{"$schema": "x", "type": "object"}', "it is a JSON Schema without an API around it"],
  ["list.json", "[]", "it should begin with openapi: 3.0.x, 3.1.x or 3.2.x"],
  ["page.json", "<!DOCTYPE html><html></html>", "is HTML or XML"],
  [
    "utf16.yaml",
    Buffer.from("\uFEFFopenapi: 3.0.3\npaths: {}\n", "utf16le"),
    "is not in UTF-8, perhaps in UTF-16",
  ],
  ["comments.json", '// c\n{"openapi": "3.0.3", "paths": {},}', ":1: JSON has no comments; remove them"],
  [
    "twice.json",
    '{"openapi": "3.0.3",\n "paths": {"/a": {"get": {}},\n "/a": {"post": {}}}}',
    "twice.json:3: /a is there twice",
  ],
  [
    "include.yaml",
    "openapi: 3.0.3\npaths:\n  /a: !include a.yaml\n",
    "include.yaml:3: Unresolved tag: !include",
  ],
  ["broken.json", '{"openapi": "3.1.0",\n "paths": {', /broken\.json:\d+: /],
  ["empty.yaml", "", "is not an OpenAPI 3 document"],
  ["bare.json", { openapi: "3.1.0" }, "without paths"],
  ["parts.json", { ...small, tags: [{ $ref: "a.yaml" }] }, "refers to the file a.yaml, which cannot be read"],
  ["odd.json", { ...small, tags: [{ $ref: "%zz" }] }, "refers to the file %zz"],
  ["hole.json", { ...small, tags: [{ $ref: "#/nowhere" }] }, "which it does not hold"],
  ["deep.json", { ...small, tags: nested(2000) }, "nested more than"],
])("%s is called what it is", async (name, content, message) => {
  const file = write(name, content);
  await expect(readSource(file)).rejects.toThrow(WrongUse);
  await expect(readSource(file)).rejects.toThrow(message);
});

test.each([
  ["nowhere.json", "is not a file, and nowhere.json is not a git revision here"],
  ["HEAD:nowhere.json", "the git revision HEAD has no file nowhere.json"],
  ["http://[bad", "http://[bad is not a valid address"],
  [folder, "is a folder without generated/openapi.json"],
])("%s is not a source", async (name, message) => {
  await expect(readSource(name)).rejects.toThrow(WrongUse);
  await expect(readSource(name)).rejects.toThrow(message);
});

test("a reference in a circle is refused where it is followed", () => {
  const $ref = "#/components/responses/A";
  const document = new Document("circle", { ...small, components: { responses: { A: { $ref } } } });
  expect(() => document.resolved({ $ref })).toThrow(/refers to itself/);
});

test("a member's name that is a text elsewhere, or escaped, does not appear twice", async () => {
  const text = String.raw`{"openapi": "3.0.3", "info": {"title": "\"a\": 1, \\", "version": "1"}, "paths": {"\"": {}}}`;
  const { document } = await readSource(write("once.json", text));
  expect(Object.keys(document.root["paths"]!)).toEqual(['"']);
});

test("YAML's 3.1 without quotes is a version", async () => {
  const { document } = await readSource(write("number.yaml", "openapi: 3.1\npaths: {}\n"));
  expect(document.isOld).toBe(false);
});

const bounded = (max: string, isJson: boolean): string => {
  const yaml = `openapi: 3.1.0
info: {version: "1"}
paths:
  /a:
    post:
      requestBody: {content: {application/json: {schema: {type: integer, maximum: ${max}, default: 7}}}}
      responses: {}
`;
  const json = `{"openapi": "3.1.0", "info": {"version": "1"}, "paths": {"/a": {"post": {"requestBody": {"content":
    {"application/json": {"schema": {"type": "integer", "maximum": ${max}, "default": 7}}}}, "responses": {}}}}}`;
  return isJson ? json : yaml;
};

test.each([true, false])(
  "integers that no number holds are compared by their text (JSON: %s)",
  async (isJson) => {
    const [most, less] = ["9223372036854775807", "9223372036854775806"].map((max) => bounded(max, isJson));
    const { changes } = await compared("big", most!, less!);
    expect(changes.map(({ kind, old, new: now }) => [kind, old, now])).toEqual([
      ["request_bound_narrowed", "9223372036854775807", "9223372036854775806"],
      ["version_not_raised", "1", "1"],
    ]);
    expect((await compared("same", most!, most!)).changes).toEqual([]);
    const widened = await compared("wide", bounded("10", isJson), most!);
    expect(widened.changes.map(({ kind }) => kind)).toEqual(["request_bound_widened"]);
  },
);

test("a minimum above its maximum is reported with its line", async () => {
  const text = bounded("3", false).replace("maximum: 3", "minimum: 5, maximum: 3");
  const { notes } = await compared("contradiction.yaml", text, text);
  expect(notes).toHaveLength(2);
  expect(notes[1]).toMatch(/new\.contradiction\.yaml:6: minimum 5 is above maximum 3, so no value fits\.$/);
});
