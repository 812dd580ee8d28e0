/** How good is a ranking? nDCG@10: what the first ten hits give, less the further down they are, of what they could. */

const DEPTH = 10;

/** The nDCG@10 of one ranking, from 0 to 1. */
export function ndcg(ranked: readonly string[], gains: ReadonlyMap<string, number>): number {
  const best = [...gains.values()].sort((one, other) => other - one);
  return discounted(ranked.map((id) => gains.get(id) ?? 0)) / discounted(best);
}

function discounted(gains: readonly number[]): number {
  return gains.slice(0, DEPTH).reduce((sum, gain, rank) => sum + gain / Math.log2(rank + 2), 0);
}
