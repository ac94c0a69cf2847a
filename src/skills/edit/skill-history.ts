// What was changed in the custom skills of a person: a line each, the last hundred of a skill.
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import { insideDataHome } from '../../workspace/folder.ts';
import { DRAFTS } from '../../workspace/paths.ts';
import { replacePlainFile } from '../../workspace/plain-file.ts';
import type { DiskUseOfUser } from '../../workspace/quota/disk-use.ts';
import { isAbsence } from '../../workspace/workspace-failure.ts';
import { readText } from '../read-text.ts';
import { skillPlaces } from '../skill-places.ts';

const findingSchema = z.object({
  rule: z.string(),
  severity: z.enum(['info', 'warning', 'critical']),
  file: z.string(),
  line: z.number().nullable(),
  message: z.string(),
});
const recordSchema = z.object({
  /** From 0; the same one however many are forgotten. */
  index: z.int(),
  action: z.enum(['create', 'edit', 'patch', 'delete', 'write_file', 'remove_file', 'rollback']),
  author: z.enum(['agent', 'human']),
  /** Epoch milliseconds. */
  at: z.number(),
  /** Of an agent. */
  threadId: z.string().nullable(),
  filePath: z.string(),
  /** `null` when there was none, or no text; and none is there any more. */
  previous: z.string().nullable(),
  next: z.string().nullable(),
  findings: z.array(findingSchema),
});

export type SkillChange = z.output<typeof recordSchema>;
export type SkillAction = SkillChange['action'];

export interface SkillHistory {
  /**
   * Oldest first; empty for a skill that was never changed. Throws what the file system says: a history that cannot be
   * read is none to write over.
   */
  list(userId: string, name: string): Promise<readonly SkillChange[]>;
  /** To be called by one at a time. */
  append(userId: string, name: string, change: Omit<SkillChange, 'index'>): Promise<void>;
}

interface SkillHistoryParts {
  readonly dataHome: string;
  readonly diskUseOfUser: DiskUseOfUser;
  readonly newId: () => string;
}

const MAX_CHANGES = 100;
const MAX_BYTES = 2 * 1_048_576;
/** A change may be longer than all that is kept: it alone is kept then. */
const MAX_READ_BYTES = 8 * 1_048_576;

export function createSkillHistory({ dataHome, diskUseOfUser, newId }: SkillHistoryParts): SkillHistory {
  const linesOf = async (userId: string, name: string): Promise<readonly string[]> => {
    const { history } = skillPlaces(userId);
    try {
      const text = await insideDataHome(dataHome, { names: history, create: false }, (folder) =>
        readText({ folder, name: fileOf(name), maxBytes: MAX_READ_BYTES }),
      );
      return text.split('\n').filter((line) => line !== '');
    } catch (error) {
      if (isAbsence(error) || error instanceof ServiceError) return [];
      throw error;
    }
  };
  return {
    list: async (userId, name) => (await linesOf(userId, name)).flatMap(parseLine),
    async append(userId, name, change) {
      const before = await linesOf(userId, name);
      const index = (lastIndex(before) ?? -1) + 1;
      const lines = lastOf([...before, JSON.stringify({ ...change, index })]);
      const diskUse = diskUseOfUser(userId);
      // Who has too much already must be able to take something away.
      const admit = change.next === null ? async () => {} : diskUse.admit;
      const { history } = skillPlaces(userId);
      await insideDataHome(dataHome, { names: [DRAFTS], create: true }, (drafts) =>
        insideDataHome(dataHome, { names: history, create: true }, (folder) =>
          replacePlainFile(
            { folder, name: fileOf(name), shownAs: 'the history of the skill' },
            `${lines.join('\n')}\n`,
            { drafts, name: newId(), diskUse: { admit, added: diskUse.added } },
          ),
        ),
      );
    },
  };
}

export function fileOf(skill: string): string {
  return `${skill}.jsonl`;
}

function parseLine(line: string): SkillChange[] {
  try {
    return [recordSchema.parse(JSON.parse(line))];
  } catch {
    // A line that somebody else wrote.
    return [];
  }
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
