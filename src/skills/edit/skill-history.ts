// The changes of a person's custom skills, one line each. Keeps the last hundred of a skill.
import { z } from 'zod';
import { conflict, ServiceError } from '../../errors.ts';
import { jsonIn } from '../../json/unknown-json.ts';
import { insideDataHome } from '../../workspace/folder.ts';
import { replacePlainFile } from '../../workspace/plain-file.ts';
import type { DiskUseOfUser } from '../../workspace/quota/disk-use.ts';
import { isAbsence } from '../../workspace/workspace-failure.ts';
import { readText } from '../read-text.ts';
import { findingSchema } from '../scan/finding.ts';
import { skillPlaces } from '../skill-places.ts';

const recordSchema = z.object({
  /** From 0. Does not change when older entries are dropped. */
  index: z.int(),
  action: z.enum(['create', 'edit', 'patch', 'delete', 'write_file', 'remove_file', 'rollback']),
  author: z.enum(['agent', 'human']),
  /** Epoch milliseconds. */
  at: z.number(),
  /** The thread of the agent. */
  threadId: z.string().nullable(),
  filePath: z.string(),
  /** `null` when there was no file or it was not text. `next` is `null` when the change removed the file. */
  previous: z.string().nullable(),
  next: z.string().nullable(),
  findings: z.array(findingSchema),
});

export type SkillChange = z.output<typeof recordSchema>;
export type SkillAction = SkillChange['action'];

export type SkillHistory = ReturnType<typeof createSkillHistory>;

interface SkillHistoryParts {
  readonly dataHome: string;
  readonly diskUseOfUser: DiskUseOfUser;
  readonly newId: () => string;
}

const MAX_CHANGES = 100;
const MAX_BYTES = 2 * 1_048_576;
/** A single change can be longer than `MAX_BYTES`. It is then the only one kept. */
const MAX_READ_BYTES = 8 * 1_048_576;

export function createSkillHistory({ dataHome, diskUseOfUser, newId }: SkillHistoryParts) {
  const linesOf = async (userId: string, name: string): Promise<readonly string[]> => {
    const { history } = skillPlaces(userId);
    try {
      const text = await insideDataHome(dataHome, { names: history, create: false }, (folder) =>
        readText({ folder, name: fileOf(name), maxBytes: MAX_READ_BYTES }),
      );
      return text.split('\n').filter((line) => line !== '');
    } catch (error) {
      if (isAbsence(error)) return [];
      if (error instanceof ServiceError)
        throw conflict(
          `The history of this skill cannot be read: ${error.message} The skill can be changed again after an administrator has moved this file out of the history folder.`,
        );
      throw error;
    }
  };
  return {
    /**
     * Oldest first; empty for a skill that was never changed. Throws when the history cannot be read, so that it
     * is not overwritten: `conflict` for a file that is too large or not text, and errors of the file system.
     */
    list: async (userId: string, name: string): Promise<readonly SkillChange[]> =>
      (await linesOf(userId, name)).flatMap(parseLine),
    /** Not safe for concurrent calls. */
    async append(userId: string, name: string, change: Omit<SkillChange, 'index'>): Promise<void> {
      const before = await linesOf(userId, name);
      const index = (lastIndex(before) ?? -1) + 1;
      const lines = lastOf([...before, JSON.stringify({ ...change, index })]);
      const diskUse = diskUseOfUser(userId);
      // A person who is over the limit must still be able to remove files.
      const admit = change.next === null ? async () => {} : diskUse.admit;
      const { history } = skillPlaces(userId);
      await insideDataHome(dataHome, { names: history, create: true }, (folder) =>
        replacePlainFile(
          { folder, name: fileOf(name), shownAs: 'the history of the skill' },
          `${lines.join('\n')}\n`,
          { dataHome, newId, diskUse: { admit, added: diskUse.added } },
        ),
      );
    },
  };
}

export function fileOf(skill: string): string {
  return `${skill}.jsonl`;
}

/** Returns nothing for a line that this process did not write. */
function parseLine(line: string): SkillChange[] {
  const { data } = recordSchema.safeParse(jsonIn(line));
  return data === undefined ? [] : [data];
}

function lastIndex(lines: readonly string[]): number | undefined {
  for (const line of lines.toReversed()) {
    const [change] = parseLine(line);
    if (change !== undefined) return change.index;
  }
  return undefined;
}

function lastOf(lines: readonly string[]): readonly string[] {
  let bytes = 0;
  let from = lines.length;
  while (from > 0 && lines.length - from < MAX_CHANGES) {
    bytes += Buffer.byteLength(lines[from - 1] ?? '');
    if (bytes > MAX_BYTES && from < lines.length) break;
    from -= 1;
  }
  return lines.slice(from);
}
