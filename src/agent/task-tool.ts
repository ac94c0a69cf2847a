// The `task` tool: hands a piece of work to a sub-agent and brings its answer back.
import { z } from 'zod';
import { createFairShare, type FairShare } from '../fair-share/fair-share.ts';
import { failure, inputSchemaOf, type ToolOutcome } from '../tools/tool.ts';
import type { Agent, RunOptions } from './agent.ts';
import type { DelegatingTool, Delegation, DelegationContext } from './delegating-tool.ts';
import { runSubagent, type SubagentWork } from './subagent.ts';

export interface TaskToolParts {
  /** A new one for each task: what its middleware remembers is its own. */
  readonly createAgent: () => Agent;
  readonly options: RunOptions;
  /** Sub-agents of one agent that work at the same time; further calls wait for their turn. */
  readonly maxConcurrent: number;
  readonly timeoutMs: number;
  readonly newId: () => string;
}

/** The one kind of sub-agent there is. */
export const SUBAGENT = 'general-purpose';

const MAX_PROMPT_CHARACTERS = 100_000;

const input = z.object({
  description: z.string().trim().min(1).max(200).describe('What the task is, in three to eight words'),
  prompt: z
    .string()
    .trim()
    .min(1)
    .max(MAX_PROMPT_CHARACTERS)
    .describe('Everything the sub-agent has to know: it sees nothing of this conversation'),
  subagent_type: z.enum([SUBAGENT]).describe('Which sub-agent does it'),
});

/** There is one kind only: a call that does not name it is no mistake. */
const accepted = input.extend({ subagent_type: z.enum([SUBAGENT]).nullish() });

/** Made once: every run has a tool of its own. */
const SPEC = {
  name: 'task',
  description:
    'Hands a task of several steps to a sub-agent, which works on its own with the same files and answers once. ' +
    'Use it for work that is large and can be described completely, several at once for parts that do not depend ' +
    'on each other. Do small things yourself.',
  effect: 'idempotent',
  inputSchema: inputSchemaOf(input),
} as const;

/** One for each run: the sub-agents that work at the same time are counted here. */
export function createTaskTool(parts: TaskToolParts): DelegatingTool {
  const { maxConcurrent } = parts;
  const places = createFairShare({
    total: maxConcurrent,
    perOwner: maxConcurrent,
    // Calls of an answer are limited already, and each works for as long as it may.
    waitingPerOwner: Number.POSITIVE_INFINITY,
    longestWaitMs: Number.POSITIVE_INFINITY,
  });
  return {
    ...SPEC,
    delegate: (args) => {
      const parsed = accepted.safeParse(args);
      if (!parsed.success) return { ok: false, problem: z.prettifyError(parsed.error) };
      const { description, prompt } = parsed.data;
      return { ok: true, run: (context) => delegation({ parts, places, description, prompt }, context) };
    },
  };
}

interface Task {
  readonly parts: TaskToolParts;
  readonly places: FairShare;
  readonly description: string;
  readonly prompt: string;
}

async function* delegation(
  { parts, places, description, prompt }: Task,
  context: DelegationContext,
): Delegation {
  const turn = await places.take(context.userId, context.signal);
  if (turn.kind !== 'given') return failure(CANCELLED);
  try {
    const { createAgent, options, timeoutMs, newId } = parts;
    const limit = { options, timeoutMs };
    const task = { agent: createAgent(), name: SUBAGENT, description, prompt, limit, newId };
    return toolOutcome(yield* runSubagent(task, context));
  } finally {
    turn.release();
  }
}

const CANCELLED = 'Error: the run was cancelled before the sub-agent had finished.';

function toolOutcome({ status, text, steps }: SubagentWork): ToolOutcome {
  const artifact = { subagent: { type: SUBAGENT, status, steps } };
  switch (status) {
    case 'completed':
      return { kind: 'result', content: text, artifact };
    case 'failed':
      return failure(`Error: the sub-agent failed: ${text}`, artifact);
    case 'timed_out':
      return failure(`Error: the sub-agent was stopped: ${text}`, artifact);
    case 'cancelled':
      return failure(CANCELLED, artifact);
    default:
      return status satisfies never;
  }
}
