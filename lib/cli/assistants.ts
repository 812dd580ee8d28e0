/** The assistants that export knows, and the files that each reads. */

/** Templates of a rule about some files: its path, in which "*" is the name, and its front matter, for `fillHead`. */
export type AssistantRule = readonly [path: string, head: string];

export interface Assistant {
  /** The file with the index, and the front matter that it is created with. */
  readonly index: string;
  readonly head?: string;
  /** Templates of rules about some files: their path, in which "*" is the name, and their front matter, for `fillHead`. */
  readonly rule?: AssistantRule;
}

/** @see the documentation of each assistant, named in the guideline "Reaching the model" */
export const TARGETS: Readonly<Record<string, Assistant>> = {
  agents: { index: "AGENTS.md" },
  gemini: { index: "GEMINI.md" },
  claude: { index: "CLAUDE.md", rule: [".claude/rules/architrave-*.md", "paths:LIST"] },
  cursor: {
    index: ".cursor/rules/architrave.mdc",
    head: "description: Architecture decisions\nglobs:\nalwaysApply: true",
    rule: [".cursor/rules/architrave-*.mdc", "description: ABOUT\nglobs: PLAIN\nalwaysApply: false"],
  },
  copilot: {
    index: ".github/copilot-instructions.md",
    rule: [".github/instructions/architrave-*.instructions.md", "applyTo: QUOTED"],
  },
  kiro: {
    index: ".kiro/steering/architrave.md",
    head: "inclusion: always",
    rule: [".kiro/steering/architrave-*.md", "inclusion: fileMatch\nfileMatchPattern:LIST"],
  },
  windsurf: {
    index: ".windsurf/rules/architrave.md",
    head: "trigger: always_on",
    rule: [".windsurf/rules/architrave-*.md", "trigger: glob\ndescription: ABOUT\nglobs: QUOTED"],
  },
};

/** Fills in the front matter of a rule: its patterns, as a YAML list or as one text, and its description. */
export function fillHead(head: string, globs: readonly string[], about: string): string {
  const joined = globs.join(",");
  const words: Readonly<Record<string, string>> = {
    ABOUT: JSON.stringify(about),
    LIST: globs.map((glob) => `\n  - ${JSON.stringify(glob)}`).join(""),
    PLAIN: joined,
    QUOTED: JSON.stringify(joined),
  };
  return head.replace(/\b[A-Z]{4,}\b/g, (word) => words[word]!);
}

/** Whether export writes a file of this name for some assistant. */
export function isGenerated(path: string): boolean {
  return Object.values(TARGETS).some(({ index, rule: [rule] = [index] }) =>
    path === index || path.startsWith(rule.split("*", 1)[0]!)
  );
}
