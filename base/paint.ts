import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** Adds colour on a terminal, and only there. */
export type Paint = (style: Style, text: string) => string;

export const paintFor =
  (stream: NodeJS.WriteStream): Paint =>
  (style, text) =>
    stream.isTTY && !process.env["NO_COLOR"] ? styleText(style, text, { validateStream: false }) : text;
