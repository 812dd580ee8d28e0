import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { isTemplateText, templateLines, templateTexts } from "../../lib/documents/records/template_text.ts";
import { readMarkdown } from "../../lib/formats/markdown/document.ts";
import { cpuNow } from "../harness/process.ts";
import { REPOSITORY } from "../harness/program.ts";

/** What templates have where the decision belongs. */
const TEMPLATES: readonly string[] = [
  // Nygard, adr-tools, and variants of both.
  "The change that we're proposing or have agreed to implement.",
  "What is the change that we’re proposing and/or doing?",
  "What is the change that we're proposing or have agreed to?",
  "*What is the change that we're proposing and/or doing?*",
  "[What is the change that we are proposing and/or doing?]",
  'This section describes our response to these forces. It is stated in full\nsentences, with active voice. "We will …"',
  "> This section describes our response to these forces. It is stated in full sentences.",
  "Describe here our response to these forces, that is, the design decision that was made.",
  "The issue motivating this decision, and any context that influences or constrains the decision.",
  "What is the issue that we're seeing that is motivating this decision or change?",
  "What becomes easier or more difficult to do because of this change?",
  // MADR 1, 2, 3 and 4, log4brains, and the German translation.
  "Chosen option: [option 1], because [justification. e.g., only option, which meets k.o. criterion decision driver | which resolves force force | ... | comes out best (see below)].",
  'Chosen option: "[option 1]", because [justification. e.g., only option, which meets k.o. criterion decision driver | which resolves force force | … | comes out best (see below)].',
  'Chosen option: "{title of option 1}", because {justification. e.g., only option, which meets k.o. criterion decision driver | which resolves force {force} | … | comes out best (see below)}.',
  'Chosen option: "", because',
  'Gewählte Option: "{Titel der Optionen 1}", denn {Begründung, z.B. die einzige Option | …}.',
  "{Describe the context and problem statement, e.g., in free form using two to three sentences.}",
  "{Describe the context and problem statement, e.g., in free form using two to three sent…",
  "[context and problem statement]\n[decision drivers | forces | facing] <!-- optional -->",
  "- [e.g., improvement of quality attribute satisfaction, follow-up decisions required, …]",
  "* Good, because {positive consequence, e.g., improvement of one or more desired qualities, …}",
  // Y-statements, and other forms.
  "In the context of <use case/user story u>, facing <concern c> we decided for <option o> to achieve <quality q>, accepting <downside d>.",
  "In the context of <use case>,\nfacing <concern>,\nwe decided for <option>\nand neglected <options>.",
  "We will {do something}.",
  "We will ...",
  "<decision>",
  "<!-- What did we decide? -->",
  "_Describe the decision._",
  "*Which option did we choose, and why?*",
  "(Describe what was decided.)",
  "Describe the decision that was made, and why.",
  "State the decision in full sentences.",
  "What did we decide?",
  "What is the decision?",
  "TODO",
  "**TBD**",
  "_TBC_",
  "To be decided.",
  "…",
  "...",
  "* ",
  "Decision goes here",
  "Lorem ipsum dolor sit amet",
];

/** Decisions that look like them. */
const DECISIONS: readonly string[] = [
  "We use queues.",
  'Chosen option: "Queues", because they decouple.',
  'Chosen option: "Option 2", because {reasons}.',
  "Chosen option: [Queues](queues.md)",
  "We will use `{placeholder}` in all templates.",
  "`{id}`",
  "Use {curly} names for parameters.",
  "In the context of payments, facing retries, we decided for queues to achieve safety.",
  "<https://example.com/decision>",
  "<b>Queues</b>",
  "[Queues][q]",
  "- [x] Use queues",
  "*We use queues.*",
  "**Describe nothing, use queues.**",
  "_Use queues._",
  "Document all interfaces with OpenAPI.",
  "Describe interfaces in OpenAPI.",
  "The change that we make is to use queues.",
  "This section of the API is frozen.",
  "The issue we see is that builds are slow.",
  "Yes",
  "We decided that option 2 wins.",
  "Size < 10 and > 2",
  "Todo lists are kept in the tracker.",
  "使用队列",
  "Warteschlangen.",
];

test("what a template says is told from a decision", () => {
  assert.deepEqual(TEMPLATES.filter((text) => !isTemplateText(text)), []);
  assert.deepEqual(DECISIONS.filter((text) => isTemplateText(text)), []);
});

test("in our own templates, every paragraph of a section is text of a template", () => {
  for (const name of ["nygard", "madr", "madr-minimal"]) {
    const { lines, sections } = readMarkdown(readFileSync(`${REPOSITORY}/mcp/templates/${name}.md`, "utf8"));
    for (const { title, line, level } of sections) {
      if (level !== 2 || title === "Status") continue;
      const rest = lines.slice(line + 1, sections.find((other) => other.line > line)?.line);
      const left = templateLines(rest);
      assert.deepEqual(
        rest.filter((text, index) => text.trim() !== "" && !left.has(index)),
        [],
        `${name} ${title}`,
      );
    }
  }
});

test("what the author added to a template is kept, and a team's own template is known", () => {
  const lines = [
    "The change that we're proposing or have agreed to implement.",
    "",
    "We use queues.",
    "",
    "- {option}",
    "- REST",
    "",
    "```",
    "{code}",
    "```",
  ];
  assert.deepEqual([...templateLines(lines)], [0, 4]);
  // Words that lead to a decision belong to it, and other marks are no placeholders.
  const decided = [
    "We decided that:",
    "",
    "- Two suffice.",
    "",
    "---",
    "",
    "> Note: one is spare.",
    "",
    "[#951] ([#1880]):",
    "",
    "* \\<name\\>",
  ];
  assert.deepEqual([...templateLines(decided)], []);
  assert.deepEqual([...templateLines(["We decided that:", "", "- {option}"])], [0, 2]);
  const own = new Set(templateTexts(["Say it in one sentence, please.", "", "- Short"]));
  assert.deepEqual([...templateLines(["Say it in ONE", "sentence, please.", "", "Short"], own)], [0, 1]);
});

test("the text of templates is found in linear time", () => {
  const start = cpuNow();
  for (
    const part of [
      "{",
      "{a",
      "[a",
      "<a ",
      "`",
      "*",
      "> ",
      "- ",
      "```\n",
      "# \n",
      "because ",
      "<!--",
      "a\n\n",
      "{a}\n",
    ]
  ) {
    const lines = part.repeat(200_000 / part.length).split("\n");
    templateLines(lines);
    templateTexts(lines);
  }
  assert.ok(cpuNow() - start < 3000, `${cpuNow() - start} ms`);
});
