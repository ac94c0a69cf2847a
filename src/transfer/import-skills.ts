// Imports the skills of a package. Each is added whole or not at all, and no failure affects the threads.
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { atMost } from '../at-most.ts';
import { ServiceError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { AccountSkillFile, AccountSkills } from '../storage/account-packages.ts';
import type { ImportedLines } from './import-lines.ts';
import { SKILLS } from './package-format.ts';
import type { PackageReader } from './package-reader.ts';
import { parsePackageJson, refusedPackage } from './package-text.ts';

export interface ImportedSkills extends Pick<ImportedLines, 'leftOut'> {
  readonly added: readonly string[];
}

const MAX_BYTES = 1_048_576;
const MAX_OFF = 2_000;
const SKILL_PATH = /^(?:public|custom)\/[a-z0-9-]{1,64}$/;
const switchesSchema = z.object({ off: z.array(z.string().regex(SKILL_PATH)).max(MAX_OFF) });

/** Returns the skills that are off in the package. Throws `validation_failed`. */
export async function switchesIn(reader: PackageReader): Promise<readonly string[]> {
  const entry = reader.entries.find(({ name }) => name === SKILLS);
  if (entry === undefined) return [];
  const tooLarge = () => refusedPackage(`${SKILLS} is larger than 1 MB.`);
  const bytes = await buffer(atMost(entry.read(), MAX_BYTES, tooLarge));
  const parsed = switchesSchema.safeParse(await parsePackageJson(bytes, SKILLS));
  if (!parsed.success) throw refusedPackage(`${SKILLS} is not a list of disabled skills.`);
  return parsed.data.off;
}

/** Reads every file of a skill to its end. Throws `validation_failed` for a damaged file. */
export async function checkSkills(reader: PackageReader): Promise<void> {
  for (const { read } of skillFiles(reader)) for await (const _ of read());
}

function skillFiles({ entries }: PackageReader): readonly AccountSkillFile[] {
  return entries.flatMap(({ place, read }) =>
    place.kind === 'skill' ? [{ skill: place.name, names: place.names, read }] : [],
  );
}

interface SkillImport {
  readonly skills: AccountSkills;
  readonly userId: string;
  readonly off: readonly string[];
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Adds the skills and switches off those that are off in the package. Omits skills that the person has
 * already, and refused ones. Never rejects, because the threads of the package exist already, and a second
 * attempt would import them twice.
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
  const added: string[] = [];
  const leftOut: { name: string; reason: string }[] = [];
  for (const [name, own] of Map.groupBy(skillFiles(reader), ({ skill }) => skill)) {
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
