/**
 * Wraps each constant of a generated module as a fact, which a process that uses an earlier version takes from that
 * release.
 */
export const asFacts = (text: string): string =>
  text.replace(
    /^export const (?!operationIds)(\w+)(: [^=\n]+)? = ([^;]*(?:;(?!\n)[^;]*)*);$/gm,
    (_, name: string, type = "", value: string) => `export const ${name}${type} = fact("${name}", ${value});`,
  );
