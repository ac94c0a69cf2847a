// Imports the parts of an account that a package has line by line: agents, their memory, and schedules.
import { createBreath } from '../breath.ts';
import { ServiceError } from '../errors.ts';
import type { Log } from '../log.ts';
import {
  type ArrivingLine,
  LINE_PARTS,
  type LinePart,
  type LineParts,
  type LineTarget,
} from '../storage/account-packages.ts';
import { linesEntry } from './package-format.ts';
import type { PackageReader } from './package-reader.ts';
import { parsePackageJson, readLines, refusedPackage } from './package-text.ts';

export interface ImportedLines {
  readonly added: readonly { readonly name: string; readonly count: number }[];
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
}

/** Agents and schedules by name, each counted once; memory by agent, with the number of facts. */
export type ImportedParts = Readonly<Record<LinePart, ImportedLines>>;

/** Size of the largest agent, memory or schedule, including all escapes. */
const MAX_LINE_BYTES = 8_388_608;
const MAX_VALUES = 20_000;

/** Throws `validation_failed` for a damaged line, and for too many lines. */
export async function checkLines(reader: PackageReader, lines: LineParts): Promise<void> {
  for (const part of LINE_PARTS) for await (const _ of linesIn(reader, lines, part));
}

interface LinesImport {
  readonly lines: LineParts;
  readonly target: LineTarget;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Adds the lines. What the person has stays as it is, and omitted lines are reported. Never rejects, because
 * the threads of the package exist already, and a second attempt would import them twice.
 */
export async function importLines(reader: PackageReader, importing: LinesImport): Promise<ImportedParts> {
  return {
    agents: await importPart(reader, importing, 'agents'),
    memory: await importPart(reader, importing, 'memory'),
    schedules: await importPart(reader, importing, 'schedules'),
  };
}

async function importPart(
  reader: PackageReader,
  { lines, target, log }: LinesImport,
  part: LinePart,
): Promise<ImportedLines> {
  const added: { name: string; count: number }[] = [];
  const leftOut: { name: string; reason: string }[] = [];
  const failed = (name: string) => (err: unknown) => {
    if (!(err instanceof ServiceError)) log.warn({ err, kind: part }, 'an import skipped an entry');
    const reason = err instanceof ServiceError ? err.detail : 'The service failed to write it.';
    leftOut.push({ name, reason });
  };
  try {
    for await (const { name, bringIn } of linesIn(reader, lines, part)) {
      const arrived = await bringIn(target).catch(failed(name));
      if (arrived === undefined) continue;
      if (arrived.added > 0) added.push({ name, count: arrived.added });
      leftOut.push(...arrived.leftOut.map((reason) => ({ name, reason })));
    }
  } catch (err) {
    failed(part)(err);
  }
  return { added, leftOut };
}

async function* linesIn(
  reader: PackageReader,
  lines: LineParts,
  part: LinePart,
): AsyncGenerator<ArrivingLine> {
  const file = reader.entries.find(({ name }) => name === linesEntry(part));
  if (file === undefined) return;
  const { maxLines, read } = lines[part];
  const breath = createBreath();
  for await (const { bytes, number, where } of readLines(file, MAX_LINE_BYTES)) {
    if (number > maxLines) throw refusedPackage(`${file.name} has more than ${maxLines} lines.`);
    const line = read(await parsePackageJson(bytes, where, MAX_VALUES));
    if (typeof line === 'string') throw refusedPackage(`${where}: ${line}`);
    yield line;
    await breath();
  }
}
