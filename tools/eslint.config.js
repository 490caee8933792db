import js from "@eslint/js";
import ts from "typescript-eslint";
import { wallsRule } from "./walls.js";

/** Two thoughts in one line: each gets a line of its own. */
const crammed = [
  {
    selector: "BinaryExpression > AssignmentExpression",
    message: "Assign first, then compare: a reader looks for the effect on a line of its own.",
  },
  {
    selector: ":matches(IfStatement, WhileStatement, ConditionalExpression) > AssignmentExpression.test",
    message: "Assign first, then test.",
  },
  {
    selector:
      "ExpressionStatement > AssignmentExpression[left.type='ArrayPattern'][right.type='ArrayExpression']",
    message: "Assign one thing in each statement.",
  },
];

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
  {
    ignores: ["**/*.{test,proof,fixture}.ts"],
    rules: { "no-restricted-syntax": ["error", ...crammed] },
  },
);
