// Skills in a run for which they cannot be listed: what limits an active one sets is not known, so nothing is allowed.
import type { ToolCall } from '../../messages/message.ts';
import type { Middleware, ToolReview } from '../middleware.ts';
import { hasActiveSkill } from '../skills/active-skills.ts';
import { ALWAYS_ALLOWED } from '../skills/tool-limits.ts';

interface UnknownSkillsMiddleware {
  readonly lead: Middleware;
  readonly subagent: Middleware;
}

/** For one run. Turns in which no skill is active are left alone. */
export function createUnknownSkillsMiddleware(): UnknownSkillsMiddleware {
  // Set by the step whose calls sub-agents are.
  let isLeadHeld = false;
  return {
    lead: {
      name: 'skills',
      async reviewTools(calls, { state }) {
        isLeadHeld = hasActiveSkill(state);
        return reviewed(calls, isLeadHeld);
      },
    },
    subagent: {
      name: 'skills',
      reviewTools: async (calls, { state }) => reviewed(calls, isLeadHeld || hasActiveSkill(state)),
    },
  };
}

function reviewed(calls: readonly ToolCall[], isHeld: boolean): ToolReview {
  if (!isHeld) return { calls, refused: [] };
  const isAllowed = ({ name }: ToolCall) => ALWAYS_ALLOWED.has(name);
  return {
    calls: calls.filter(isAllowed),
    refused: calls.filter((call) => !isAllowed(call)).map((call) => ({ call, message: refusal(call) })),
  };
}

function refusal({ name }: ToolCall): string {
  return (
    `Error: ${name} was not run: the skills cannot be read at the moment, so it is not known what the skill that you work with allows. ` +
    'Tell the person that an administrator has to look at the skills.'
  );
}
