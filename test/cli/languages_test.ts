/** Records in other languages, and with the words of a team: what is written is in their words, and is read the same. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { cli, cliJson } from "../harness/command.ts";
import { filesIn, makeFolder } from "../harness/folder.ts";
import { IS_COMPLETE } from "../harness/runtime.ts";
import { table } from "../harness/table.ts";

const MOUNT = "--mount adr=DIR";

/** The label of a status with "accepted", then what the older and the newer record say, and "rejected" and "proposed". */
const LANGUAGES = table(`
  Status: Akzeptiert | Ersetzt durch {} | Ersetzt {} | Abgelehnt, Vorgeschlagen
  Stand: Beschlossen | Ersetzt durch {} | Ersetzt {} | Abgelehnt, Vorgeschlagen
  Statut: Accepté | Remplacé par {} | Remplace {} | Rejeté, Proposé
  État: Acceptée | Remplacée par {} | Remplace {} | Rejetée, Proposée
  Estado: Aceptado | Reemplazado por {} | Reemplaza {} | Rechazado, Propuesto
  Estado: Aprobada | Reemplazada por {} | Reemplaza {} | Rechazada, Propuesta
  Estado: Aceito | Substituído por {} | Substitui {} | Rejeitado, Proposto
  Situação: Aprovada | Substituída por {} | Substitui {} | Rejeitada, Proposta
  Stato: Accettato | Sostituito da {} | Sostituisce {} | Rifiutato, Proposto
  Stato: Approvata | Sostituita da {} | Sostituisce {} | Rifiutata, Proposta
  Status: Geaccepteerd | Vervangen door {} | Vervangt {} | Afgewezen, Voorgesteld
  Status: Zaakceptowany | Zastąpiony przez {} | Zastępuje {} | Odrzucony, Proponowany
  Stan: Przyjęta | Zastąpiona przez {} | Zastępuje {} | Odrzucona, Proponowana
  Статус: Принято | Заменено на {} | Заменяет {} | Отклонено, Предложено
  Статус: Принят | Заменён на {} | Заменяет {} | Отклонён, Предложен
  ステータス: 承認済み | {} に置き換え済み | 置き換え対象: {} | 却下済み, 提案済み
  ステータス: 承認 | {} に置き換え済み | 置き換え対象: {} | 却下済み, 提案
  状态: 已接受 | 已被 {} 取代 | 取代了: {} | 拒绝, 已提议
  狀態: 採納 | 已被 {} 取代 | 取代了: {} | 拒绝, 提议
  상태: 승인됨 | {} 에 의해 대체됨 | 대체 대상: {} | 거부됨, 제안됨
  상태: 채택 | {} 에 의해 대체됨 | 대체 대상: {} | 거부됨, 제안
`);

/** The forms of a record: its text with a label and a status. */
const FORMS: Readonly<Record<string, (label: string, status: string) => string>> = {
  section: (label, status) => `# X\n\n## ${label}\n\n${status}\n\n## Y\n\nZ.\n`,
  line: (label, status) => `# X\n\n- **${label}:** ${status}\n\n## Y\n\nZ.\n`,
  table: (label, status) => `# X\n\n| ${label} | ${status} |\n|---|---|\n\n## Y\n\nZ.\n`,
  "front matter": (_, status) => `---\nstatus: ${status}\n---\n# X\n\n## Y\n\nZ.\n`,
};

/** The number, status and relations of each record of a folder. */
async function statedIn(folder: string): Promise<string[]> {
  const { resources } = await cliJson(`list ${MOUNT}`, folder);
  return resources.map(({ _meta }: { _meta: Record<string, Record<string, unknown>> }) => {
    const { number, status, supersedes = "", supersededBy = "" } = _meta["architrave/record"]!;
    return `${number} ${status} >${supersedes} <${supersededBy}`.replaceAll("architecture://adr/", "");
  });
}
async function rulesOf(folder: string): Promise<string[]> {
  const { findings } = await cliJson(`check ${MOUNT} --ignore prompts/`, folder);
  return findings.map(({ file, rule }: { file: string; rule: string }) => `${file} ${rule}`);
}
async function write(line: string, folder: string): Promise<void> {
  const { code, errors } = await cli(`${line} ${MOUNT} --write`, folder);
  assert.equal(code, 0, `${line}: ${errors}`);
}

