// Which skills are disabled, for one person or, if public, for everyone.
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { unavailable } from '../errors.ts';
import type { SkillsOff } from '../storage/skill-states.ts';
import type { Storage } from '../storage/storage.ts';
import { insideDataHome } from '../workspace/folder.ts';
import { isFileSystemError } from '../workspace/workspace-failure.ts';
import { fileStamp } from './file-stamp.ts';
import { readText } from './read-text.ts';
import { SHARED_SKILLS, STATE_FILE, skillPlaces } from './skill-places.ts';

export type SkillSwitches = ReturnType<typeof createSkillSwitches>;

interface SkillSwitchesParts {
  readonly dataHome: string;
  readonly storage: Pick<Storage, 'as' | 'sharedSkillSwitches'>;
}

/** Users who are less active than this many others are read again. */
const REMEMBERED = 1_000;
const MAX_BYTES = 262_144;
const stateSchema = z.object({ off: z.array(z.string().max(128)) });

/** Paths: `public/x`, `custom/y`. All methods throw `unavailable` while an old release's file is damaged. */
export function createSkillSwitches({ dataHome, storage }: SkillSwitchesParts) {
  const statesOf = (userId: string) => storage.as(userId).skillStates;
  const shared = createAdoption(dataHome, SHARED_SKILLS, (path) =>
    storage.sharedSkillSwitches.set(path, false),
  );
  const adoptions = new LRUCache<string, () => Promise<void>>({
    max: REMEMBERED,
    memoMethod: (userId) =>
      createAdoption(dataHome, skillPlaces(userId).all, (path) => statesOf(userId).set(path, false)),
  });
  const adopted = async (userId: string): Promise<void> => {
    await shared();
    await adoptions.memo(userId)();
  };
  return {
    async off(userId: string): Promise<SkillsOff> {
      await adopted(userId);
      return statesOf(userId).off();
    },
    /** As `off`, but ahead of the disk: for runs. */
    async offForRuns(userId: string): Promise<SkillsOff> {
      await adopted(userId);
      return storage.as(userId).ahead.skillStates.off();
    },
    async set(userId: string, path: string, isOn: boolean): Promise<void> {
      await adopted(userId);
      await statesOf(userId).set(path, isOn);
    },
    async setForAll(path: string, isOn: boolean): Promise<void> {
      await shared();
      await storage.sharedSkillSwitches.set(path, isOn);
    },
  };
}

/** Earlier releases kept the list in a file. The first use imports and removes it. */
function createAdoption(
  dataHome: string,
  names: readonly string[],
  switchOff: (path: string) => Promise<void>,
): () => Promise<void> {
  let isDone = false;
  return async () => {
    if (isDone) return;
    if (fileStamp(join(dataHome, ...names, STATE_FILE)) !== undefined) {
      await insideDataHome(dataHome, { names, create: false }, async (folder) => {
        const text = await readText({ folder, name: STATE_FILE, maxBytes: MAX_BYTES }).catch(damaged);
        for (const path of parse(text)) await switchOff(path);
        await unlink(folder.at(STATE_FILE));
      }).catch((error: unknown) => {
        // Another process has imported it.
        if (!isFileSystemError(error, 'ENOENT')) throw error;
      });
    }
    isDone = true;
  };
}

function parse(text: string): readonly string[] {
  try {
    return stateSchema.parse(JSON.parse(text)).off;
  } catch (cause) {
    return damaged(cause);
  }
}

/** A skill whose switch is unknown must not count as enabled. */
function damaged(cause: unknown): never {
  if (isFileSystemError(cause, 'ENOENT')) throw cause;
  throw unavailable('The list of disabled skills cannot be read: repair or remove skills/state.json.', cause);
}
