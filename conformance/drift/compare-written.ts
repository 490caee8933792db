import type { Findings } from "./findings.ts";
import { canonical, entriesOf, isObject, itemsOf, step, type Json } from "./json.ts";
import { isAnnotation } from "./schema.ts";

const texts = ["info", "tags", "externalDocs", "openapi", "jsonSchemaDialect", "operationId"];

/**
 * Tells where the documents are written differently though nothing was found there: words, examples, parts that no
 * operation uses, other ways to write the same. To be called when everything else has been compared.
 */
export function compareWritten(findings: Findings): void {
  // What is open on both sides is told as a whole: below it, nothing was looked at.
  const looked = findings.list.filter(({ kind }) => kind !== "open_changed");
  const told = new Set(looked.flatMap(({ oldPointer, newPointer }) => [oldPointer, newPointer]));
  const tell = (old: Json | undefined, now: Json | undefined, pointer: string, isText: boolean): void => {
    const where = pointer.slice(1).replaceAll("/", ".").replaceAll("~1", "/");
    const found = { old, new: now, oldPointer: pointer, newPointer: pointer };
    findings.add(
      isText ? "text_changed" : "written_differently",
      { side: "contract", operation: null, where },
      found,
    );
  };
  const walk = (old: Json | undefined, now: Json | undefined, pointer: string, isText: boolean): void => {
    if (canonical(old) === canonical(now) || told.has(pointer)) return;
    if (Array.isArray(old) && Array.isArray(now)) {
      for (let index = 0; index < Math.max(old.length, now.length); index += 1) {
        walk(itemsOf(old)[index], itemsOf(now)[index], `${pointer}/${index}`, isText);
      }
    } else if (isObject(old) && isObject(now)) {
      for (const name of new Set([...entriesOf(old), ...entriesOf(now)].map(([one]) => one))) {
        walk(
          old[name],
          now[name],
          `${pointer}/${step(name)}`,
          isText || isAnnotation(name) || texts.includes(name),
        );
      }
    } else tell(old, now, pointer, isText);
  };
  walk(findings.old.root, findings.new.root, "", false);
}
