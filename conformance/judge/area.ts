/** The area of a clause, or of a check or rule that judges it: CALL of CALL-03. */
export const areaOf = (id: string): string => id.split("-")[0]!;
