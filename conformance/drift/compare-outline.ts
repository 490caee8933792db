import { isDeepStrictEqual } from "node:util";
import { compareTexts } from "./compare-keywords.ts";
import {
  entriesOf,
  isObject,
  member,
  operationsOf,
  referencesFrom,
  step,
  type Document,
  type Json,
} from "./document.ts";
import type { Findings, Spot } from "./findings.ts";

const contract: Spot = { side: "contract", operation: null, where: "" };

/** Compares what stands around the operations: information, servers, security schemes. */
export function compareOutline(findings: Findings): void {
  const { old, new: now } = findings;
  const [was, is] = [old.root["info"], now.root["info"]];
  if (isObject(was) && isObject(is)) {
    const at = { oldPointer: "/info", newPointer: "/info" };
    compareTexts(findings, { ...contract, where: "info" }, was, is, at);
    for (const name of ["license", "contact", "termsOfService"]) text(findings, `/info/${name}`);
  }
  for (const name of ["tags", "externalDocs", "openapi", "jsonSchemaDialect"]) text(findings, `/${name}`);
  compareServers(findings);
  compareSchemes(findings);
  const known = [
    "info",
    "tags",
    "externalDocs",
    "openapi",
    "jsonSchemaDialect",
    "servers",
    "paths",
    "components",
    "security",
  ];
  for (const name of new Set([...Object.keys(old.root), ...Object.keys(now.root)])) {
    const [before, after] = [old.root[name], now.root[name]];
    if (known.includes(name) || isDeepStrictEqual(before, after)) continue;
    const at = { oldPointer: `/${step(name)}`, newPointer: `/${step(name)}` };
    findings.add("unclassified_changed", { ...contract, where: name }, { old: before, new: after, ...at });
  }
}

function text(findings: Findings, pointer: string): void {
  const [old, now] = [findings.old.valueAt(pointer), findings.new.valueAt(pointer)];
  if (isDeepStrictEqual(old, now)) return;
  const where = pointer.slice(1).replaceAll("/", ".");
  findings.add(
    "text_changed",
    { ...contract, where },
    { old, new: now, oldPointer: pointer, newPointer: pointer },
  );
}

/** The address of each server, its variables at their defaults. */
function addressesOf(document: Document): string[] {
  const servers = document.root["servers"];
  return (Array.isArray(servers) ? servers : []).map((server) =>
    String(member(server, "url")).replace(/\{([^}]*)\}/g, (whole, name: string) =>
      String(member(member(member(server, "variables"), name), "default") ?? whole),
    ),
  );
}

const prefixOf = (address: string): string => address.replace(/^[a-z]+:\/\/[^/]*/i, "").replace(/\/+$/, "");

function compareServers(findings: Findings): void {
  const [old, now] = [findings.old.root["servers"], findings.new.root["servers"]];
  if (isDeepStrictEqual(old, now)) return;
  const [before, after] = [addressesOf(findings.old), addressesOf(findings.new)];
  const prefixes = after.map(prefixOf);
  const kind = before.some((address) => !prefixes.includes(prefixOf(address)))
    ? "path_prefix_changed"
    : isDeepStrictEqual(before, after)
      ? "text_changed"
      : "servers_changed";
  const at = { oldPointer: "/servers", newPointer: "/servers" };
  findings.add(kind, { ...contract, where: "servers" }, { old, new: now, ...at });
}

function compareSchemes(findings: Findings): void {
  const folder = "/components/securitySchemes";
  const before = findings.old.valueAt(folder);
  const after = findings.new.valueAt(folder);
  for (const [name, was] of entriesOf(before)) {
    const is = member(after, name);
    const pointer = `${folder}/${step(name)}`;
    const at = { oldPointer: pointer, newPointer: pointer };
    const spot = { ...contract, where: `security scheme ${name}` };
    if (!isObject(was) || !isObject(is)) {
      // Which operations lose it is told with each of them.
      if (is === undefined) findings.add("unused_changed", spot, { old: was, ...at });
      continue;
    }
    compareTexts(findings, spot, was, is, at);
    const binding = ({ description: _, ...rest }: { [name: string]: Json }) => rest;
    if (!isDeepStrictEqual(binding(was), binding(is))) {
      const open =
        JSON.stringify(was["flows"]) !== JSON.stringify(is["flows"]) && opensFlows(was) && opensFlows(is);
      const withoutFlows = ({ flows: _, ...rest }: { [name: string]: Json }) => rest;
      const onlyFlows = isDeepStrictEqual(withoutFlows(binding(was)), withoutFlows(binding(is)));
      findings.add(open && onlyFlows ? "open_changed" : "security_scheme_changed", spot, {
        old: was,
        new: is,
        ...at,
      });
    }
  }
  for (const [name, is] of entriesOf(after)) {
    if (member(before, name) !== undefined) continue;
    const spot = { ...contract, where: `security scheme ${name}` };
    findings.add("unused_changed", spot, { new: is, newPointer: `${folder}/${step(name)}` });
  }
}

const opensFlows = (scheme: Json): boolean =>
  entriesOf(member(scheme, "flows")).every(([, flow]) => member(flow, "x-open") === true);

/**
 * Tells the components that differ and of which nothing was told yet: no operation uses them, or only below what the
 * contract leaves open. To be called when everything else has been compared.
 */
export function compareRemainder(findings: Findings): void {
  const used = new Set(
    [findings.old, findings.new].flatMap((document) =>
      operationsOf(document).flatMap(({ operation, shared }) => [
        ...referencesFrom(document, [operation, shared]),
      ]),
    ),
  );
  const told = findings.list.flatMap(({ oldPointer, newPointer }) => [oldPointer, newPointer]);
  const isTold = (pointer: string): boolean =>
    told.some((one) => one === pointer || one?.startsWith(`${pointer}/`) === true);
  const [before, after] = [findings.old, findings.new].map((document) => document.root["components"]);
  for (const kind of new Set([...entriesOf(before), ...entriesOf(after)].map(([name]) => name))) {
    if (kind === "securitySchemes") continue;
    const [old, now] = [member(before, kind), member(after, kind)];
    for (const name of new Set([...entriesOf(old), ...entriesOf(now)].map(([one]) => one))) {
      const pointer = `/components/${step(kind)}/${step(name)}`;
      const [was, is] = [member(old, name), member(now, name)];
      // One that comes or goes is told where it is used.
      if (isDeepStrictEqual(was, is) || isTold(pointer)) continue;
      if (used.has(pointer) && (was === undefined || is === undefined)) continue;
      const found = { old: was, new: is, oldPointer: pointer, newPointer: pointer };
      const what = used.has(pointer) ? "open_changed" : "unused_changed";
      findings.add(what, { ...contract, where: `${kind} ${name}` }, found);
    }
  }
}
