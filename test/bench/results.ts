/** What came out? All samples of a run, their medians, and what they come to in units of the bare loop. */
import { UNIT } from "./servers.ts";
import type { Runtime, Server } from "./servers.ts";
import type { Figure, Sample } from "./scenarios.ts";

/** What is known of one figure: `wallMs` and `cpuMs` of times, `bytes` of memory. */
export type Metric = "wallMs" | "cpuMs" | "bytes";

/** One server that was measured. */
export interface Row {
  server: Server;
  runtime: Runtime;
  /** The protocol revision that it agreed to. */
  revision: string;
  samples: Sample[];
}

/** One run of the benchmark. */
export interface Run {
  rows: Row[];
  /** Rounds that were finished. */
  rounds: number;
  /** Documents in the root with many of them. */
  manyCount: number;
}

/** The median of what was measured, `NaN` when there is nothing. */
export function medianOf(row: Row, figure: Figure, metric: Metric): number {
  return quantile(valuesOf(row, figure, metric), 0.5);
}

/** A figure of a row in units of the bare loop of the same runtime. */
export function inUnits(rows: readonly Row[], row: Row, figure: Figure, metric: Metric): number {
  const unit = rows.find(({ server, runtime }) => server.name === UNIT && runtime.name === row.runtime.name);
  return unit === undefined ? Number.NaN : medianOf(row, figure, metric) / medianOf(unit, figure, metric);
}

/**
 * How far the samples of a row's figure lie apart: half the distance of the quartiles, as a part of the median.
 *
 * A ratio that is closer to 1 than this says nothing.
 */
export function spread(row: Row, figure: Figure, metric: Metric): number {
  const values = valuesOf(row, figure, metric);
  return (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / quantile(values, 0.5);
}

/** All of a run as plain data: every sample, in absolute terms, without any path of the machine. */
export function asJson({ rows, rounds, manyCount }: Run): unknown {
  return {
    rounds,
    manyCount,
    rows: rows.map(({ server, runtime, revision, samples }) => ({
      server: server.name,
      runtime: runtime.name,
      version: runtime.version,
      revision,
      samples,
    })),
  };
}

/** The value below which that part of the values lies, between two of them in proportion. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const position = (sorted.length - 1) * part;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

function valuesOf(row: Row, figure: Figure, metric: Metric): number[] {
  return row.samples
    .filter((sample) => sample.figure === figure)
    .map((sample) => sample[metric] ?? Number.NaN)
    .filter((value) => !Number.isNaN(value));
}
