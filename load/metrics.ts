export const exporting = async (_flags: object, _scenario: string) => ({
  watch: () => undefined,
  close: async () => undefined,
});
