/**
 * Which regular expressions of a stranger may be run? Those that cannot take more than the square of the text's length: the
 * runtime has no way to stop one that takes for ever.
 */

/** How often an expression may be repeated within bounds before it counts as without them. */
const MAX_BOUNDED = 32;
const QUANTIFIER = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/;

/** Whether an expression is known to end soon; false for many that do, and for what is no expression. */
export function endsSoon(source: string): boolean {
  if (source.length > 1000 || /\\[1-9k]|\(\?<?[=!]/.test(source)) return false;
  let unbounded = source.startsWith("^") ? 0 : 1;
  /** For each open group: whether something in it is repeated or chosen. */
  const groups: boolean[] = [];
  let closed = false;
  for (let at = 0; at < source.length;) {
    const quantifier = QUANTIFIER.exec(source.slice(at));
    if (quantifier) {
      const repeats = !quantifier[0].startsWith("?");
      const [, least, comma, most] = quantifier;
      const isBounded = least !== undefined && Number(comma === "" ? least : most || Infinity) <= MAX_BOUNDED;
      // What repeats inside of what repeats can be cut up in exponentially many ways.
      if (repeats && closed) return false;
      if (repeats && !isBounded) unbounded++;
      if (groups.length > 0) groups[groups.length - 1] = true;
      at += quantifier[0].length;
      closed = false;
      continue;
    }
    closed = false;
    const character = source[at]!;
    if (character === "(") groups.push(false);
    else if (character === "|" && groups.length > 0) groups[groups.length - 1] = true;
    else if (character === ")") {
      const holds = groups.pop() ?? false;
      closed = holds;
      if (holds && groups.length > 0) groups[groups.length - 1] = true;
    }
    at = endOfAtom(source, at);
  }
  return unbounded <= 2;
}

function endOfAtom(source: string, start: number): number {
  if (source[start] === "\\") return start + 2;
  if (source[start] !== "[") return start + 1;
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === "]") return at + 1;
  }
  return source.length;
}
