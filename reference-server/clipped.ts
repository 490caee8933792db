/** The text, cut to a maximum length. */
export const clipped = (text: string, characters: number): string =>
  text.length <= characters ? text : `${text.slice(0, characters - 1).toWellFormed()}…`;
