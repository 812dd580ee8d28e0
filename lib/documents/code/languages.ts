/** How comments, texts and imports are written in each language. Every pattern takes linear time. */

/** What is read of a language. */
export interface Language {
  /** Comments as the first group, or texts between quotes. What begins like one and has no end goes to the end of the line or file. */
  readonly tokens: RegExp;
  /**
   * Imports and qualified names in code without comments, in which texts are blank and `\v` continues a line. The first group has the names of modules, in
   * braces too; the second one names of the first. Without groups, they are between quotes.
   */
  readonly imports: readonly RegExp[];
}

const SLASHES = String.raw`\/\/[^\n]*`;
const BLOCK = String.raw`\/\*[^]*?(?:\*\/|(?![^]))`;
/** A text of one line, with backslashes. */
const line = (quote: string) => `${quote}[^${quote}\\\\\\n]*(?:\\\\[^][^${quote}\\\\\\n]*)*${quote}?`;
/** A text of several lines between three quotes. */
const triple = (quote: string) =>
  `${quote}{3}[^${quote}\\\\]*(?:(?:\\\\[^]|${quote}(?!${quote}{2}))[^${quote}\\\\]*)*(?:${quote}{3})?`;
const LINES = [line('"'), line("'")], TRIPLE = triple('"');
/** A text that ends with the word after its first mark. */
const HERE = String.raw`["']?([A-Za-z_]\w*)["']?[^]*?(?:\n[ \t]*\2\b|(?![^]))`;
/** A regular expression of JavaScript, where no value is before it that could be divided. */
const REGEX = String
  .raw`(?<=[(,=:[!&|?{};\n][ \t]{0,9}|\breturn )\/(?![\/*])[^\/\\[\n]*(?:(?:\\.|\[[^\]\\\n]*(?:\\.[^\]\\\n]*)*\]?)[^\/\\[\n]*)*\/?`;
const VERBATIM = String.raw`(?:@\$?|\$@)"[^"]*(?:""[^"]*)*"?`;
const RUST_TEXTS = [
  String.raw`(?<!\w)b?r(#{0,10})"[^]*?(?:"\2|(?![^]))`,
  String.raw`"[^"\\]*(?:\\[^][^"\\]*)*"?|'(?:\\.[^'\n]{0,9}|[^'\\\n])'`,
];

const language = (comments: readonly string[], texts: readonly string[], ...imports: RegExp[]): Language => ({
  tokens: new RegExp(`(${comments.join("|")})|${texts.join("|")}`, "g"),
  imports,
});

const LANGUAGES: Readonly<Record<string, Language>> = {
  "js jsx mjs cjs ts tsx mts cts vue svelte astro": language(
    [SLASHES, BLOCK],
    [...LINES, "`[^`\\\\]*(?:\\\\[^][^`\\\\]*)*`?", REGEX],
    /(?<![\w$.])(?:from|import(?:\s*\()?|require\s*\()\s*"[^"\n]*"/g,
  ),
  "java kt kts": language(
    [SLASHES, BLOCK],
    [TRIPLE, ...LINES],
    /(?:^|;)[ \t]*import[ \t]+(?:static[ \t]+)?([\w.*`]+)/gm,
    /(?<![\w.$])((?:[a-z]\w*\.)+[A-Z]\w*)/g,
  ),
  "py pyi": language(
    ["#[^\\n]*"],
    [TRIPLE, triple("'"), ...LINES],
    /(?:^|[;:])[ \t]*import[ \t\v]+([\w., \t\v]+)/gm,
    /(?:^|[;:])[ \t]*from[ \t\v]+(\w[\w.]*)[ \t\v]+import[ \t\v]*\(?((?<=\()[^()]*|[\w., \t\v*]*)/gm,
    /\b(?:__import__|import_module)[ \t]*\([ \t]*"[^"\n]*"/g,
  ),
  "go": language(
    [SLASHES, BLOCK],
    [...LINES, "`[^`]*`?"],
    /^import\s*(?:\([^)]*|(?:[\w.]+[ \t]+)?"[^"\n]*")/gm,
  ),
  "cs": language(
    [SLASHES, BLOCK],
    [TRIPLE, VERBATIM, ...LINES],
    /^[ \t]*(?:global[ \t]+)?using[ \t]+(?:static[ \t]+)?(?:\w+[ \t]*=[ \t]*)?((?:global::)?[\w.]+)[ \t]*[;<]/gm,
    /(?<![\w.]|namespace[ \t]{1,9})([A-Z]\w*(?:\.[A-Z]\w*)+)/g,
  ),
  "rs": language(
    [SLASHES, BLOCK],
    RUST_TEXTS,
    /(?:^|[;{}\]])[ \t]*(?:pub(?:\([^)\n]{0,99}\))?[ \t]+)?(?:extern[ \t]+crate|use)[ \t\n]+([^;]*)/gm,
  ),
  "rb rake": language(
    ["(?<=^|\\n)=begin[^]*?(?:\\n=end|(?![^]))", "#[^\\n]*"],
    [`<<[~-]${HERE}`, ...LINES],
    /(?<![\w.:@])(?:require|autoload[ \t(]+:\w+[ \t]*,)[ \t]*\(?[ \t]*"[^"\n]*"/g,
  ),
  "php": language(
    [SLASHES, BLOCK, "#(?!\\[)[^\\n]*"],
    [`<<<${HERE}`, ...LINES],
    /(?:^|[;{}]|<\?php)[ \t]*use[ \t]+(?:(?:function|const)[ \t]+)?([^;()$]*)/gm,
    /(?<![\w\\]|namespace[ \t]{1,9})(\\?[A-Z]\w*(?:\\\w+)+)/g,
  ),
};

/** Languages by the ending of a file. */
const LANGUAGE_OF: ReadonlyMap<string, Language> = new Map(
  Object.entries(LANGUAGES).flatMap(([endings, one]) => endings.split(" ").map((ending) => [ending, one])),
);

/** The language of a file; undefined for an unknown one. */
export const languageOf = (path: string): Language | undefined =>
  LANGUAGE_OF.get(/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? "");
