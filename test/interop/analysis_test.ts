/**
 * Static analysis of what ships, with rules that others wrote: promises that are left alone, expressions that backtrack,
 * weak cryptography, code from text, and faults of logic. Each exception says why it is none. Works offline.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ESLint } from "eslint";
import * as regexp from "eslint-plugin-regexp";
import security from "eslint-plugin-security";
import sonarjs from "eslint-plugin-sonarjs";
import tseslint from "typescript-eslint";
import { REPOSITORY } from "./programs.ts";

const RULES = {
  types: [
    ...["await-thenable", "no-array-delete", "no-explicit-any", "no-floating-promises", "no-for-in-array"],
    ...["no-implied-eval", "no-misused-promises", "only-throw-error", "no-unsafe-call"],
  ],
  regexp: ["no-super-linear-backtracking", "no-super-linear-move"],
  security: [
    ...[
      "detect-bidi-characters",
      "detect-buffer-noassert",
      "detect-child-process",
      "detect-eval-with-expression",
    ],
    ...["detect-new-buffer", "detect-non-literal-fs-filename", "detect-non-literal-require"],
    ...["detect-pseudoRandomBytes"],
  ],
  sonarjs: [
    ...[
      "anchor-precedence",
      "argument-type",
      "arguments-order",
      "array-callback-without-return",
      "code-eval",
    ],
    ...["comma-or-logical-or-case", "cors", "dynamically-constructed-templates", "empty-string-repetition"],
    ...["encryption-secure-mode", "existing-groups", "file-permissions", "for-in", "for-loop-increment-sign"],
    ...["generator-without-yield", "hardcoded-secret-signatures", "hashing", "in-operator-type-error"],
    ...[
      "index-of-compare-to-positive-number",
      "insecure-jwt-token",
      "new-operator-misuse",
      "no-all-duplicated-branches",
    ],
    ...["no-array-delete", "no-clear-text-protocols", "no-collection-size-mischeck", "no-dead-store"],
    ...["no-delete-var", "no-element-overwrite", "no-equals-in-for-termination", "no-gratuitous-expressions"],
    ...["no-hardcoded-ip", "no-hardcoded-passwords", "no-hardcoded-secrets", "no-identical-conditions"],
    ...["no-identical-expressions", "no-ignored-exceptions", "no-ignored-return", "no-implicit-global"],
    ...["no-in-misuse", "no-incorrect-string-concat", "no-intrusive-permissions", "no-invalid-regexp"],
    ...["no-invariant-returns", "no-literal-call", "no-os-command-from-path", "no-redundant-assignments"],
    ...[
      "no-redundant-jump",
      "no-same-line-conditional",
      "no-try-promise",
      "no-unthrown-error",
      "no-unused-collection",
    ],
    ...[
      "no-use-of-empty-return-value",
      "no-useless-catch",
      "no-useless-increment",
      "no-variable-usage-before-declaration",
    ],
    ...["no-weak-cipher", "no-weak-keys", "non-existent-operator", "non-number-in-arithmetic-expression"],
    ...[
      "null-dereference",
      "operation-returning-nan",
      "os-command",
      "post-message",
      "production-debug",
      "pseudo-random",
    ],
    ...["publicly-writable-directories", "stateful-regex", "unverified-certificate", "unverified-hostname"],
    ...["values-not-convertible-to-numbers", "weak-ssl"],
  ],
};

/** What was looked at and is none: the rule, the file and a part of its line, under the reason. */
const EXCEPTIONS: Readonly<Record<string, readonly (readonly [string, string, string])[]>> = {};

function analyser(): ESLint {
  const rules = Object.entries(RULES).flatMap(([plugin, names]) =>
    names.map((name) => [`${plugin}/${name}`, "error"])
  );
  return new ESLint({
    cwd: REPOSITORY,
    overrideConfigFile: true,
    allowInlineConfig: false,
    overrideConfig: {
      files: ["**/*.ts"],
      languageOptions: {
        parser: tseslint.parser as never,
        parserOptions: { project: `${REPOSITORY}tsconfig.json`, tsconfigRootDir: REPOSITORY },
      },
      plugins: {
        types: tseslint.plugin as never,
        regexp: regexp as never,
        security,
        sonarjs: sonarjs as never,
      },
      rules: Object.fromEntries(rules),
    },
  });
}

interface Finding {
  readonly rule: string;
  readonly file: string;
  readonly line: string;
}

async function findings(results: readonly ESLint.LintResult[]): Promise<Finding[]> {
  return results.flatMap(({ filePath, messages, source }) => {
    const lines = (source ?? readFileSync(filePath, "utf8")).split("\n");
    return messages.map(({ ruleId, line, message }) => ({
      rule: ruleId ?? message,
      file: filePath.slice(REPOSITORY.length),
      line: lines[line - 1]!.trim(),
    }));
  });
}

test("the sources have no finding that is not explained", async () => {
  const results = await analyser().lintFiles(["mod.ts", "deps.ts", "lib/**/*.ts"]);
  assert.ok(results.length > 100, `${results.length} files`);
  const explained = new Set(Object.values(EXCEPTIONS).flat());
  const used = new Set();
  const left = (await findings(results)).filter((found) => {
    for (const one of explained) {
      const [rule, file, part] = one;
      if (rule !== found.rule || file !== found.file || !found.line.includes(part)) continue;
      used.add(one);
      return false;
    }
    return true;
  });
  console.log(left.map((f) => [f.rule, f.file, f.line].join(" | ")).join("\n"));
  assert.deepEqual(left, []);
  assert.deepEqual([...explained].filter((one) => !used.has(one)), [], "exceptions without a finding");
});
