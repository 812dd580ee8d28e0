/** Is this the address of a machine, or of somebody on it? */

const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const OCTET = /^(?:0|[1-9][0-9]?|1[0-9][0-9]|2[0-4][0-9]|25[0-5])$/;

/** A name of RFC 1123. What a name that begins with `xn--` stands for is not looked into. */
export function isHostname(text: string): boolean {
  return text.length <= 253 && text.split(".").every((label) => LABEL.test(label));
}

/** Four numbers in decimal, RFC 2673 section 3.2. */
export function isIpv4(text: string): boolean {
  if (text.length > 15) return false;
  const octets = text.split(".");
  return octets.length === 4 && octets.every((octet) => OCTET.test(octet));
}

/** Eight groups of four hexadecimal digits, with `::` for some that are zero: RFC 4291 section 2.2. No zone. */
export function isIpv6(text: string): boolean {
  if (text.length > 45) return false;
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => half === "" ? [] : half.split(":"));
  // The last two groups may be written as IPv4.
  const ending = text.endsWith("::") ? undefined : groups.at(-1);
  const isMixed = ending !== undefined && isIpv4(ending);
  const plain = isMixed ? groups.slice(0, -1) : groups;
  const length = plain.length + (isMixed ? 2 : 0);
  if (halves.length === 2 ? length > 7 : length !== 8) return false;
  return plain.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group));
}

/** A mailbox of RFC 5321 section 4.1.2. */
export function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const local = text.slice(0, Math.max(at, 0));
  // Lengths of section 4.5.3.1.
  if (local === "" || local.length > 64 || text.length - at - 1 > 255) return false;
  return isLocalPart(local) && isMailDomain(text.slice(at + 1));
}

function isLocalPart(text: string): boolean {
  if (text.startsWith('"')) return /^"(?:[ !#-[\]-~]|\\[ -~])*"$/.test(text);
  return text.split(".").every((atom) => /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+$/.test(atom));
}

function isMailDomain(text: string): boolean {
  const literal = /^\[(.*)\]$/.exec(text)?.[1];
  if (literal === undefined) return isHostname(text);
  return /^IPv6:/i.test(literal) ? isIpv6(literal.slice(5)) : isIpv4(literal);
}
