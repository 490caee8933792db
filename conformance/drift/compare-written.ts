import type { Findings } from "./findings.ts";
import { canonical, isObject, step, valueAt, type Json } from "./json.ts";
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
  const walk = (old: Json | undefined, now: Json | undefined, pointer: string, isText: boolean): void => {
    if (canonical(old) === canonical(now) || told.has(pointer)) return;
    const areLists = Array.isArray(old) && Array.isArray(now);
    if (areLists || (isObject(old) && isObject(now))) {
      for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
        const isWords = !areLists && (isAnnotation(name) || texts.includes(name));
        walk(valueAt(old, [name]), valueAt(now, [name]), `${pointer}/${step(name)}`, isText || isWords);
      }
      return;
    }
    const where = pointer.slice(1).replaceAll("/", ".").replaceAll("~1", "/");
    findings.add(isText ? "text_changed" : "written_differently", { where, pointer, old, new: now });
  };
  walk(findings.old.root, findings.new.root, "", false);
}
