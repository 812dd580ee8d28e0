/**
 * Static analysis of what ships, with rules that others wrote: promises that are left alone, expressions that backtrack,
 * weak cryptography, code from text, and faults of logic. Each exception has its reason. Works offline.
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

/** The rules of each plugin. */
const RULES = {
  types: `
    await-thenable no-array-delete no-explicit-any no-floating-promises no-for-in-array no-implied-eval
    no-misused-promises only-throw-error no-unsafe-call`,
  regexp: "no-super-linear-backtracking no-super-linear-move",
  security: `
    detect-bidi-characters detect-buffer-noassert detect-child-process detect-eval-with-expression
    detect-new-buffer detect-non-literal-fs-filename detect-non-literal-require detect-pseudoRandomBytes`,
  sonarjs: `
    anchor-precedence argument-type arguments-order array-callback-without-return code-eval
    comma-or-logical-or-case cors dynamically-constructed-templates empty-string-repetition
    encryption-secure-mode existing-groups file-permissions for-in for-loop-increment-sign
    generator-without-yield hardcoded-secret-signatures hashing in-operator-type-error
    index-of-compare-to-positive-number insecure-jwt-token new-operator-misuse no-all-duplicated-branches
    no-array-delete no-clear-text-protocols no-collection-size-mischeck no-dead-store no-delete-var
    no-element-overwrite no-equals-in-for-termination no-gratuitous-expressions no-hardcoded-ip
    no-hardcoded-passwords no-hardcoded-secrets no-identical-conditions no-identical-expressions
    no-ignored-exceptions no-ignored-return no-implicit-global no-in-misuse no-incorrect-string-concat
    no-intrusive-permissions no-invalid-regexp no-invariant-returns no-literal-call no-os-command-from-path
    no-redundant-assignments no-redundant-jump no-same-line-conditional no-try-promise no-unthrown-error
    no-unused-collection no-use-of-empty-return-value no-useless-catch no-useless-increment
    no-variable-usage-before-declaration no-weak-cipher no-weak-keys non-existent-operator
    non-number-in-arithmetic-expression null-dereference operation-returning-nan os-command post-message
    production-debug pseudo-random publicly-writable-directories stateful-regex unverified-certificate
    unverified-hostname values-not-convertible-to-numbers weak-ssl`,
};

const BACKTRACKING = "regexp/no-super-linear-backtracking";
const MOVE = "regexp/no-super-linear-move";
const FILES = "security/detect-non-literal-fs-filename";

/** What was looked at and is no fault, under the reason: the rule, the file, and a part of its line, or none for all. */
const EXCEPTIONS: Readonly<
  Record<string, readonly (readonly [string, string, string?])[]>
