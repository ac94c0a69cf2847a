// Imports the parts of an account that a package has line by line: agents, their memory, and schedules.
import { createBreath } from '../breath.ts';
import { ServiceError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { AccountLines, ArrivingLine, LineTarget } from './account-parts.ts';
import type { PackageReader } from './package-reader.ts';
import { parsePackageJson, readLines, refusedPackage } from './package-text.ts';

export interface ImportedLines {
  readonly added: readonly { readonly name: string; readonly count: number }[];
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
}

type LinesKind = 'agents' | 'memory' | 'schedules';

export interface LinesFile {
  readonly kind: LinesKind;
  readonly reader: PackageReader;
  readonly account: AccountLines;
}

/** Size of the largest agent, memory or schedule, including all escapes. */
const MAX_LINE_BYTES = 8_388_608;
const MAX_VALUES = 20_000;

/** Throws `validation_failed` for a damaged line, and for too many lines. */
export async function checkLines(file: LinesFile): Promise<void> {
  for await (const _ of linesIn(file));
}

/**
 * Adds the lines. What the person has stays as it is, and omitted lines are reported. Never rejects, because
 * the threads of the package exist already, and a second attempt would import them twice.
 */
export async function importLines(
  file: LinesFile,
  { log, ...target }: LineTarget & { readonly log: Pick<Log, 'warn'> },
): Promise<ImportedLines> {
  const added: { name: string; count: number }[] = [];
  const leftOut: { name: string; reason: string }[] = [];
  const failed = (name: string) => (err: unknown) => {
    if (!(err instanceof ServiceError)) log.warn({ err, kind: file.kind }, 'an import skipped an entry');
    const reason = err instanceof ServiceError ? err.detail : 'The service failed to write it.';
    leftOut.push({ name, reason });
  };
  try {
    for await (const { name, bringIn } of linesIn(file)) {
      const arrived = await bringIn(target).catch(failed(name));
      if (arrived === undefined) continue;
      if (arrived.added > 0) added.push({ name, count: arrived.added });
      leftOut.push(...arrived.leftOut.map((reason) => ({ name, reason })));
    }
  } catch (err) {
    failed(file.kind)(err);
  }
  return { added, leftOut };
}

async function* linesIn({ kind, reader, account }: LinesFile): AsyncGenerator<ArrivingLine> {
  const entry = reader.entries.find(({ place }) => place.kind === kind);
  if (entry === undefined) return;
  const breath = createBreath();
  let number = 0;
  for await (const line of readLines(reader.read(entry), { name: entry.name, maxBytes: MAX_LINE_BYTES })) {
    number += 1;
    if (number > account.maxLines)
      throw refusedPackage(`${entry.name} has more than ${account.maxLines} lines.`);
    const where = `${entry.name}, line ${number}`;
    const read = account.read(await parsePackageJson(line, where, MAX_VALUES));
    if (typeof read === 'string') throw refusedPackage(`${where}: ${read}`);
    yield read;
    await breath();
  }
}
