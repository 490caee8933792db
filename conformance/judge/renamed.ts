import ids from "./renamed.json" with { type: "json" };

const renamed = new Map(Object.entries(ids));

/** The id that a check has now, for one of an earlier release: people's lists and reports keep those. */
export const currentId = (id: string): string => renamed.get(id) ?? id;
