import assert from "node:assert/strict";
import { test } from "node:test";
import { decisionOf } from "../../lib/documents/records/decision.ts";
import { prohibitions } from "../../lib/documents/records/prohibitions.ts";
import { readMarkdown } from "../../lib/formats/markdown/document.ts";
import { cpuNow } from "../harness/process.ts";

/** What the decision of a record forbids; for a text without one, what all of its lines forbid. */
function forbiddenIn(text: string): { line: number; text: string }[] {
  const page = readMarkdown(text);
  const kept = decisionOf("Title", page)?.kept ?? page.lines.map((_, index) => index);
  return prohibitions(page, kept).map(({ line, text }) => ({ line, text }));
}
const textsIn = (text: string): string[] => forbiddenIn(text).map(({ text }) => text);

const FORBID: readonly string[] = [
  "Modules must not import the database driver.",
  "Secrets MUST NOT be logged.",
  "Controllers shall never open a transaction.",
  "Services should not call each other directly.",
  "Handlers shouldn't catch errors that they can't handle.",
  "A migration may not be edited after it was merged.",
  "Migrations may no longer be edited by hand.",
  "Do not use moment.",
  "Don’t mock what you don’t own.",
  "Never commit populated env files.",
  "Avoid global state.",
  "Refrain from adding new endpoints to the old API.",
  "For new code, do not use callbacks.",
  "If a test is slow, never skip it without a ticket.",
  "Use UTC everywhere; never store local times.",
  "Rule 3: don't return null.",
  "Direct access to the database is forbidden.",
  "Wildcard imports are strictly prohibited.",
  "Circular dependencies are not allowed.",
  "Inline styles are discouraged.",
  "Retries in handlers must be avoided.",
  "Only the gateway may call the billing service.",
  "Consumers must import only from the package root.",
  "Access is permitted only through the owner's contract.",
  "Feature flags should only be read at startup.",
  "Use JSDoc only for JavaScript files.",
  "We will not use Kafka for this service.",
  "We no longer accept GPIO integrations.",
  "We don't allow changes to these files.",
  "We decided not to introduce a message bus.",
  "The client will no longer be used in new code.",
  "No business logic in controllers.",
  "No calculations, queries or conditionals.",
  "🚫 Direct SQL in views",
  "Handlers must use the port, not the adapter.",
  "Cross-domain imports are severely discouraged.",
  "We strongly discourage arbitrary values.",
  "Handlers may read the cache, but never write it.",
  "Use only approved libraries.",
  "Add tags only when they add information.",
  "Use the base word, do not include a prefix.",
  "Every import produces a pull request, never a direct change.",
  "Destination MAY not match the subject.",
  // German
  "Dienste dürfen nicht direkt auf die Datenbanken anderer Dienste zugreifen.",
  "Ein Modul darf keine Klassen eines anderen Moduls importieren.",
  "Controller sollen keine Geschäftslogik enthalten.",
  "Catch sollte nur eingesetzt werden, wenn der Fehler lokal behandelt wird.",
  "Schreibzugriffe dürfen ausschließlich über die API erfolgen.",
  "Wir beschließen, dass Module nicht auf die Oberfläche zugreifen dürfen.",
  "Das Setzen von Headern von Hand ist untersagt.",
  "Zyklische Abhängigkeiten sind verboten.",
  "Direkte Aufrufe sind nicht erlaubt.",
  "Globaler Zustand ist zu vermeiden.",
  "Präfixe sollen vermieden werden.",
  "Vermeide globale Variablen.",
  "Verwende keine Zeitzonen außer UTC.",
  "Keine Passwörter im Code speichern.",
  "Niemals beides zugleich ändern.",
  "Geschäftslogik nicht in Controllern implementieren.",
  "Wir verwenden kein ORM.",
  "Wir verzichten auf einen Message Broker.",
  "XML wird nicht mehr verwendet.",
  "Nur das Gateway darf den Dienst aufrufen.",
  "Streams bleiben erlaubt, aber nur für Ereignisse.",
  "Für den Zustand verwenden wir ausschließlich Signale.",
  "Im ganzen Repository verwenden wir kein zweites Framework.",
  "Artefakte dürfen den Vertrag erweitern, aber nicht brechen.",
  "Übergeben Sie niemals Schlüssel an die Versionskontrolle.",
  "Globale Variablen vermeiden.",
  "Nur nach Bestätigung schreiben.",
  // Other languages
  "Deux tentatives ne doivent jamais partager une branche.",
  "L'accès direct est interdit.",
  "Évitez les variables globales.",
  "Los módulos no deben importar la base de datos.",
  "No usar variables globales.",
  "Está prohibido el acceso directo.",
  "Os módulos não devem acessar o banco de outro módulo.",
  "Não usar variáveis globais.",
  "Нельзя использовать глобальные переменные.",
  "Модули не должны обращаться к базе данных.",
  "禁止在业务代码里使用全局变量。",
  "グローバル変数の使用を禁止する。",
];

