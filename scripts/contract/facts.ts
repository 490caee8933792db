/** Each constant of a generated module as a fact, which a process that judges by an earlier version takes from what that version pinned. */
export const asFacts = (text: string): string =>
  text.replace(
    /^export const (?!operationIds)(\w+)(: [^=\n]+)? = ([^;]*(?:;(?!\n)[^;]*)*);$/gm,
    (_, name: string, type = "", value: string) => `export const ${name}${type} = fact("${name}", ${value});`,
  );
