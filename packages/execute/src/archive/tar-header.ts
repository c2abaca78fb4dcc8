/** The only kind of tar header (POSIX ustar) in an export: a plain file, owned by nobody, without a time. Every tar
 *  program can read it; we read nothing else. */

/** Tar files are made of blocks of this many bytes. */
export const BLOCK_BYTES = 512;

const NAME_BYTES = 100;
/** Eleven octal digits. */
export const MAX_ENTRY_BYTES: number = 8 ** 11 - 1;

export type TarEntry = { name: string; size: number };

/** Throws `TypeError` for a name that is not ASCII or too long, and for a size that does not fit. */
export function tarHeader({ name, size }: TarEntry): Buffer {
  if (!/^[!-~]{1,100}$/.test(name))
    throw new TypeError(`${JSON.stringify(name)} is not an entry name`);
  if (!Number.isSafeInteger(size) || size < 0 || size > MAX_ENTRY_BYTES)
    throw new TypeError(`${name} has ${size} bytes, which a header cannot express`);
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(name, 0, NAME_BYTES, "latin1");
  for (const [at, text] of FIXED) header.write(text, at, "latin1");
  header.write(size.toString(8).padStart(11, "0"), 124, "latin1");
  header.write(`${checksum(header).toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}

/** null for any block that `tarHeader` did not write, down to the last bit. */
export function readTarHeader(block: Buffer): TarEntry | null {
  const name = block.toString("latin1", 0, NAME_BYTES).replace(/\0+$/, "");
  const digits = block.toString("latin1", 124, 135);
  if (!/^[!-~]+$/.test(name) || !/^[0-7]{11}$/.test(digits)) return null;
  const entry = { name, size: Number.parseInt(digits, 8) };
  return tarHeader(entry).equals(block) ? entry : null;
}

/** Number of zero bytes after the content of an entry. */
export function paddingAfter(size: number): number {
  return (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES;
}

/** Mode, owner, group, time, type and magic; the checksum field counts as spaces while the checksum is computed. */
const FIXED: readonly (readonly [at: number, text: string])[] = [
  [100, "0000644\0"],
  [108, "0000000\0"],
  [116, "0000000\0"],
  [136, "00000000000\0"],
  [148, "        "],
  [156, "0"],
  [257, "ustar\x0000"],
];

function checksum(header: Buffer): number {
  return header.reduce((sum, byte) => sum + byte, 0);
}
