// Brings in the skills of a package. Each comes whole or not at all, and none of them stands in the way of the threads.
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { AccountSkillFile, AccountSkills } from './account-parts.ts';
import { SKILLS } from './package-format.ts';
import type { PackageReader } from './package-reader.ts';
import { parsePackageJson, refusedPackage } from './package-text.ts';

export interface ImportedSkills {
  readonly added: readonly string[];
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
}

const MAX_BYTES = 1_048_576;
const MAX_OFF = 2_000;
const SKILL_PATH = /^(?:public|custom)\/[a-z0-9-]{1,64}$/;
const switchesSchema = z.object({ off: z.array(z.string().regex(SKILL_PATH)).max(MAX_OFF) });

/** Which skills are off, as the package says. Throws `validation_failed`. */
export async function switchesIn(reader: PackageReader): Promise<readonly string[]> {
  const entry = reader.entries.find(({ place }) => place.kind === 'skills');
  if (entry === undefined) return [];
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of reader.read(entry)) {
    size += piece.length;
    if (size > MAX_BYTES) throw refusedPackage(`${SKILLS} is larger than a megabyte.`);
    pieces.push(piece);
  }
  const parsed = switchesSchema.safeParse(await parsePackageJson(Buffer.concat(pieces), SKILLS));
  if (!parsed.success) throw refusedPackage(`${SKILLS} does not list skills that are off.`);
  return parsed.data.off;
}

/** Reads every file of a skill to its end. Throws `validation_failed` for one that is damaged. */
export async function checkSkills(reader: PackageReader): Promise<void> {
  for (const entry of reader.entries) {
    if (entry.place.kind !== 'skill') continue;
    for await (const _ of reader.read(entry));
  }
}

interface SkillImport {
  readonly skills: AccountSkills;
  readonly userId: string;
  readonly off: readonly string[];
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Skills that the person has already, and those that are refused, are left out; what is off is off then. Never rejects: the
 * threads of the package are there already, and a second try would bring them in twice.
 */
export async function importSkills(
  reader: PackageReader,
  { skills, userId, off, log }: SkillImport,
): Promise<ImportedSkills> {
  const failed = (name: string, sentence: string) => (err: unknown) => {
    if (err instanceof ServiceError) return err.detail;
    log.warn({ err, skill: name }, 'an import skipped a skill');
    return sentence;
  };
  const files = reader.entries.flatMap((entry): AccountSkillFile[] =>
    entry.place.kind === 'skill'
      ? [{ skill: entry.place.name, names: entry.place.names, read: () => reader.read(entry) }]
      : [],
  );
  const added: string[] = [];
  const leftOut: { name: string; reason: string }[] = [];
  for (const [name, own] of Map.groupBy(files, ({ skill }) => skill)) {
    const bringing = skills.bringIn(userId, name, own);
    const reason = await bringing.catch(
      failed(name, 'The service failed to write it; install it separately.'),
    );
    if (reason === undefined) added.push(name);
    else leftOut.push({ name, reason });
  }
  for (const path of off) {
    if (path.startsWith('custom/') && !added.includes(path.slice('custom/'.length))) continue;
    const switching = skills.switchOff(userId, path).then(() => undefined);
    const reason = await switching.catch(failed(path, 'It could not be switched off.'));
    if (reason !== undefined) leftOut.push({ name: path, reason });
  }
  return { added, leftOut };
}
