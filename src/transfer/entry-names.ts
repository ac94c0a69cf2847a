// Classifies the names of entries. A name that no package of this service has refuses the package. Pure.
import { LINE_PARTS } from '../storage/account-packages.ts';
import { linesEntry, MANIFEST, PROFILE, SKILLS, STORE, USAGE } from './package-format.ts';
import { refusedPackage } from './package-text.ts';

export type EntryPlace =
  /** A file that a package has at most once. */
  | { readonly kind: 'single' }
  /** `names` is the path below the folder of the skill. */
  | { readonly kind: 'skill'; readonly name: string; readonly names: readonly string[] }
  | { readonly kind: 'thread'; readonly threadId: string }
  /** `names` is the path from the area on: `outputs`, `report.md`. */
  | { readonly kind: 'file'; readonly threadId: string; readonly names: readonly string[] };

const SINGLE = new Set<string>([MANIFEST, PROFILE, USAGE, STORE, SKILLS, ...LINE_PARTS.map(linesEntry)]);
const THREAD = /^threads\/([A-Za-z0-9_-]{1,64})\.jsonl$/;
const FILE = /^files\/([A-Za-z0-9_-]{1,64})\/((?:workspace|uploads|outputs)\/.+)$/s;
const SKILL = /^skills\/([a-z0-9-]{1,64})\/(.+)$/s;
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
const CONTROL = /\p{Cc}/u;

/** Returns what the entry is. Throws `validation_failed` with a sentence for an unsafe or unknown name. */
export function placeOf(name: string): EntryPlace {
  refuseUnsafe(name);
  if (SINGLE.has(name)) return { kind: 'single' };
  const threadId = THREAD.exec(name)?.[1];
  if (threadId !== undefined) return { kind: 'thread', threadId };
  const [, owner, path] = FILE.exec(name) ?? [];
  if (owner !== undefined && path !== undefined)
    return { kind: 'file', threadId: owner, names: path.split('/') };
  const [, skill, inside] = SKILL.exec(name) ?? [];
  if (skill !== undefined && inside !== undefined)
    return { kind: 'skill', name: skill, names: inside.split('/') };
  throw refusedPackage(`The package contains ${shown(name)}, which no package of this service has.`);
}

function refuseUnsafe(name: string): void {
  const reason = whatIsUnsafe(name);
  if (reason !== undefined) throw refusedPackage(`The package contains the name ${shown(name)}, ${reason}.`);
}

function whatIsUnsafe(name: string): string | undefined {
  if (name.includes('\\')) return 'which has a backslash';
  if (CONTROL.test(name) || !name.isWellFormed()) return 'which has control characters';
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) return 'which is an absolute path';
  if (name.normalize('NFC') !== name) return 'which is not in Unicode normal form C';
  return name
    .split('/')
    .map(whatIsUnsafeInPart)
    .find((reason) => reason !== undefined);
}

function whatIsUnsafeInPart(part: string): string | undefined {
  if (part === '' || part === '.' || part === '..') return 'which has "//", "." or ".." in it';
  if (DEVICE.test(part)) return 'which is the name of a device on some systems';
  return Buffer.byteLength(part) > 255 ? 'a part of which is longer than 255 bytes' : undefined;
}

/** Shortens and escapes the name for a sentence. */
function shown(name: string): string {
  return JSON.stringify(name.toWellFormed().slice(0, 120));
}