test("supersede, new and status write in the language of the record, and what they write is read the same", async (t) => {
  for (const [index, [given, older, newer, others]] of LANGUAGES.entries()) {
    const [label = "", accepted = ""] = given.split(": "), [rejected, proposed] = others.split(", ");
    for (
      const [form, make] of Object.entries(FORMS).slice(0, index % 2 === 0 || IS_COMPLETE ? undefined : 1)
    ) {
      const text = make(label, accepted), what = `${given}, ${form}`;
      const folder = makeFolder(t, { "0001-a.md": text, "0002-b.md": text, "0003-c.md": text });
      const before = await rulesOf(folder);
      await write("supersede 1 2", folder);
      assert.deepEqual((await rulesOf(folder)).filter((rule) => !before.includes(rule)), [], what);
      await write("new D --supersedes 3", folder);
      const stated = async () => (await statedIn(folder)).map((one) => one.replace("approved", "accepted"));
      const first = ["1 superseded > <0002-b", "2 accepted >0001-a <"];
      assert.deepEqual(await stated(), [...first, "3 accepted > <", "4 proposed >0003-c <"], what);
      const { "0001-a.md": one = "", "0002-b.md": two = "", "0004-d.md": four = "" } = filesIn(folder);
      await write(`status 4 ${accepted}`, folder);
      assert.deepEqual(await stated(), [...first, "3 superseded > <0004-d", "4 accepted >0003-c <"], what);
      const [name, other] = form === "section"
        ? ["[2. X](0002-b.md)", "[1. X](0001-a.md)"]
        : [form === "front matter" ? "ADR-0002" : "[ADR-0002](0002-b.md)", "[ADR-0001](0001-a.md)"];
      assert.ok(one.includes(older.replace("{}", name!)), `${what}: ${one}`);
      if (form !== "front matter") assert.ok(two.includes(newer.replace("{}", other!)), `${what}: ${two}`);
      assert.ok(four.includes(proposed!), `${what}: ${four}`);
      assert.doesNotMatch(one + two + four, /supersede[ds] (?:by )?\[/i, what);
      // The label stays.
      if (form !== "front matter") assert.ok(one.includes(label) && four.includes(label), what);
      const again = await cli(`supersede 1 2 ${MOUNT}`, folder);
      assert.equal(again.output, "There is nothing to change.\n", what);
      await write("status 1 rejected", folder);
      assert.equal(filesIn(folder)["0001-a.md"], make(label, rejected!), what);
      await write(`status 1 ${accepted}`, folder);
      assert.equal(filesIn(folder)["0001-a.md"], text, what);
    }
  }
});

test("a record in English stays in English in a folder of another language", async (t) => {
  const german = "# A\n\n## Status\n\nAkzeptiert\n", english = "# B\n\n## Status\n\nAccepted\n";
  const folder = makeFolder(t, { "0001-a.md": german, "0002-b.md": german, "0003-c.md": english });
  await write("supersede 3 2 --force", folder);
  await write("status 1 deprecated", folder);
  assert.deepEqual(filesIn(folder), {
    "0001-a.md": "# A\n\n## Status\n\nVeraltet\n",
    "0002-b.md": "# A\n\n## Status\n\nAkzeptiert\n\nErsetzt [3. B](0003-c.md)\n",
    "0003-c.md": "# B\n\n## Status\n\nSuperseded by [2. A](0002-b.md)\n",
  });
});

test("the words that other records use come first, and tell languages apart that share a word", async (t) => {
  const of = (status: string) => `# X\n\n## Status\n\n${status}\n`;
  const rows: readonly (readonly [others: string[], own: string, status: string, expected: string])[] = [
    [["Angenommen"], "Vorgeschlagen", "accepted", "Angenommen"],
    [["Beschlossen", "Abgelehnt"], "Entwurf", "accepted", "Beschlossen"],
    [["Adoptée"], "Proposée", "accepted", "Adoptée"],
    [["Accettata"], "Proposta", "rejected", "Rifiutata"],
    [["Aceita"], "Proposta", "rejected", "Rejeitada"],
    [["Approvato"], "Obsoleto", "accepted", "Accettato"],
    [["Aprobado"], "Obsoleto", "accepted", "Aceptado"],
    [["採用"], "提案", "rejected", "却下"],
    [["采纳"], "提案", "rejected", "拒绝"],
  ];
  for (const [others, own, status, expected] of rows) {
    const files = others.map((word, at) => [`000${at + 2}-b.md`, of(word)] as const);
    const folder = makeFolder(t, { "0001-a.md": of(own), ...Object.fromEntries(files) });
    await write(`status 1 ${status}`, folder);
    assert.equal(filesIn(folder)["0001-a.md"], of(expected), `${own} next to ${others}`);
  }
});

const WORDS = {
  words: {
    status: {
      accepted: ["beslutad", "gäller"],
      proposed: ["utkast"],
      superseded: ["ersatt"],
      rejected: ["avslagen"],
    },
    labels: {
      status: ["läge"],
      date: ["beslutsdatum"],
      supersedes: ["ersätter"],
      "superseded by": ["ersatt av"],
    },
  },
};
const SETTINGS = JSON.stringify(WORDS);
/** Forms with the words of a team: before, and after it was superseded; then the newer record with what it gets. */
const TEAM: readonly (readonly [old: string, after: string, now: string, added: string])[] = [
  [
    "# A\n\n## Läge\n\nGäller\n\n## Y\n",
    "# A\n\n## Läge\n\nErsatt av [2. B](0002-b.md)\n\n## Y\n",
    "# B\n\n## Läge\n\nBeslutad\n",
    "\nErsätter [1. A](0001-a.md)\n",
  ],
  [
    "# A\n\n- Läge: gäller\n- Beslutsdatum: 2026-01-02\n",
    "# A\n\n- Läge: ersatt av [ADR-0002](0002-b.md)\n- Beslutsdatum: 2026-01-02\n",
    "# B\n\n- Läge: utkast\n- Ersätter: –\n",
    "# B\n\n- Läge: utkast\n- Ersätter: [ADR-0001](0001-a.md)\n",
  ],
  [
    "# A\n\n**Läge:** Beslutad\n**Ersatt av:** –\n",
    "# A\n\n**Läge:** Ersatt\n**Ersatt av:** [ADR-0002](0002-b.md)\n",
    "# B\n\n**Läge:** Beslutad\n**Ersätter:**\n",
    "# B\n\n**Läge:** Beslutad\n**Ersätter:** [ADR-0001](0001-a.md)\n",
  ],
  [
    "# A\n\n| Läge | Gäller |\n|---|---|\n| Beslutsdatum | 2026-01-02 |\n",
    "# A\n\n| Läge | Ersatt av [ADR-0002](0002-b.md) |\n|---|---|\n| Beslutsdatum | 2026-01-02 |\n",
    "# B\n\n| Läge | Utkast |\n|---|---|\n| Ersätter | – |\n",
    "# B\n\n| Läge | Utkast |\n|---|---|\n| Ersätter | [ADR-0001](0001-a.md) |\n",
  ],
  [
    "---\nstatus: beslutad\n---\n# A\n",
    "---\nstatus: ersatt av ADR-0002\n---\n# A\n",
    "---\nläge: beslutad\nersätter:\n---\n# B\n",
    "---\nläge: beslutad\nersätter: ADR-0001\n---\n# B\n",
  ],
];

test("every command uses the words of the team", async (t) => {
  for (const [old, after, now, added] of TEAM) {
    const given = { "architrave.json": SETTINGS, "0001-a.md": old, "0002-b.md": now };
    const folder = makeFolder(t, given);
    assert.deepEqual((await rulesOf(folder)).filter((rule) => /status|field|label/.test(rule)), [], old);
    await write("supersede 1 2", folder);
    const { "0001-a.md": one, "0002-b.md": two } = filesIn(folder);
    assert.deepEqual([one, two], [after, added.startsWith("\n") ? now + added : added]);
    assert.match(
      (await statedIn(folder)).join("\n"),
      /^1 superseded > <0002-b\n2 (?:accepted|proposed) >0001-a <$/,
    );
    await write("status 1 avslagen", folder);
    assert.match((await statedIn(folder))[0]!, /^1 rejected > <$/, filesIn(folder)["0001-a.md"]!);
    await write("status 2 accepted", folder);
    assert.match(filesIn(folder)["0002-b.md"]!, /beslutad/i);
    await write("new C --supersedes 2", folder);
    assert.match(filesIn(folder)["0003-c.md"]!, /utkast/i);
    assert.match((await statedIn(folder))[2]!, /^3 proposed >0002-b <$/);
  }
});

test("check says nothing of the words of the team, and export leaves out its fields", async (t) => {
  const record = "# A\n\n- Läge: beslutad\n- Beslutsdatum: 2026-01-02\n\nWe use queues everywhere.\n";
  const folder = makeFolder(t, { "0001-a.md": record, "0002-b.md": record.replace("beslutad", "gäller") });
  assert.match((await rulesOf(folder)).join(), /adr-status-missing/);
  const known = makeFolder(t, { "architrave.json": SETTINGS, "0001-a.md": record });
  assert.doesNotMatch((await rulesOf(known)).join(), /adr-status|adr-field/);
  const { output } = await cli(`export claude --into DIR ${MOUNT}`, known);
  assert.match(output, /We use queues everywhere/);
  assert.doesNotMatch(output, /Läge|Beslutsdatum/);
  const { resources: [{ description }] } = await cliJson(`list ${MOUNT}`, known);
  assert.equal(description, "We use queues everywhere.");
  // Settings with anything in these places.
  for (const words of ["null", "7", '{"status": null, "labels": 7}', '{"status": {"accepted": "x"}}', "[]"]) {
    const odd = makeFolder(t, {
      "architrave.json": `{"words": ${words}}`,
      "0001-a.md": "# A\n\nStatus: Accepted\n",
    });
    assert.deepEqual(await statedIn(odd), ["1 accepted > <"]);
    await write("status 1 rejected", odd);
  }
});

test("people see the team's own word next to the English one, and programs the English one", async (t) => {
  const rows = table(`
    Status: Akzeptiert | accepted | Akzeptiert
    Stato: Accettato | accepted | Accettato
    Estado: Propuesta | proposed | Propuesta
    Statut: Approuvée (2026-01-02) | approved | Approuvée
    ステータス: 却下済み | rejected | 却下済み
    Läge: gäller | accepted | gäller
    Status: in Prüfung | in review | in Prüfung
    Status: Superceded |
    Status: Accepted |
    Status: Work in progress |
  `);
  for (const [given, status, word] of rows) {
    const record =
      `---\napplies-to: "src/**"\n---\n# Queues\n\n${given}\nDate: 2026-01-02\n\n## Decision\n\nX.\n`;
    const folder = makeFolder(t, { "adr/architrave.json": SETTINGS, "adr/0001-a.md": record });
    const label = `${status} ("${word}")`, mount = "--mount adr=DIR/adr";
    for (const line of ["list", "search queues", "decisions src/a.ts", "changes --since 2026-01-01"]) {
      const shown = (await cli(`${line} ${mount}`, folder, { showsOutput: true, noColor: true })).output;
      const piped = (await cli(`${line} ${mount}`, folder)).output;
      if (word === undefined) assert.doesNotMatch(shown + piped, /\("/, `${given}, ${line}`);
      else {
        assert.ok(shown.includes(label), `${given}, ${line}: ${shown}`);
        assert.ok(piped.includes(`\t${status}\t`) && !piped.includes(label), `${given}, ${line}: ${piped}`);
      }
    }
    const { documents: [found] } = await cliJson(`decisions src/a.ts ${mount}`, folder);
    assert.deepEqual([found.status === status || word === undefined, found.statusWord], [true, word], given);
    for (const format of ["mermaid", "dot", "svg"]) {
      const { output } = await cli(`graph --around 1 --format ${format} ${mount}`, folder);
      const plain = output.replaceAll(/&quot;|#34;|\\"/g, '"');
      assert.equal(plain.includes(label), word !== undefined, `${given}, ${format}: ${output}`);
    }
    assert.equal((await cli(`site DIR/out ${mount} --write`, folder)).code, 0);
    const files = filesIn(`${folder}/out`);
    for (const name of ["adr/0001-a.html", "documents.html", "graph.html", "feed.xml"]) {
      assert.equal(
        files[name]!.replaceAll("&quot;", '"').includes(label),
        word !== undefined,
        `${given}, ${name}`,
      );
    }
  }
});

test("the own word of a team says nothing of a record that was superseded since, and is cleaned", async (t) => {
  const folder = makeFolder(t, {
    "0001-a.md": "# A\n\nStatus: Akzeptiert\nErsetzt durch: [2](0002-b.md)\n",
    "0002-b.md": "# B\n\nStatus: 承認\u202e\u001b[31m済み\n",
    "0003-c.md": `# C\n\nStatus: ${"承".repeat(500)}認承認\n`,
  });
  const { output } = await cli(`list ${MOUNT}`, folder, { showsOutput: true, noColor: true });
  const [one = "", two = "", three = ""] = output.split("\n");
  assert.match(one, /superseded {2}/);
  assert.ok(!output.includes("\u001b") && !output.includes("\u202e"), output);
  assert.match(two, /accepted/);
  assert.ok(three.length < 120, three);
});
