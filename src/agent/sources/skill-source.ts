// The skills of a run: a list in the prompt, the activated skills, and what they allow.
import { allowsTool } from '../../agents/tool-groups.ts';
import { ServiceError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { oncePerObject } from '../../messages/once-per-object.ts';
import type { EnabledSkill, EnabledSkillsOf } from '../../skills/enabled-skill.ts';
import type { Tool } from '../../tools/tool.ts';
import type { ReadOnlyFolders } from '../../workspace/read-only/read-only-folders.ts';
import { readReadOnly } from '../../workspace/read-only/with-read-only-folders.ts';
import { createSkillsMiddleware, createUnknownSkillsMiddleware } from '../middleware/skills.ts';
import { skillsPrompt } from '../skills/skills-prompt.ts';
import type { ToolSource } from '../tool-source.ts';

interface SkillSourceParts {
  readonly skillsOf: EnabledSkillsOf;
  readonly folders: ReadOnlyFolders;
  /** Tools that every run has, whatever its skills. */
  readonly tools: readonly Tool[];
  readonly log: Pick<Log, 'error'>;
}

/** As much as `read_file` shows of a file. */
const MAX_CHARACTERS = 50_000;

export function createSkillSource(parts: SkillSourceParts): ToolSource {
  const { skillsOf, folders, tools: ownTools, log } = parts;
  const promptOf = oncePerObject(skillsPrompt);
  return {
    name: 'skills',
    async forRun({ userId, threadId, profile }) {
      const tools = ownTools.filter(({ name }) => allowsTool(profile?.toolGroups ?? null, name));
      const enabled = await skillsOf(userId).catch((err: unknown) => {
        log.error({ err, threadId }, 'skills cannot be listed; the run continues without them');
        return undefined;
      });
      if (enabled === undefined) {
        const { lead, subagent } = createUnknownSkillsMiddleware();
        return { tools, prompt: '', middleware: [lead], subagentMiddleware: [subagent] };
      }
      const skills = chosen(enabled, profile?.skills ?? null);
      const textAt = (path: string) => skillText(folders, userId, path);
      const { lead, subagent, subagentWith } = createSkillsMiddleware({ skills, textAt });
      const withSkills = (names: readonly string[]) => {
        const own = chosen(skills, names);
        return { prompt: promptOf(own), middleware: [subagentWith(own)] };
      };
      return {
        tools,
        prompt: promptOf(skills),
        middleware: [lead],
        subagentMiddleware: [subagent],
        withSkills,
      };
    },
  };
}

/** Returns the skills with these names; the same list for `null`. */
function chosen(skills: readonly EnabledSkill[], names: readonly string[] | null): readonly EnabledSkill[] {
  return names === null ? skills : skills.filter(({ name }) => names.includes(name));
}

/** Returns `undefined` for a skill that was removed since; the run does not fail. */
async function skillText(
  folders: ReadOnlyFolders,
  userId: string,
  path: string,
): Promise<string | undefined> {
  try {
    const slice = await readReadOnly(folders, { userId, path }, { maxCharacters: MAX_CHARACTERS });
    if (slice?.kind !== 'text') return undefined;
    return slice.cut ? `${slice.text}\n... [truncated: read the rest of ${path} with read_file]` : slice.text;
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
