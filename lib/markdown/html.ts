/** Writes text and addresses into HTML, and reads the escapes and entities of markdown. */

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text as it stands in HTML, also within a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character]!);
}

/** An address as it stands in a quoted attribute: what a URI cannot hold is percent-encoded. */
export function escapeAddress(address: string): string {
  return escapeHtml(encodeURI(address.toWellFormed()).replace(/%25(?=[\da-f]{2})/gi, "%"));
}

/** The named entities of HTML 4, by code point in runs. The 2,125 names of HTML 5 would be larger than all of this folder. */
const ENTITIES: ReadonlyMap<string, string> = new Map(
  ([
    [34, "quot"],
    [38, "amp"],
    [39, "apos"],
    [60, "lt"],
    [62, "gt"],
    [
      160,
      "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para " +
      "middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute " +
      "Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml " +
      "Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml " +
      "eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml",
    ],
    [338, "OElig oelig"],
    [352, "Scaron scaron"],
    [
      913,
      "Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau Upsilon Phi Chi Psi " +
      "Omega - - - - - - - alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma " +
      "tau upsilon phi chi psi omega",
    ],
    [8194, "ensp emsp"],
    [8201, "thinsp"],
    [8204, "zwnj zwj lrm rlm"],
    [8211, "ndash mdash"],
    [8216, "lsquo rsquo sbquo"],
    [8220, "ldquo rdquo bdquo"],
    [8224, "dagger Dagger bull"],
    [8230, "hellip"],
    [8240, "permil"],
    [8242, "prime Prime"],
    [8364, "euro"],
    [8482, "trade"],
    [8592, "larr uarr rarr darr harr"],
    [8656, "lArr uArr rArr dArr hArr"],
    [8704, "forall - part exist - empty - nabla isin notin - ni - - - prod - sum minus"],
    [8730, "radic - - prop infin"],
    [8743, "and or cap cup int"],
    [8776, "asymp"],
    [8800, "ne equiv - - le ge"],
    [8834, "sub sup - - sube supe"],
  ] as const).flatMap(([first, names]) =>
    names.split(" ").map((name, index) => [name, String.fromCodePoint(first + index)] as const)
  ),
);

/** The text that stands for an entity ("&amp;", "&#38;", "&#x26;"); undefined when there is no such. */
export function decodeEntity(entity: string): string | undefined {
  if (entity[1] !== "#") return ENTITIES.get(entity.slice(1, -1));
  const code = /^&#x/i.test(entity) ? parseInt(entity.slice(3), 16) : parseInt(entity.slice(2), 10);
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : "\ufffd";
}

const ESCAPED = /\\([!-/:-@[-`{-~])|&(?:#x[\da-f]{1,6}|#\d{1,7}|[a-z][a-z\d]{1,31});/gi;

/** Resolves backslash escapes and entities. */
export function unescape(text: string): string {
  if (!/[\\&]/.test(text)) return text;
  return text.replace(ESCAPED, (whole, character) => character ?? decodeEntity(whole) ?? whole);
}

/** Without spaces, tabs and line ends on both sides; other white space is text. */
export function strip(text: string): string {
  let from = 0, to = text.length;
  while (from < to && isSpace(text[from])) from++;
  while (to > from && isSpace(text[to - 1])) to--;
  return text.slice(from, to);
}

export function isSpace(character: string | undefined): boolean {
  return character === " " || character === "\t" || character === "\n";
}

/** An open or closing tag, and the longest that is read. */
export const MAX_TAG = 4096;
export const TAG: RegExp =
  /<(?:[a-z][a-z\d-]*(?:\s+[a-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?|\/[a-z][a-z\d-]*\s*)>/iy;