> = {
  "The text is this program's own": [
    [MOVE, "lib/cli/unsupported.ts", "exec(path)"],
    [BACKTRACKING, "lib/cli/command_table.ts", "const form"],
    [MOVE, "lib/base/base64.ts", "/=+$/"],
  ],
  "The text is a path, a name or a title that the user of the command line gives or has": [
    [MOVE, "lib/cli/find_folder.ts", "path.replace"],
    [MOVE, "lib/cli/repository.ts", "edit-url"],
    [MOVE, "lib/cli/check_settings.ts", "file!.replace"],
    [BACKTRACKING, "lib/documents/scanner.ts", "const OTHER_ENDING"],
    [MOVE, "lib/cli/config.ts", "exec(program)"],
    [MOVE, "lib/cli/options.ts", "path.replace"],
    [MOVE, "lib/cli/log.ts", '" | "'],
    [MOVE, "lib/platform/program.ts", "word.replace"],
    [BACKTRACKING, "lib/cli/export_entries.ts", "const NUMBER"],
    [BACKTRACKING, "lib/cli/record_name.ts", "const form"],
  ],
  "The text is a line of a record that the user changes": [
    [BACKTRACKING, "lib/cli/record_text.ts"],
  ],
  "It matches wherever it is tried, so nothing is tried twice": [
    [MOVE, "lib/formats/markdown/sections.ts", "return text.match"],
    [MOVE, "lib/gateway/path_template.ts", "const text = plain.replace"],
    [MOVE, "lib/cli/diff.ts", "text.match"],
    [MOVE, "lib/documents/catalogue.ts", "reference.replace"],
    [MOVE, "lib/documents/check_relations.ts", "reference.replace"],
    [MOVE, "lib/gateway/path_template.ts", "part.replace"],
    [MOVE, "lib/documents/skills/client.ts", "path.replace"],
    [BACKTRACKING, "lib/documents/prompts/template.ts", "resource:"],
    [BACKTRACKING, "lib/formats/schema/formats.ts", "const rest"],
    [BACKTRACKING, "lib/formats/schema/document.ts", "fragment"],
    [BACKTRACKING, "lib/formats/markdown/front_matter.ts", "const ITEM"],
  ],
  "A line is cut at 2,000 characters, and a test doubles the text of every reader": [
    [MOVE, "lib/documents/check_relations.ts", "imageType(target"],
    [MOVE, "lib/documents/citations.ts", "MIN_NAME"],
    [MOVE, "lib/documents/definitions.ts"],
    [MOVE, "lib/documents/code/code_rules.ts", "given.replace"],
    [MOVE, "lib/documents/code/code_rules.ts", "let rest = source.replace"],
    [BACKTRACKING, "lib/documents/code/code_rules.ts", "const parts = rest"],
    [BACKTRACKING, "lib/documents/code/languages.ts", "autoload"],
    [MOVE, "lib/documents/images.ts", "const path = target.replace"],
    [MOVE, "lib/documents/records/foreign_relations.ts", "lead.trim()"],
    ...[
      "places",
      "record",
      "references",
      "status_text",
      "values",
    ].map((name) => [BACKTRACKING, `lib/documents/records/${name}.ts`] as const),
    ...[
      "places",
      "references",
      "signs",
      "status_text",
      "template_text",
      "values",
    ].map((name) => [MOVE, `lib/documents/records/${name}.ts`] as const),
    [BACKTRACKING, "lib/formats/markdown/front_matter.ts", "const TOML_PAIR"],
    [MOVE, "lib/formats/markdown/front_matter.ts", "item.replace"],
  ],
  "The text is cut before: at 24, 64, 200, 1,000, 4,096 or 20,000 characters": [
    [BACKTRACKING, "lib/search/query.ts", "const GLUED"],
    [BACKTRACKING, "lib/search/named.ts", "const [, letters"],
    [MOVE, "lib/pages/document_view.ts", "MAX_BY"],
    [BACKTRACKING, "lib/base/nearest.ts", "exec("],
    [BACKTRACKING, "lib/documents/search_tool.ts", "rejected|declined"],
    [MOVE, "lib/documents/search_tool.ts", "rejected|declined"],
    [BACKTRACKING, "lib/formats/schema/pattern.ts", "const TOKENS"],
    [MOVE, "lib/formats/schema/pattern.ts", "const TOKENS"],
  ],
  "The text is in a document that describes an API, which the operator chose": [
    [MOVE, "lib/gateway/swagger.ts", "basePath"],
    [MOVE, "lib/gateway/swagger.ts", "host.replace"],
    [MOVE, "lib/gateway/openapi.ts"],
    [MOVE, "lib/gateway/operation_parameters.ts", "name.replace"],
    [MOVE, "lib/gateway/base_url.ts", "this.#prefix"],
    [MOVE, "lib/gateway/credential.ts", "const secret"],
  ],
  "Only this module and the adapters of the runtimes open files, and their callers contain the paths": [
    [FILES, "lib/platform/write.ts"],
    [FILES, "lib/platform/owner.ts"],
  ],
  "The precedence is meant": [
    ["sonarjs/anchor-precedence", "lib/documents/citations.ts"],
    ["sonarjs/anchor-precedence", "lib/documents/definitions.ts"],
    ["sonarjs/anchor-precedence", "lib/documents/code/code.ts"],
    ["sonarjs/anchor-precedence", "lib/documents/records/signs.ts"],
    ["sonarjs/anchor-precedence", "lib/formats/markdown/sections.ts"],
    ["sonarjs/anchor-precedence", "lib/cli/diff.ts", "text.match"],
    ["sonarjs/anchor-precedence", "lib/cli/export.ts", "test(glob)"],
    [
      "sonarjs/anchor-precedence",
      "lib/documents/records/status_text.ts",
      "exec(rest)",
    ],
    ["sonarjs/anchor-precedence", "lib/gateway/openapi_files.ts", "test(file)"],
  ],
  "Undefined is an argument that the method takes": [
    ["sonarjs/argument-type", "lib/search/query.ts", "phrase.slice"],
    ["sonarjs/argument-type", "lib/formats/markdown/cut.ts"],
  ],
  "A schema of the type any gives arguments of that type": [
    ["types/no-explicit-any", "lib/formats/schema/schema.ts", "FromSchema"],
  ],
  "It only has to differ, not to be hard to guess": [
    ["sonarjs/pseudo-random", "lib/search/tokenizer.ts", "SEED"],
    ["sonarjs/pseudo-random", "lib/search/tokenizer.ts", "FACTOR"],
    ["sonarjs/pseudo-random", "lib/mcp/http/replay.ts", "this.key"],
  ],
  "It lets other work go first, or the value may be a promise": [
    [
      "types/await-thenable",
      "lib/jsonrpc/transport/stream.ts",
      "await undefined",
    ],
    ["types/await-thenable", "lib/mcp/http/session_entries.ts", "Promise.all"],
  ],
  "The value is plain: it was parsed from JSON": [[
    "sonarjs/for-in",
    "lib/jsonrpc/message.ts",
    "key in value",
  ]],
  "What is thrown is an error that was caught before": [
    [
      "types/only-throw-error",
      "lib/mcp/client/subscription.ts",
      "throw this.#error",
    ],
    [
      "types/only-throw-error",
      "lib/gateway/openapi_schemas.ts",
      "throw broken",
    ],
  ],
};

