/** Makes each constant of a generated module a fact, which a process of an earlier version takes from its release. */
export const asFacts = (text: string): string =>
  text.replace(
    /^export const (?!operationIds)(\w+)(: [^=\n]+)? = ([^;]*(?:;(?!\n)[^;]*)*);$/gm,
    (_, name: string, type = "", value: string) => `export const ${name}${type} = fact("${name}", ${value});`,
  );