const ALLOW: readonly string[] = [
  "The cache never expires.",
  "Users do not need an account.",
  "We no longer have to restart the server.",
  "This does not change the API.",
  "To avoid deadlocks we take the locks in one order.",
  "We could not reproduce the error.",
  "We chose PostgreSQL.",
  "The service must validate its input.",
  "All logs should include the trace id.",
  "This avoids a second round trip.",
  "We use a queue instead of direct calls.",
  "Clients may retry.",
  "The old driver does not support TLS.",
  "The index cannot be built in one pass.",
  "The parser doesn't know the type yet.",
  "There is no need for a cache.",
  "No changes are needed.",
  "No one asked for this.",
  "Must we not use a cache?",
  "The value may not be available at startup.",
  "The two topics may not share a prefix.",
  "This should not be a problem.",
  "The upgrade should take only a few minutes.",
  "Existing code should not break.",
  "Services that must not be exposed are in a private network.",
  "If the field must not be empty, the form says so.",
  "We don't think that this matters.",
  "We won't be able to see the values.",
  "That does not mean that we should not accept help.",
  "It returns 403 Forbidden.",
  "The words MUST and MUST NOT are those of RFC 2119.",
  "The tokens are not stored.",
  "Old packages will be removed.",
  "The job is not only faster but also simpler.",
  "Don't worry about the order.",
  "There should only ever be a few of these.",
  "This should not block the release.",
  "If a certificate expires, we will not remove it.",
  "Currently we only set one field.",
  "Reason: do not make it slow.",
  "The field is present, but never null.",
  "React will not use the result of the promise.",
  "In this library, the words are no longer needed.",
  "~~Never use sessions.~~",
  "No known issues in this release.",
  "| Must not | Why |",
  "> You must not use sessions, said the first proposal.",
  "    do not use tabs",
  // German
  "Wir verwenden PostgreSQL.",
  "Der Cache läuft nie ab.",
  "Benutzer müssen sich nicht anmelden.",
  "Die Reihenfolge muss nicht eingehalten werden.",
  "Das Schema braucht nicht geändert zu werden.",
  "Um Seiteneffekte zu vermeiden, kopieren wir die Werte.",
  "Das Werkzeug kann keine Zyklen erkennen.",
  "Falls Module nicht zugreifen dürfen, meldet das der Linter.",
  "Jeder Dienst darf seine Daten lesen.",
  "Der Dienst ist nicht nur schneller, sondern auch einfacher.",
  "Die Daten liegen nicht im Cache.",
  "Wir nutzen Schnittstellen, die Injektionen vermeiden.",
  "Verbotene Bücher stehen im Register.",
  "Beim Lesen spielt das Alter keine Rolle.",
  "Wann darf ein Modul nicht importiert werden?",
  "Die Entwicklungsumgebung sollte so aktuell wie möglich sein.",
  // Other languages
  "Le cache n'expire jamais.",
  "Se usará PostgreSQL como base de datos.",
  "O cache é atualizado a cada hora.",
  "Кэш обновляется каждый час.",
  "单元测试能证明函数正确。",
];

test("a sentence that forbids is found, as a paragraph, an item and among others", () => {
  for (const sentence of FORBID) {
    assert.deepEqual(textsIn(`# Title\n\n${sentence}`), [sentence]);
    assert.deepEqual(textsIn(`# Title\n\n## Decision\n\n- We use Go.\n- ${sentence}\n`), [sentence]);
    // Only an item or a paragraph of its own can be a rule without a verb.
    if (/^(?!No |Keine ).*\.$/.test(sentence)) {
      assert.deepEqual(textsIn(`# Title\n\nWe use Go. ${sentence} It is fast.`), [sentence]);
    }
  }
});