/** @param once Reads each file once from disk, which is fast; else texts can stand in for files. */
function analyser(once: boolean): ESLint {
  // Without it the parser decides by whether `CI` is set.
  process.env.TSESTREE_SINGLE_RUN = String(once);
  const rules = Object.entries(RULES).flatMap(([plugin, names]) =>
    names.trim().split(/\s+/).map((name) => [`${plugin}/${name}`, "error"])
  );
  return new ESLint({
    cwd: REPOSITORY,
    overrideConfigFile: true,
    allowInlineConfig: false,
    overrideConfig: {
      files: ["**/*.ts"],
      languageOptions: {
        parser: tseslint.parser as never,
        parserOptions: {
          project: `${REPOSITORY}tsconfig.json`,
          tsconfigRootDir: REPOSITORY,
        },
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

function findings(results: readonly ESLint.LintResult[]): Finding[] {
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
  const results = await analyser(true).lintFiles([
    "mod.ts",
    "deps.ts",
    "lib/**/*.ts",
  ]);
  assert.ok(results.length > 100, `${results.length} files`);
  const explained = new Set(Object.values(EXCEPTIONS).flat());
  const used = new Set();
  const left = findings(results).filter((found) => {
    for (const one of explained) {
      const [rule, file, part = ""] = one;
      if (
        rule !== found.rule || file !== found.file || !found.line.includes(part)
      ) continue;
      used.add(one);
      return false;
    }
    return true;
  });
  assert.deepEqual(left, []);
  assert.deepEqual(
    [...explained].filter((one) => !used.has(one)),
    [],
    "exceptions without a finding",
  );
});

/** Faults, each with the rule that must find it. */
const FAULTS: readonly (readonly [string, string])[] = [
  ["types/no-floating-promises", "Promise.reject(new Error());"],
  ["types/only-throw-error", 'throw "text";'],
  ["types/no-explicit-any", "export const value: any = 1;"],
  ["types/no-implied-eval", 'setTimeout("1");'],
  [BACKTRACKING, "export const form = /^(a+)+b$/;"],
  [MOVE, "export const form = /a+b/;"],
  [
    FILES,
    'import { readFileSync } from "node:fs"; export const read = (path: string) => readFileSync(path);',
  ],
  [
    "security/detect-child-process",
    'import { exec } from "node:child_process"; export const run = (text: string) => exec(text);',
  ],
  ["security/detect-bidi-characters", "// \u202e"],
  [
    "sonarjs/code-eval",
    "export const run = (text: string) => new Function(text);",
  ],
  [
    "sonarjs/hashing",
    'import { createHash } from "node:crypto"; export const hash = createHash("md5");',
  ],
  ["sonarjs/pseudo-random", "export const token = Math.random();"],
  [
    "sonarjs/no-identical-expressions",
    "export const same = (one: string) => one.length === one.length;",
  ],
];

test("the analysis finds what it is there for", async () => {
  const tool = analyser(false);
  for (const [rule, text] of FAULTS) {
    const results = await tool.lintText(text, {
      filePath: `${REPOSITORY}mod.ts`,
    });
    const found = results.flatMap(({ messages }) => messages.map(({ ruleId }) => ruleId));
    assert.ok(found.includes(rule), `${rule}: ${found}`);
  }
});
