/** Markdown tables of ratios: against the bare loop, or of one checkout against another. */
import { availableParallelism } from "node:os";
import { REVISION } from "./scenarios.ts";
import type { Figure, Sample } from "./scenarios.ts";
import { UNIT } from "./servers.ts";
import type { Runtime, Server } from "./servers.ts";

export type Metric = "wallMs" | "cpuMs" | "bytes";

/** One server that was measured. */
export interface Row {
  server: Server;
  runtime: Runtime;
  /** The protocol revision that it agreed to. */
  revision: string;
  samples: Sample[];
}

export interface Run {
  rows: Row[];
  /** Rounds that were finished. */
  rounds: number;
  /** Documents in the root with many of them. */
  manyCount: number;
  /** Only processor time is shown: other programs share the machine, or the mode is short. */
  cpuOnly: boolean;
}

const TITLES: Partial<Record<Figure, string>> = {
  start: "start",
  list: "start and first list",
  listMany: "start to list of many",
  roundTrip: "round trip",
  read: "read 10 kB",
  readLarge: "read 1 MB",
  ping: "ping",
  prompt: "prompt",
  memoryRead: "memory, 10 kB",
  memoryLarge: "memory, 1 MB",
  memoryMany: "memory, many",
};

/** The value below which that part of the values lies, between two of them in proportion. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const position = (sorted.length - 1) * part;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

function valuesOf({ samples }: { samples: readonly Sample[] }, figure: Figure, metric: Metric): number[] {
  return samples.filter((sample) => sample.figure === figure).map((sample) => sample[metric] ?? Number.NaN)
    .filter((value) => !Number.isNaN(value));
}

const median = (row: Row, figure: Figure, metric: Metric) => quantile(valuesOf(row, figure, metric), 0.5);

/** What was measured at all, in the order of the titles. */
function figuresOf(samples: readonly Sample[]): Figure[] {
  return (Object.keys(TITLES) as Figure[]).filter((one) => samples.some(({ figure }) => figure === one));
}

const isMemory = (figure: Figure) => figure.startsWith("memory");

/** The report of one checkout beside its peers: one table, and what has to be known to read it. */
export function report({ rows, rounds, manyCount, cpuOnly }: Run): string {
  const figures = figuresOf(rows.flatMap(({ samples }) => samples));
  const units = rows.filter(({ server }) => server.name === UNIT);
  const metricsOf = (figure: Figure): readonly Metric[] =>
    isMemory(figure) ? ["bytes"] : cpuOnly ? ["cpuMs"] : ["wallMs", "cpuMs"];
  const cell = (row: Row, figure: Figure) => {
    const unit = units.find(({ runtime }) => runtime.name === row.runtime.name);
    const cells = metricsOf(figure).map((metric) =>
      ratio(unit ? median(row, figure, metric) / median(unit, figure, metric) : Number.NaN)
    );
    return unit ? cells.join(" / ") : "n/a";
  };
  const cells = rows.map((row) => [
    name(row),
    ...figures.map((figure) => cell(row, figure)),
    ratio(median(row, "startMany", "wallMs") / median(row, "startEmpty", "wallMs")),
  ]);
  const time = cpuOnly ? "Processor time" : "Elapsed / processor time";
  const notes = [
    `${time} of the server as multiples of the bare loop of the same runtime, medians of ${rounds} rounds; ` +
    `${availableParallelism()} processors. many: ${manyCount.toLocaleString("en")} documents.`,
    ...rows.filter(({ revision }) => revision !== REVISION)
      .map((row) => `${name(row)} agrees to ${row.revision}.`),
    ...units.map((row) => unitNote(row, figures, cpuOnly ? "cpuMs" : "wallMs")),
    spreadNote(rows, figures),
  ];
  const titles = ["server", ...figures.map((figure) => TITLES[figure]!), "start with many : with none"];
  return table(titles, cells) + notes.map((note) => `- ${note}\n`).join("");
}

/** The samples of a pair of checkouts: those of this one and of the other at the same index were taken together. */
export interface Pair {
  title: string;
  own: Sample[][];
  other: Sample[][];
}

/** The ratio of every figure of this checkout to the other's: the median of all pairs, and half of them. */
export function compareReport(pairs: readonly Pair[]): string {
  const rows = pairs.flatMap(({ title, own, other }) =>
    figuresOf(own.flat()).map((figure) => {
      const metric = isMemory(figure) ? "bytes" : "cpuMs";
      const of = (samples: readonly Sample[]) => quantile(valuesOf({ samples }, figure, metric), 0.5);
      return [title, TITLES[figure]!, ...ratios(own.map((samples, index) => of(samples) / of(other[index]!)))];
    })
  );
  return table(["program", "figure", ...RATIO_TITLES], rows);
}

/** What the cells of ratios are. */
export const RATIO_TITLES = ["ratio", "half of the pairs", "pairs above 1"] as const;

/** The cells of some ratios: their median, their quartiles, and how many are above 1. */
export function ratios(values: readonly number[]): string[] {
  const good = values.filter((value) => !Number.isNaN(value));
  const [low, middle, high] = [0.25, 0.5, 0.75].map((part) => quantile(good, part).toFixed(3));
  return [middle!, `${low} to ${high}`, `${good.filter((value) => value > 1).length} of ${good.length}`];
}

export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [titles, titles.map(() => "---"), ...rows];
  return `${lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}\n\n`;
}

function name({ server, runtime }: Row): string {
  return `${runtime.name === "node" ? "Node" : "Deno"}: ${server.label}`;
}

/** How noisy the run was: half the distance of the quartiles as a part of the median, over all figures. */
function spreadNote(rows: readonly Row[], figures: readonly Figure[]): string {
  const all = rows.flatMap((row) =>
    figures.map((figure) => valuesOf(row, figure, "cpuMs")).filter(({ length }) => length > 0)
      .map((values) => (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / quantile(values, 0.5))
  );
  const [typical, worst] = [0.5, 1].map((part) => `${(quantile(all, part) * 100).toFixed(0)} %`);
  return `Half of the samples of a processor time lie within ${typical} of their median, at worst ${worst}.`;
}

/** The only absolute figures: what the ratios are multiples of. */
function unitNote(row: Row, figures: readonly Figure[], metric: Metric): string {
  const all = figures.map((figure) => {
    const value = median(row, figure, isMemory(figure) ? "bytes" : metric);
    const time = value < 0.1 ? `${(value * 1000).toFixed(1)} µs` : `${value.toPrecision(3)} ms`;
    return `${TITLES[figure]} ${isMemory(figure) ? `${(value / 2 ** 20).toFixed(0)} MiB` : time}`;
  });
  return `One unit (${name(row)} on ${row.runtime.version}): ${all.join(", ")}.`;
}

/** Two digits behind the point where they can mean something, else one. */
function ratio(value: number): string {
  return Number.isNaN(value) ? "n/a" : value.toFixed(value < 10 ? 2 : 1);
}
