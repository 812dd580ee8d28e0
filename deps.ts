/**
 * The platform interface, and the only dependency: there are no packages.
 *
 * The types say what is needed of a runtime; `loadPlatform` picks the adapter that has it.
 */

export type {
  ByteChannel,
  ByteEvents,
  DirectoryEntry,
  FileStatus,
  FileSystem,
  OpenFile,
  Platform,
  Watch,
} from "./lib/platform/platform.ts";
export { loadPlatform } from "./lib/platform/load.ts";
