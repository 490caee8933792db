/**
 * Wraps each constant of a generated module as a fact: a process that uses an earlier version takes it from that
 * release. The names that the code may use are not facts: they are those of all versions.
 */
export const asFacts = (text: string): string =>
  text.replace(
    /^export const (?!operationIds|clauseIds|needNames)(\w+)(: [^=\n]+)? = ([^;]*(?:;(?!\n)[^;]*)*);$/gm,
    (_, name: string, type = "", value: string) => `export const ${name}${type} = fact("${name}", ${value});`,
  );
