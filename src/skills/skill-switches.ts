// Which skills are off: for one person, or the public ones for everybody.
import { join } from 'node:path';
import { z } from 'zod';
import { unavailable } from '../errors.ts';
import { insideDataHome } from '../workspace/folder.ts';
import { DRAFTS } from '../workspace/paths.ts';
import { type DraftAt, replacePlainFile } from '../workspace/plain-file.ts';
import { fileStamp } from './file-stamp.ts';
import { readText } from './read-text.ts';
import { STATE_FILE } from './skill-places.ts';

export interface SkillSwitches {
  /** `public/x`, `custom/y`; the same set when nothing changed. Throws `unavailable` when the file is damaged. */
  off(): Promise<ReadonlySet<string>>;
  /** To be called by one at a time. */
  set(path: string, isOn: boolean): Promise<void>;
}

interface SkillSwitchesParts {
  readonly dataHome: string;
  /** The components of the folder with the file. */
  readonly names: readonly string[];
  readonly diskUse: DraftAt['diskUse'];
  readonly newId: () => string;
}

const MAX_BYTES = 262_144;
const stateSchema = z.object({ off: z.array(z.string().max(128)) });
const NOTHING: ReadonlySet<string> = new Set();

export function createSkillSwitches({ dataHome, names, diskUse, newId }: SkillSwitchesParts): SkillSwitches {
  const path = join(dataHome, ...names, STATE_FILE);
  let known: { readonly stamp: string; readonly off: ReadonlySet<string> } | undefined;
  const off = async (): Promise<ReadonlySet<string>> => {
    const stamp = fileStamp(path);
    if (stamp === undefined) return NOTHING;
    if (known?.stamp === stamp) return known.off;
    const text = await insideDataHome(dataHome, { names, create: false }, (folder) =>
      readText({ folder, name: STATE_FILE, maxBytes: MAX_BYTES }),
    ).catch(damaged);
    known = { stamp, off: parse(text) };
    return known.off;
  };
  return {
    off,
    async set(skill, isOn) {
      const now = new Set(await off());
      if (now.has(skill) !== isOn) return;
      if (isOn) now.delete(skill);
      else now.add(skill);
      const text = `${JSON.stringify({ off: [...now].toSorted() })}\n`;
      await insideDataHome(dataHome, { names: [DRAFTS], create: true }, (drafts) =>
        insideDataHome(dataHome, { names, create: true }, (folder) =>
          replacePlainFile({ folder, name: STATE_FILE, shownAs: STATE_FILE }, text, {
            drafts,
            name: newId(),
            diskUse,
          }),
        ),
      );
    },
  };
}

function parse(text: string): ReadonlySet<string> {
  try {
    return new Set(stateSchema.parse(JSON.parse(text)).off);
  } catch (cause) {
    return damaged(cause);
  }
}

/** What is not known to be on must not be taken for it. */
function damaged(cause: unknown): never {
  throw unavailable(
    'What skills are off cannot be read: skills/state.json has to be mended or removed.',
    cause,
  );
}
