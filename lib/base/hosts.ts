/** Classifies hosts: this machine, private networks, the internet. */

/** The bits of an address that the URL parser has normalised, after the IP version: "4" and 32 bits, "6" and 128 bits; "" for a name. */
function bitsOf(host: string): string {
  const toBits = (parts: readonly string[], radix: number, width: number) =>
    parts.map((part) => parseInt(part, radix).toString(2).padStart(width, "0")).join("");
  if (/^[\d.]+$/.test(host)) return `4${toBits(host.split("."), 10, 8)}`;
  return host.includes(":") ? `6${toBits(groupsOf(host), 16, 16)}` : "";
}

/** The eight groups of an IPv6 address, with "::" expanded to zeros. */
export function groupsOf(address: string): string[] {
  const [head = [], tail = []] = address.split("::").map((half) => half === "" ? [] : half.split(":"));
  const zeros = Array<string>(Math.max(0, 8 - head.length - tail.length)).fill("0");
  return [...head, ...zeros, ...tail];
}

/** Makes a test for hosts: names are tested by a pattern, addresses by blocks such as "10.0.0.0/8". */
function hostTest(names: RegExp, blocks: string): (host: string) => boolean {
  const prefixes = blocks.trim().split(/\s+/).map((block) => {
    const [address, length] = block.split("/");
    // The IP version is before the bits.
    return bitsOf(address!).slice(0, Number(length) + 1);
  });
  return (hostname) => {
    // Remove brackets, and the dot at the end of an absolute name.
    const host = hostname.replace(/^\[|\.?\]?$/g, ""), bits = bitsOf(host);
    return bits === "" ? names.test(host) : prefixes.some((prefix) => bits.startsWith(prefix));
  };
}

/** Whether a host is this machine. */
export const isLoopback: (host: string) => boolean = hostTest(/(?:^|\.)localhost$/i, "127.0.0.0/8 ::1/128");

/** Whether secrets may be sent to a URL: it uses https, or is on this machine. */
export function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

/**
 * Whether a host may be on this machine or its network. Names: without a dot, or in a domain for special use, routers or
 * companies. Addresses: in IANA's special-purpose registries, multicast, and all forms of IPv4 in IPv6.
 */
export const isPrivate: (host: string) => boolean = hostTest(
  /^[^.:]*$|(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|svc|test|alt|home\.arpa)$/i,
  `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24
  192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
  ::/96 ::ffff:0:0/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20
  5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8`,
);
