// Skills in a run: the model reads those that the person activates, and calls that they exclude are refused.
import type { ToolCall } from '../../messages/message.ts';
import type { ThreadState } from '../../messages/thread-state.ts';
import type { EnabledSkill } from '../../skills/enabled-skill.ts';
import { newQuestion } from '../compaction/thread-view.ts';
import { type Middleware, refusing, type ToolReview } from '../middleware.ts';
import { activationsIn, commandIn, withActivation, withSkillNotices } from '../skills/activations.ts';
import { activeSkills, hasActiveSkill, skillFile } from '../skills/active-skills.ts';
import { ALWAYS_ALLOWED, refusalOf, type ToolLimits, toolLimits } from '../skills/tool-limits.ts';

interface SkillsMiddlewareParts {
  /** The skills of the run's user, as they were when the run began. */
  readonly skills: readonly EnabledSkill[];
  /** Returns the SKILL.md at this virtual path; `undefined` when it cannot be read. */
  readonly textAt: (path: string) => Promise<string | undefined>;
}

interface SkillsMiddleware {
  readonly lead: Middleware;
  /** Cannot activate skills. Has the limits of the lead agent, and those of skills that it read itself. */
  readonly subagent: Middleware;
  /** For a sub-agent that works with these skills alone. */
  readonly subagentWith: (skills: readonly EnabledSkill[]) => Middleware;
}

/** Made once per run. Everything is known from the state, so a run that is taken over continues as before. */
export function createSkillsMiddleware({ skills, textAt }: SkillsMiddlewareParts): SkillsMiddleware {
  const isEnabled = (path: string) => skills.some((skill) => skillFile(skill) === path);
  const texts = new Map<string, string>();
  // Set by the step whose calls start the sub-agents.
  let leadLimits: ToolLimits | undefined;
  const subagentWith = (own: readonly EnabledSkill[]): Middleware => ({
    name: 'skills',
    reviewTools: async (calls, { state }) =>
      reviewed(calls, [leadLimits, toolLimits(activeSkills(state, own))]),
  });
  return {
    lead: {
      name: 'skills',
      async beforeModel({ state }) {
        const values = newActivation(state, skills);
        const activations = activationsIn({ ...state.values, ...values });
        for (const { path } of activations) {
          const text = !texts.has(path) && isEnabled(path) ? await textAt(path) : undefined;
          if (text !== undefined) texts.set(path, text);
        }
        return values && { delta: { messages: [], values } };
      },
      shapeRequest(request, { values }) {
        const activations = activationsIn(values);
        if (activations.length === 0) return request;
        return { ...request, messages: withSkillNotices(request.messages, activations, texts) };
      },
      async reviewTools(calls, { state }) {
        leadLimits = toolLimits(activeSkills(state, skills));
        return reviewed(calls, [leadLimits]);
      },
    },
    subagent: subagentWith(skills),
    subagentWith,
  };
}

function newActivation(state: ThreadState, skills: readonly EnabledSkill[]) {
  const question = newQuestion(state);
  const command = question && commandIn(question);
  const skill = command === undefined ? undefined : skills.find(({ name }) => name === command);
  if (question === undefined || skill === undefined) return undefined;
  const path = skillFile(skill);
  const isKnown = activationsIn(state.values).some((it) => it.message_id === question.id && it.path === path);
  if (isKnown) return undefined;
  return withActivation(state.values, { name: skill.name, path, message_id: question.id });
}

function reviewed(calls: readonly ToolCall[], limits: readonly (ToolLimits | undefined)[]): ToolReview {
  return refusing(calls, (call) => limits.flatMap((it) => (it && refusalOf(call, it)) ?? [])[0]);
}

/** For a run whose skills cannot be listed: while any skill is active, only the basic tools are allowed. */
export function createUnknownSkillsMiddleware(): Pick<SkillsMiddleware, 'lead' | 'subagent'> {
  // Set by the step whose calls start the sub-agents.
  let isLeadHeld = false;
  return {
    lead: {
      name: 'skills',
      async reviewTools(calls, { state }) {
        isLeadHeld = hasActiveSkill(state);
        return heldBack(calls, isLeadHeld);
      },
    },
    subagent: {
      name: 'skills',
      reviewTools: async (calls, { state }) => heldBack(calls, isLeadHeld || hasActiveSkill(state)),
    },
  };
}

function heldBack(calls: readonly ToolCall[], isHeld: boolean): ToolReview {
  return refusing(calls, (call) => (isHeld && !ALWAYS_ALLOWED.has(call.name) ? refusal(call) : undefined));
}

function refusal({ name }: ToolCall): string {
  return (
    `Error: ${name} was not run: the skills cannot be read at the moment, so it is not known what the skill that you work with allows. ` +
    'Tell the person that an administrator needs to check the skills.'
  );
}
