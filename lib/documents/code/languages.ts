/** How comments, texts and imports are written in each language. Every pattern takes linear time. */

/** How the imports that a pattern has found name their modules. */
export type ImportForm = "quoted" | "names" | "from" | "tree";

/** What is read of a language. */
export interface Language {
  /** Comments as the first group, or texts between quotes. No alternative fails once it has begun. */
  readonly tokens: RegExp;
  /** Patterns for code without comments, in which texts are blank and `\v` is the end of a line that continues. */
  readonly imports: readonly (readonly [pattern: RegExp, form: ImportForm])[];
}

const SLASHES = String.raw`\/\/[^\n]*`,
  HASH = String.raw`#[^\n]*`,
  BLOCK = String.raw`\/\*[^]*?(?:\*\/|(?![^]))`;
/** A text of one line between quotes, with backslashes. */
const text = (quote: string) => `${quote}[^${quote}\\\\\\n]*(?:\\\\[^][^${quote}\\\\\\n]*)*${quote}?`;
const DOUBLE = text('"'), SINGLE = text("'");
/** A text of several lines between three quotes. */
const triple = (quote: string) =>
  `${quote}{3}[^${quote}\\\\]*(?:(?:\\\\[^]|${quote}(?!${quote}{2}))[^${quote}\\\\]*)*(?:${quote}{3})?`;
const TEMPLATE = "`[^`\\\\]*(?:\\\\[^][^`\\\\]*)*`?";
/** A text that ends with the word that follows its first mark. */
const HERE = String.raw`["']?([A-Za-z_]\w*)["']?[^]*?(?:\n[ \t]*\2\b|(?![^]))`;
/** A regular expression of JavaScript, where no value is before it that could be divided. */
const REGEX = String
  .raw`(?<=[(,=:[!&|?{};\n][ \t]{0,9}|\breturn )\/(?![\/*])[^\/\\[\n]*(?:(?:\\.|\[[^\]\\\n]*(?:\\.[^\]\\\n]*)*\]?)[^\/\\[\n]*)*\/?`;

const tokens = (comments: readonly string[], texts: readonly string[]) =>
  new RegExp(`(${comments.join("|")})|${texts.join("|")}`, "g");

const C_COMMENTS = [SLASHES, BLOCK];
const JVM: Language = {
  tokens: tokens(C_COMMENTS, [triple('"'), DOUBLE, SINGLE]),
  imports: [[/(?:^|;)[ \t]*import[ \t]+(?:static[ \t]+)?([\w.*`]+)/gm, "names"]],
};
const SCRIPT: Language = {
  tokens: tokens(C_COMMENTS, [DOUBLE, SINGLE, TEMPLATE, REGEX]),
  imports: [[/(?<![\w$.])(?:from|import(?:\s*\()?|require\s*\()\s*"[^"\n]*"/g, "quoted"]],
};
const LANGUAGES: readonly (readonly [endings: string, language: Language])[] = [
  ["js jsx mjs cjs ts tsx mts cts vue svelte astro", SCRIPT],
  ["java kt kts", JVM],
  ["py pyi", {
    tokens: tokens([HASH], [triple('"'), triple("'"), DOUBLE, SINGLE]),
    imports: [
      [/(?:^|[;:])[ \t]*import[ \t\v]+([\w., \t\v]+)/gm, "names"],
      [
        /(?:^|[;:])[ \t]*from[ \t\v]+(\w[\w.]*)[ \t\v]+import[ \t\v]*(?:\(([^()]*)|([\w., \t\v]*))/gm,
        "from",
      ],
      [/\b(?:__import__|import_module)[ \t]*\([ \t]*"[^"\n]*"/g, "quoted"],
    ],
  }],
  ["go", {
    tokens: tokens(C_COMMENTS, [DOUBLE, SINGLE, "`[^`]*`?"]),
    imports: [[/^import\s*(?:\([^)]*|(?:[\w.]+[ \t]+)?"[^"\n]*")/gm, "quoted"]],
  }],
  ["cs", {
    tokens: tokens(C_COMMENTS, [
      triple('"'),
      String.raw`(?:@\$?|\$@)"[^"]*(?:""[^"]*)*"?`,
      DOUBLE,
      SINGLE,
    ]),
    imports: [[
      /^[ \t]*(?:global[ \t]+)?using[ \t]+(?:static[ \t]+)?(?:\w+[ \t]*=[ \t]*)?((?:global::)?[\w.]+)[ \t]*[;<]/gm,
      "names",
    ]],
  }],
  ["rs", {
    tokens: tokens(C_COMMENTS, [
      String.raw`(?<!\w)b?r(#{0,10})"[^]*?(?:"\2|(?![^]))`,
      String.raw`"[^"\\]*(?:\\[^][^"\\]*)*"?`,
      String.raw`'(?:\\.[^'\n]{0,9}|[^'\\\n])'`,
    ]),
    imports: [[
      /(?:^|[;{}\]])[ \t]*(?:pub(?:\([^)\n]{0,99}\))?[ \t]+)?(?:extern[ \t]+crate|use)[ \t\n]+([^;]*)/gm,
      "tree",
    ]],
  }],
  ["rb rake", {
    tokens: tokens([HASH, "(?<=^|\\n)=begin[^]*?(?:\\n=end|(?![^]))"], [`<<[~-]${HERE}`, DOUBLE, SINGLE]),
    imports: [[
      /(?<![\w.:@])(?:require|autoload[ \t(]+:\w+[ \t]*,)[ \t]*\(?[ \t]*"[^"\n]*"/g,
      "quoted",
    ]],
  }],
  ["php", {
    tokens: tokens([SLASHES, BLOCK, "#(?!\\[)[^\\n]*"], [`<<<${HERE}`, DOUBLE, SINGLE]),
    imports: [[/(?:^|[;{}]|<\?php)[ \t]*use[ \t]+(?:(?:function|const)[ \t]+)?([^;()$]*)/gm, "tree"]],
  }],
];

/** Languages by the ending of a file. */
export const LANGUAGE_OF: ReadonlyMap<string, Language> = new Map(
  LANGUAGES.flatMap(([endings, language]) => endings.split(" ").map((ending) => [ending, language] as const)),
);
