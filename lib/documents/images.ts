/** The images next to documents: which file a link names, and whether it may be shown. */

import type { FileSystem } from "../platform/platform.ts";
import type { Document } from "./document.ts";
import { attempt } from "../base/text.ts";
import { isHiddenIn, isInside, MAX_DOCUMENT_BYTES, readInside } from "./files.ts";
import { decode, followPath, hasFileNames } from "./uri.ts";

/** The media types of images, by the ending of their files. */
const TYPES: ReadonlyMap<string, string> = new Map(Object.entries({
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  svg: "image/svg+xml",
}));

/** The media type of an image by the name of its file; undefined for other files. */
export const imageType = (name: string): string | undefined =>
  TYPES.get(/\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "");

/** The path of a link to a file, relative to the document; undefined for other links. */
export function filePath(target: string): string | undefined {
  const path = target.replace(/[?#][^]*$/, "");
  return path === "" || /^(?:[a-z][a-z0-9+.-]*:|[/\\])/i.test(path) ? undefined : path;
}

/** An image that may be shown. */
export interface ImageFile {
  /** Its path in the spelling of keys, with its ending: "adr/img/flow.png". */
  readonly address: string;
  /** The path of the file. It is never sent to clients. */
  readonly path: string;
  readonly type: string;
  /** Its bytes; undefined when it can no longer be read. */
  read(): Uint8Array | undefined;
}

/**
 * The image that a link in a document names: a file in the folder of the document, not hidden, of at most 10 MiB. Links that lead out
 * are not followed. Undefined for anything else. Needs read permission.
 */
export function findImage(files: FileSystem, document: Document, target: string): ImageFile | undefined {
  const { key, path, within } = document, link = filePath(target);
  const address = link !== undefined && imageType(link) !== undefined ? followPath(key, link) : undefined;
  if (address === undefined || !hasFileNames(address)) return undefined;
  const from = key.split("/").slice(0, -1), to = address.split("/");
  const ends = to.findIndex((name, index) => index === to.length - 1 || name !== from[index]);
  const folder = path.split("/").slice(0, -1 - (from.length - ends));
  const file = [...folder, ...to.slice(ends).map(decode)].join("/");
  return attempt(() => {
    const { kind, size } = files.status(file), real = files.realPath(file);
    const isShown = kind === "file" && size <= MAX_DOCUMENT_BYTES &&
      isInside(real, within, files.separator) && !isHiddenIn(real, within, files.separator);
    const read = () => readInside(files, file, within, MAX_DOCUMENT_BYTES)?.bytes;
    return isShown ? { address, path: file, type: imageType(address)!, read } : undefined;
  });
}
