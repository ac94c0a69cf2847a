// Exports a person's custom skills with an account, and imports them into another.
import { invalid, ServiceError } from '../../errors.ts';
import type { AccountSkillFile, AccountSkills } from '../../storage/account-packages.ts';
import { insideDataHome, openChildFile } from '../../workspace/folder.ts';
import { ifReadable } from '../../workspace/workspace-failure.ts';
import { recordSkillAct, type SkillEditing } from '../edit/skill-editing.ts';
import { withStaging } from '../place-skill.ts';
import { readText } from '../read-text.ts';
import { isBlocking } from '../scan/finding.ts';
import { scanSkill } from '../scan/scan-skill.ts';
import { filesIn } from '../skill-detail.ts';
import { MAX_TEXT_BYTES, parseSkillText, SKILL_FILE } from '../skill-text.ts';
import { packageLayout } from './package-layout.ts';
import { placePackage } from './place-package.ts';
import { createCounter, MAX_UNPACKED_BYTES, writePackageFile } from './unpack-package.ts';

const MAX_FILES = 2_000;

export function createSkillTransfer(parts: SkillEditing): AccountSkills {
  const { catalog, switches } = parts;
  return {
    async *files(userId) {
      for (const { category, name, place } of await catalog.list(userId)) {
        if (category !== 'custom') continue;
        const { root, names } = place;
        const found = insideDataHome(root, { names, create: false }, (folder) => filesIn(folder, []));
        const files = (await ifReadable(found)) ?? [];
        for (const path of files.map((file) => file.path).toSorted()) {
          const inside = path.split('/');
          yield { skill: name, names: inside, read: () => readFile(root, [...names, ...inside]) };
        }
      }
    },
    off: async (userId) => (await switches.off(userId)).own,
    async bringIn(userId, name, files) {
      try {
        await bringIn(parts, { userId, name, files });
        return undefined;
      } catch (error) {
        if (error instanceof ServiceError && REFUSALS.has(error.code)) return error.detail;
        throw error;
      }
    },
    async switchOff(userId, path) {
      const [category, name = ''] = path.split('/');
      // A package may list thousands of names, and rows of nonexistent skills would never be removed.
      if (category === 'custom' || (await catalog.hasPublic(name))) await switches.set(userId, path, false);
    },
  };
}

const REFUSALS: ReadonlySet<string> = new Set([
  'invalid',
  'conflict',
  'payload_too_large',
  'insufficient_storage',
]);

interface Arriving {
  readonly userId: string;
  readonly name: string;
  readonly files: readonly AccountSkillFile[];
}

/** Works like installing a package, except that critical findings of the scan cannot be confirmed. */
function bringIn(parts: SkillEditing, { userId, name, files }: Arriving): Promise<void> {
  if (files.length > MAX_FILES) throw invalid(`The skill has more than ${MAX_FILES} files.`);
  const layout = packageLayout(files.map(({ names, read }) => ({ fileName: names.join('/'), read })));
  return withStaging(parts, async ({ folder, path }) => {
    const counter = createCounter(MAX_UNPACKED_BYTES);
    const written: { path: string; size: number }[] = [];
    for (const { entry, names } of layout.files) {
      const size = await writePackageFile(folder, { names, pieces: entry.read() }, counter);
      written.push({ path: names.join('/'), size });
    }
    const { head } = parseSkillText(await readText({ folder, name: SKILL_FILE, maxBytes: MAX_TEXT_BYTES }));
    if (head.name !== name) throw invalid(`The skill is named '${head.name}' in its ${SKILL_FILE}.`);
    if (isBlocking(await scanSkill(folder, written)))
      throw invalid('The scan found something critical in the skill. Install it separately to see what.');
    await placePackage(parts, { userId, name, from: path, files: written });
    const details = { change: 'import', skill: `custom/${name}` };
    await recordSkillAct(parts, { userId, clientIp: null }, { details });
  });
}

/** Yields nothing when the file has disappeared. */
async function* readFile(root: string, path: readonly string[]): AsyncGenerator<Uint8Array> {
  const at = { names: path.slice(0, -1), create: false };
  const opening = insideDataHome(root, at, (folder) => openChildFile(folder, path.at(-1) ?? ''));
  const opened = await ifReadable(opening);
  if (opened === undefined) return;
  try {
    if (opened.stats.isFile()) yield* opened.handle.createReadStream({ autoClose: false });
  } finally {
    await opened.handle.close();
  }
}
