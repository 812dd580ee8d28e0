/** How is it told? A markdown table of ratios, with absolute times in a footnote only. */
import { availableParallelism } from "node:os";
import { REVISION } from "./dialogue.ts";
import { ORDINARY_COUNT } from "./documents.ts";
import { inUnits, medianOf, quantile, spread } from "./results.ts";
import type { Row, Run } from "./results.ts";
import type { Figure } from "./scenarios.ts";
import { IN_FLIGHT, LARGE_IN_FLIGHT } from "./scenarios.ts";
import { UNIT } from "./servers.ts";

/** Peaks of memory, in the order of their column. */
const MEMORY_FIGURES = ["memoryRead", "memoryLarge", "memoryMany"] as const;

interface Column {
  title: string;
  cell(run: Run, row: Row): string;
}

/** Elapsed and processor time, each in units of the bare loop. */
function times(title: string, figure: Figure): Column {
  return {
    title,
    cell: ({ rows }, row) =>
      `${ratio(inUnits(rows, row, figure, "wallMs"))} / ${ratio(inUnits(rows, row, figure, "cpuMs"))}`,
  };
}

function columns({ manyCount }: Run): Column[] {
  const many = manyCount.toLocaleString("en");
  return [
    times("start", "start"),
    times(`start to list of ${many}`, "listMany"),
    times("round trip", "roundTrip"),
    times("read 10 kB", "read"),
    times("read 1 MB", "readLarge"),
    times("ping", "ping"),
    times("prompt", "prompt"),
    {
      title: `memory: 10 kB / 1 MB / ${many}`,
      cell: ({ rows }, row) =>
        MEMORY_FIGURES.map((figure) => ratio(inUnits(rows, row, figure, "bytes"))).join(" / "),
    },
    {
      title: `start with ${many} : with none`,
      cell: (_, row) => ratio(medianOf(row, "startMany", "wallMs") / medianOf(row, "startEmpty", "wallMs")),
    },
  ];
}

/** The whole report. */
export function report(run: Run): string {
  const table = columns(run);
  const lines = [
    `| server | ${table.map(({ title }) => title).join(" | ")} |`,
    `|---|${table.map(() => "---|").join("")}`,
    ...run.rows.map((row) => `| ${name(row)} | ${table.map(({ cell }) => cell(run, row)).join(" | ")} |`),
  ];
  return [...lines, "", ...notes(run).map((note) => `- ${note}`), ""].join("\n");
}

function name({ server, runtime }: Row): string {
  return `${runtime.name === "node" ? "Node" : "Deno"}: ${server.label}`;
}

/** What one has to know to read the table. */
function notes(run: Run): string[] {
  const { rows, rounds, manyCount } = run;
  const runtimes = [...new Set(rows.map(({ runtime }) => `${runtime.name} ${runtime.version}`))].join(", ");
  const many = manyCount.toLocaleString("en");
  return [
    "Elapsed time / processor time of the server, as multiples of the bare loop of the same runtime (less is better). " +
    `Medians of ${rounds} shuffled rounds of whole processes over pipes; ${runtimes}, ${availableParallelism()} processors.`,
    "The bare loop parses each line and writes an answer that it keeps as JSON; it checks nothing.",
    `start: until \`initialize\` is answered, with ${ORDINARY_COUNT} documents of 10 kB. round trip: \`resources/read\` of ` +
    `10 kB, one at a time. read, ping, prompt (100 kB, one argument): ${IN_FLIGHT} requests in flight, ` +
    `${LARGE_IN_FLIGHT} for 1 MB. memory: peak of the resident memory after the reads, and after the list of ${many}.`,
    `The last column compares each server with itself: elapsed time until \`initialize\` is answered with ${many} ` +
    "documents of 2 kB, against none. The peers and the bare loops read every document before they answer.",
    `All are asked in revision ${REVISION}${otherRevisions(rows)}.`,
    spreadNote(rows),
    ...rows.filter(({ server }) => server.name === UNIT).map(unitNote),
  ];
}

/** Who answers in another revision than the one asked for. */
function otherRevisions(rows: Row[]): string {
  return rows
    .filter(({ revision }) => revision !== REVISION)
    .map((row) => `; ${name(row)} agrees to ${row.revision}`)
    .join("");
}

/** How noisy the run was, so that nobody reads more into a digit than is in it. */
function spreadNote(rows: Row[]): string {
  const timed: Figure[] = ["start", "listMany", "roundTrip", "read", "readLarge", "ping", "prompt"];
  const [wall, cpu] = (["wallMs", "cpuMs"] as const).map((metric) => {
    const all = rows.flatMap((row) => timed.map((figure) => spread(row, figure, metric))).filter(
      Number.isFinite,
    );
    return `${percent(quantile(all, 0.5))} (at worst ${percent(quantile(all, 1))})`;
  });
  return `Half of the samples of a figure typically lie within ${wall} of their median, of processor time within ${cpu}.`;
}

/** The only absolute figures: what the ratios are multiples of. */
function unitNote(row: Row): string {
  const timed: [string, Figure][] = [
    ["start", "start"],
    ["list", "listMany"],
    ["round trip", "roundTrip"],
    ["read 10 kB", "read"],
    ["read 1 MB", "readLarge"],
    ["ping", "ping"],
    ["prompt", "prompt"],
  ];
  const times = timed.map(([title, figure]) => `${title} ${milliseconds(medianOf(row, figure, "wallMs"))}`);
  const memory = MEMORY_FIGURES.map((figure) => mebibytes(medianOf(row, figure, "bytes")));
  return `One unit (${name(row)}): ${times.join(", ")}; memory ${
    memory.join(" / ")
  }. The machine decides these.`;
}

/** Two digits behind the point where they can mean something, else one. */
function ratio(value: number): string {
  if (Number.isNaN(value)) return "n/a";
  return value < 10 ? value.toFixed(2) : value.toFixed(1);
}

function percent(part: number): string {
  return `${(part * 100).toFixed(0)} %`;
}

function milliseconds(value: number): string {
  return value < 0.1 ? `${(value * 1000).toFixed(1)} µs` : `${value.toPrecision(3)} ms`;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}
