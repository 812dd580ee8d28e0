/** How messages name the folders that are served. */

import type { Platform } from "../platform/platform.ts";
import type { Folders } from "./folders.ts";
import { count } from "../base/text.ts";
import { NAME_A_FOLDER } from "./folders.ts";
import { folderPaths } from "./paths.ts";

export function foldersText(folders: Folders): string {
  if (folders.isSample) return `the sample documents that come with Architrave (${NAME_A_FOLDER})`;
  return folderPaths(folders).join(", ");
}

/** What is served: "12 documents from docs/adr". */
export function servedText(folders: Folders, documents: number): string {
  const text = foldersText(folders);
  return folders.isSample ? text : `${count(documents, "document")} from ${text}`;
}

/** Tells people that they see the sample; undefined for other folders. */
export function sampleNote(folders: Folders): string | undefined {
  return folders.isSample ? `These are ${foldersText(folders)}.` : undefined;
}

export function noteSample(platform: Platform, folders: Folders): void {
  const note = sampleNote(folders);
  if (note !== undefined) platform.print("error", `architrave: ${note}\n`);
}
