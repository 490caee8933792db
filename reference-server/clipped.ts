/** The text, or its beginning where it is longer than that. */
export const clipped = (text: string, characters: number): string =>
  text.length <= characters ? text : `${text.slice(0, characters - 1).toWellFormed()}…`;
