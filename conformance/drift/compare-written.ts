import type { Findings } from "./findings.ts";
import { canonical, entriesOf, isObject, itemsOf, step, type Json } from "./json.ts";
import { isAnnotation } from "./raw-schema.ts";

const texts = ["info", "tags", "externalDocs", "openapi", "jsonSchemaDialect", "operationId"];

/**
 * Reports where the documents are written differently although no difference was found there: wording, examples, unused
 * parts, equivalent forms. Call it after all other comparisons.
 */
export function compareWritten(findings: Findings): void {
  // What is open on both sides is reported as a whole, since nothing below it was compared.
  const looked = findings.list.filter(({ kind }) => kind !== "open_changed");
  const told = new Set(looked.flatMap(({ oldPointer, newPointer }) => [oldPointer, newPointer]));
  // The versions are compared with all that changed, at last.
  told.add("/info/version");
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
