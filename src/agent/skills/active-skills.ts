// Which skills an agent works with in the current turn, from the messages and values of its state. Pure.
import { ServiceError } from '../../errors.ts';
import type { AiMessage, Message, ToolCall } from '../../messages/message.ts';
import type { ThreadState } from '../../messages/thread-state.ts';
import type { EnabledSkill } from '../../skills/enabled-skill.ts';
import { SKILLS_ROOT, virtualSkillFolder } from '../../skills/skill-folders.ts';
import { parsePathBelow } from '../../workspace/paths.ts';
import { isFromPerson } from '../compaction/thread-view.ts';
import { activationsIn, commandIn } from './activations.ts';

const QUESTION_TOOL = 'ask_clarification';
const READ_TOOL = 'read_file';

export function skillFile(skill: Pick<EnabledSkill, 'category' | 'name'>): string {
  return `${virtualSkillFolder(skill)}/SKILL.md`;
}

/** Returns those of `skills` that the person activated in this turn, or whose SKILL.md was read in it. */
export function activeSkills(state: ThreadState, skills: readonly EnabledSkill[]): readonly EnabledSkill[] {
  if (skills.length === 0) return [];
  const paths = pathsIn(state);
  return skills.filter((skill) => paths.has(skillFile(skill)));
}

/** Whether any skill is active. Works even when it is not known which skills there are. */
export function hasActiveSkill(state: ThreadState): boolean {
  return [...pathsIn(state)].some((path) => SKILL_FILE.test(path));
}

const SKILL_FILE = /\/SKILL\.md$/;

function pathsIn({ messages, values }: ThreadState): ReadonlySet<string> {
  const turn = messages.slice(turnBegin(messages));
  const activations = activationsIn(values);
  const activated = turn.filter(isFromPerson).flatMap((message) => {
    const command = commandIn(message);
    return activations.filter(({ name, message_id }) => message_id === message.id && name === command);
  });
  return new Set([...activated.map(({ path }) => path), ...readPaths(turn)]);
}

/** Returns where the turn begins. An answer to a question of the agent continues the turn. */
function turnBegin(messages: readonly Message[]): number {
  let begin = messages.findLastIndex(isFromPerson);
  while (begin > 0 && isReply(messages, begin)) {
    const earlier = messages.slice(0, begin).findLastIndex(isFromPerson);
    if (earlier === -1) break;
    begin = earlier;
  }
  return Math.max(begin, 0);
}

function isReply(messages: readonly Message[], index: number): boolean {
  for (let at = index - 1; at >= 0; at--) {
    const message = messages[at];
    if (message?.type !== 'tool') return false;
    if (message.name === QUESTION_TOOL && message.status === 'success') return true;
  }
  return false;
}

function readPaths(turn: readonly Message[]): readonly string[] {
  const done = new Set(
    turn.flatMap((it) => (it.type === 'tool' && it.status === 'success' ? [it.tool_call_id] : [])),
  );
  return turn
    .filter((message): message is AiMessage => message.type === 'ai')
    .flatMap(({ tool_calls }) => tool_calls)
    .filter(({ id, name }) => name === READ_TOOL && done.has(id))
    .flatMap((call) => skillPathOf(call) ?? []);
}

/** Returns the path that a call names, when it is below the folders of skills. */
export function skillPathOf({ args }: ToolCall): string | undefined {
  if (typeof args.path !== 'string') return undefined;
  try {
    return parsePathBelow(SKILLS_ROOT, args.path)?.text;
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
