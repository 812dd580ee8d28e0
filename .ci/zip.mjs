/** Writes ZIP archives. The same files give the same bytes: entries have one fixed date, and no owner. */
import { crc32, deflateRawSync } from "node:zlib";

/** 1 January 1980, the first date that the format has. */
const DATE = 0x21;
const UTF8_NAMES = 0x800;
const DEFLATED = 8;
const VERSION = 20;
/** Made on Unix, with permissions: an ordinary file that its owner may write. */
const UNIX = 3 << 8;
const MODE = 0o100644 * 2 ** 16;

/** An archive of files: their names, with slashes, and contents. */
export function makeZip(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [file, content] of files) {
    const name = Buffer.from(file);
    const data = Buffer.from(content);
    const packed = deflateRawSync(data, { level: 9 });
    const common = fields(
      [2, VERSION],
      [2, UTF8_NAMES],
      [2, DEFLATED],
      [2, 0],
      [2, DATE],
      [4, crc32(data)],
      [
        4,
        packed.length,
      ],
      [4, data.length],
      [2, name.length],
      [2, 0],
    );
    const local = Buffer.concat([fields([4, 0x04034b50]), common, name, packed]);
    parts.push(local);
    directory.push(
      fields([4, 0x02014b50], [2, UNIX | VERSION]),
      common,
      fields([2, 0], [2, 0], [2, 0], [4, MODE], [4, offset]),
      name,
    );
    offset += local.length;
  }
  const list = Buffer.concat(directory);
  const [count, size] = [[2, files.length], [4, list.length]];
  return Buffer.concat([
    ...parts,
    list,
    fields([4, 0x06054b50], [2, 0], [2, 0], count, count, size, [4, offset], [2, 0]),
  ]);
}

/** Numbers as little-endian bytes, each with its length. */
function fields(...numbers) {
  const bytes = Buffer.alloc(numbers.reduce((sum, [length]) => sum + length, 0));
  let position = 0;
  for (const [length, value] of numbers) position = bytes.writeUIntLE(value, position, length);
  return bytes;
}
