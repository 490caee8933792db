import js from "@eslint/js";
import ts from "typescript-eslint";
import { wallsRule } from "./walls.js";

export default ts.config(
  { ignores: ["**/dist", "generated", "node_modules", "reports"] },
  js.configs.recommended,
  ...ts.configs.strict,
  {
    plugins: { project: { rules: { walls: wallsRule } } },
    languageOptions: {
      globals: { process: "readonly", console: "readonly", Buffer: "readonly", URL: "readonly" },
    },
    rules: {
      "project/walls": "error",
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/consistent-type-imports": "error",
      "no-undef": "off",
    },
  },
);
