// The sub-agents of one run: the task tool of an agent, and the agents behind it.
import { allowsTool } from '../agents/tool-groups.ts';
import type { Agent, BackgroundOrder, SetUpProblem } from './agent.ts';
import { createAgent } from './agent-loop.ts';
import type { SubagentType } from './agent-options.ts';
import type { DelegatingTool } from './delegating-tool.ts';
import { everyAgents, type RunParts, toolCallLimits, toolsFor } from './run-parts.ts';
import { createTaskTool, SUBAGENT, type SubagentKind } from './task-tool.ts';
import type { SourceParts } from './tool-source.ts';

/** A sub-agent can do what the lead agent can, but does not ask or show the person anything. */
const ONLY_LEAD: ReadonlySet<string> = new Set(['ask_clarification', 'present_files']);

/** Returns the tool that gives tasks to sub-agents of this depth; none when they are not allowed. */
export function taskTools(parts: RunParts, depth: number): readonly DelegatingTool[] {
  const { choices, profile, newId, taskSpecs } = parts;
  if (!allowsTool(profile?.toolGroups ?? null, 'task')) return [];
  const { subagents } = parts.options;
  if (!(choices.subagents ?? subagents.enabled) || depth > subagents.max_depth) return [];
  // Tasks of a sub-agent end with it.
  const background = depth === 1 ? parts.background : undefined;
  const spec = background === undefined ? taskSpecs.plain : taskSpecs.withBackground;
  const { max_concurrent: maxConcurrent } = subagents;
  const kindNamed = (name: string) => kindOf(parts, depth, name);
  return [createTaskTool({ spec, kindOf: kindNamed, maxConcurrent, background, newId })];
}

/** Returns the agent of a background task. It works as a sub-agent of the run that gave the task. */
export function backgroundAgent(parts: RunParts, { subagent: name }: BackgroundOrder): Agent | SetUpProblem {
  const kind = kindOf(parts, 1, name);
  if (kind === undefined) return { problem: `The sub-agent '${name}' no longer exists.` };
  const { options, timeoutMs } = kind;
  const agent = kind.createAgent();
  return {
    async run(input, emit) {
      const signal = AbortSignal.any([input.signal, AbortSignal.timeout(timeoutMs)]);
      const stop = await agent.run({ ...input, options, signal }, emit);
      const isLate = stop.kind === 'aborted' && !input.signal.aborted;
      return isLate
        ? { kind: 'timeout', message: `The task did not finish within ${timeoutMs / 1_000} seconds.` }
        : stop;
    },
  };
}

function kindOf(parts: RunParts, depth: number, name: string): SubagentKind | undefined {
  const { subagents } = parts.options;
  const type = Object.hasOwn(subagents.types, name) ? subagents.types[name] : undefined;
  if (type === undefined && name !== SUBAGENT) return undefined;
  return {
    createAgent: () => subagent(parts, depth, { name, type }),
    options: {
      ...parts.choices,
      recursionLimit: type?.max_steps ?? subagents.recursion_limit,
      interruptBefore: [],
      interruptAfter: [],
    },
    timeoutMs: (type?.timeout_seconds ?? subagents.timeout_seconds) * 1_000,
  };
}

interface Kind {
  readonly name: string;
  /** Absent: `general-purpose`. */
  readonly type: SubagentType | undefined;
}

function subagent(run: RunParts, depth: number, { name: kind, type }: Kind): Agent {
  // The service checked at its start that the model exists.
  const model = (type?.model === undefined ? undefined : run.models.get(type.model)) ?? run.model;
  const parts = { ...run, model };
  const { given, budget, prompts, now, newId } = parts;
  const { instructions } = parts.options;
  const own = toolsFor(model, parts).filter(({ name }) => !ONLY_LEAD.has(name));
  const all = [...own, ...taskTools(parts, depth + 1)];
  const allowed = type?.tools && new Set(type.tools);
  return createAgent({
    caller: `subagent:${kind}`,
    model,
    tools: allowed === undefined ? all : all.filter(({ name }) => allowed.has(name)),
    toolCalls: toolCallLimits(parts.options, model),
    middleware: everyAgents(parts, (it) => givenTo(it, type).middleware),
    budget,
    systemPrompt: () => {
      const sources = given.map((it) => givenTo(it, type).prompt);
      return prompts.subagent({ now: now(), instructions, sources, kind: type?.prompt });
    },
    now,
    newId,
  });
}

function givenTo(
  {
    prompt,
    middleware,
    subagentPrompt: ownPrompt = prompt,
    subagentMiddleware = middleware,
    withSkills,
  }: SourceParts,
  type: SubagentType | undefined,
): Pick<SourceParts, 'prompt' | 'middleware'> {
  if (type?.skills !== undefined && withSkills !== undefined) return withSkills(type.skills);
  return { prompt: ownPrompt, middleware: subagentMiddleware };
}
