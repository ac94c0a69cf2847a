// The lead agent: which tools and which middleware, in which order. Nowhere else.
import type { Model } from '../models/model.ts';
import type { Tool } from '../tools/tool.ts';
import type { Agent, AgentFactory, RunOptions } from './agent.ts';
import { createAgent } from './agent-loop.ts';
import type { AgentOptions } from './agent-options.ts';
import type { DelegatingTool } from './delegating-tool.ts';
import { createApprovalsMiddleware } from './middleware/approvals.ts';
import { createCompactionMiddleware } from './middleware/compaction.ts';
import { createTitleMiddleware, type TitleParts } from './middleware/title.ts';
import type { HookContext, Middleware } from './middleware.ts';
import { subagentPrompt, systemPrompt } from './system-prompt.ts';
import { createTaskTool, SUBAGENT } from './task-tool.ts';
import { createTitleWriter } from './title-writer.ts';

/** The models that a run may choose from. */
interface ModelChoice {
  readonly default: Model;
  get(name: string): Model | undefined;
  list(): readonly { readonly name: string }[];
}

export interface LeadAgentParts {
  readonly models: ModelChoice;
  readonly tools: readonly Tool[];
  readonly options: Pick<AgentOptions, 'instructions' | 'approvals' | 'compaction' | 'subagents'>;
  /** Writes summaries of long threads instead of the model of the run. */
  readonly summaryModel: Model | undefined;
  /** Writes better titles than the question's own words. */
  readonly titleModel: Model | undefined;
  /** A title that came after the run had ended. */
  readonly onLateTitle: (context: HookContext, title: string) => void;
  readonly now: () => number;
  readonly newId: () => string;
}

export const LEAD_AGENT = 'lead_agent';
export const LEAD_AGENT_DESCRIPTION = 'Answers, uses tools, and works with the files of its thread.';

/** A sub-agent can do what the lead agent can, but has no question of its own for the person. */
const ONLY_LEAD: ReadonlySet<string> = new Set(['ask_clarification']);

/** Makes the lead agent for a run, with the model that the run asks for. */
export function createLeadAgentFactory(parts: LeadAgentParts): AgentFactory {
  const { now, newId, tools, titleModel, onLateTitle } = parts;
  const { instructions } = parts.options;
  const write = titleModel === undefined ? undefined : createTitleWriter(titleModel, { now, newId });
  const title: TitleParts = write === undefined ? {} : { write, onLate: onLateTitle };
  return (assistantId, choices) => {
    if (assistantId !== LEAD_AGENT) return { problem: `There is no agent named '${assistantId}'.` };
    const model = chosenModel(parts, choices);
    if (model === undefined) return { problem: unknownModel(parts, choices) };
    return createAgent({
      caller: 'lead_agent',
      model,
      tools: [...tools, ...taskTools({ ...parts, model, choices }, 1)],
      middleware: [createTitleMiddleware(title), ...everyAgents(parts, model)],
      systemPrompt: () => systemPrompt({ now: now(), instructions }),
      now,
      newId,
    });
  };
}

/** What holds for sub-agents as well. */
function everyAgents(parts: LeadAgentParts, model: Model): readonly Middleware[] {
  const { summaryModel: writer = model, now, newId } = parts;
  const { approvals, compaction: options } = parts.options;
  const approval = createApprovalsMiddleware(approvals);
  return options.enabled
    ? [createCompactionMiddleware({ model, writer, options, now, newId }), approval]
    : [approval];
}

interface SubagentParts extends LeadAgentParts {
  readonly model: Model;
  readonly choices: RunOptions;
}

/** The tool with which an agent gives tasks to sub-agents of this depth; none when there are no deeper ones. */
function taskTools(parts: SubagentParts, depth: number): readonly DelegatingTool[] {
  const { choices, newId } = parts;
  const { subagents } = parts.options;
  if (!(choices.subagents ?? subagents.enabled) || depth > subagents.max_depth) return [];
  const limits = { recursionLimit: subagents.recursion_limit, interruptBefore: [], interruptAfter: [] };
  return [
    createTaskTool({
      createAgent: () => subagent(parts, depth),
      options: { ...choices, ...limits },
      maxConcurrent: subagents.max_concurrent,
      timeoutMs: subagents.timeout_seconds * 1_000,
      newId,
    }),
  ];
}

function subagent(parts: SubagentParts, depth: number): Agent {
  const { model, tools, now, newId } = parts;
  const { instructions } = parts.options;
  return createAgent({
    caller: `subagent:${SUBAGENT}`,
    model,
    tools: [...tools.filter(({ name }) => !ONLY_LEAD.has(name)), ...taskTools(parts, depth + 1)],
    middleware: everyAgents(parts, model),
    systemPrompt: () => subagentPrompt({ now: now(), instructions }),
    now,
    newId,
  });
}

function chosenModel({ models }: LeadAgentParts, { modelName }: RunOptions): Model | undefined {
  return modelName === undefined ? models.default : models.get(modelName);
}

function unknownModel({ models }: LeadAgentParts, { modelName }: RunOptions): string {
  return `There is no model named '${modelName}'. The models of this service are: ${models
    .list()
    .map(({ name }) => name)
    .join(', ')}.`;
}