test("a sentence that describes, allows, asks or gives a reason is not found", () => {
  for (const sentence of ALLOW) assert.deepEqual(textsIn(`# Title\n\n${sentence}\n`), [], sentence);
  assert.ok(FORBID.length + ALLOW.length >= 40);
});

test("a sentence is whole, without marks, and has the line of its paragraph", () => {
  const text =
    "# Title\n\n## Decision\n\nWe use **Go**.\nThe `app` must *not* import\n[the driver](x.md), e.g. " +
    "Postgres. It is slow.\n\n1. [ ] Never use `moment`.\n";
  assert.deepEqual(forbiddenIn(text), [
    { line: 4, text: "The app must not import the driver, e.g. Postgres." },
    { line: 8, text: "Never use moment." },
  ]);
});

test("only the decision is read, and no code, quote, table or other section in it", () => {
  const text =
    "# Title\n\n## Context\n\nWe must not fail.\n\n## Decision outcome\n\n```\nnever do this\n```\n\n" +
    "> Do not use X.\n\n| Never | Y |\n| --- | --- |\n| Never a | b |\n\n<!-- Do not use Z. -->\n\nWe use A. Do not use B.\n\n" +
    "### Consequences\n\nNever again.\n\n## Alternatives\n\nDo not use C.\n";
  assert.deepEqual(textsIn(text), ["Do not use B."]);
  assert.deepEqual(
    textsIn("# Title\n\nNever use A.\n\n## Alternatives\n\nNever use B.\n\n## Rules\n\nNever use C."),
    [
      "Never use A.",
      "Never use C.",
    ],
  );
});

test("a text that ends with a colon is given with what it leads to", () => {
  for (
    const [text, ...expected] of [
      [
        "Agents MUST NOT:\n\n- add secrets;\n- break contracts.\n\nThey test.",
        "Agents MUST NOT: add secrets; break contracts",
      ],
      [
        "- Controllers must not:\n  - run queries\n  - send mail\n- Views are plain.",
        "Controllers must not: run queries; send mail",
      ],
      ["**Forbidden:**\n\n* `eval`\n* globals\n", "Forbidden: eval; globals"],
      [
        "## Prohibited\n\n- Direct SQL\n- Global state\n\n## Allowed\n\n- Ports",
        "Prohibited: Direct SQL; Global state",
      ],
      ["## Verboten\n\n- Direktes SQL\n\nWir testen.", "Verboten: Direktes SQL"],
      [
        "Diese Klassen dürfen nicht enthalten:\n- SQL\n- HTML",
        "Diese Klassen dürfen nicht enthalten: SQL; HTML",
      ],
      [
        "We will not use Kafka, for these reasons:\n\n- cost\n- skills",
        "We will not use Kafka, for these reasons:",
      ],
      ["Secrets must not be logged:\n\n| a | b |\n| - | - |\n| c | d |", "Secrets must not be logged:"],
      ["We allow:\n\n- ports\n- adapters"],
    ] as const
  ) assert.deepEqual(textsIn(`# Title\n\n${text}`), expected);
});

test("hostile texts take linear time, and what is found is bounded", () => {
  const parts = [
    "must ",
    "no se aaaa",
    "only ",
    "darf ",
    "never: ",
    "- never:\n",
    "(".repeat(50),
    "if ",
    ", not ",
    "e.g. ",
    "z. B. ",
    "A. ",
    "use x only ",
    "# Never\n- a\n",
    "wir ",
    "  ",
    "\\",
    "[",
    "*_`",
    "nicht a ",
    "ни",
    "禁",
    "no a, ",
    "；",
    "if a we will not ",
    "~~a",
    "b meiden ",
    "darf a, aber ",
    "may a but ",
    "must a(no ",
    "(i.e. never ",
    "- [ ] ",
    "# A\n\nnever b.\n\n",
  ]; // deno-fmt-ignore
  for (const part of parts) {
    const timeOf = (count: number): number => {
      const page = readMarkdown(part.repeat(count)), kept = page.lines.map((_, index) => index), start = cpuNow();
      for (const { text } of prohibitions(page, kept)) assert.ok(text.length <= 2000);
      return cpuNow() - start;
    };
    timeOf(1000);
    const few = timeOf(20_000), many = timeOf(80_000);
    assert.ok(many < 16 * Math.max(few, 10), `${JSON.stringify(part)}: ${few} and ${many} ms`);
  }
});
