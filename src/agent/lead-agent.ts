// The lead agent: which tools and which middleware, in which order. Nowhere else.
import type { Model } from '../models/model.ts';
import type { Tool } from '../tools/tool.ts';
import type { AgentFactory, RunOptions } from './agent.ts';
import { createAgent } from './agent-loop.ts';
import type { CompactionOptions } from './compaction/compaction-options.ts';
import { type Approvals, createApprovalsMiddleware } from './middleware/approvals.ts';
import { createCompactionMiddleware } from './middleware/compaction.ts';
import { createTitleMiddleware, type TitleParts } from './middleware/title.ts';
import type { HookContext, Middleware } from './middleware.ts';
import { systemPrompt } from './system-prompt.ts';
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
  readonly instructions: string;
  readonly approvals: Approvals;
  readonly compaction: CompactionOptions;
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

/** Makes the lead agent for a run, with the model that the run asks for. */
export function createLeadAgentFactory(parts: LeadAgentParts): AgentFactory {
  const { now, newId, tools, instructions, approvals, titleModel, onLateTitle } = parts;
  const write = titleModel === undefined ? undefined : createTitleWriter(titleModel, { now, newId });
  const title: TitleParts = write === undefined ? {} : { write, onLate: onLateTitle };
  return (assistantId, options) => {
    if (assistantId !== LEAD_AGENT) return { problem: `There is no agent named '${assistantId}'.` };
    const model = chosenModel(parts, options);
    if (model === undefined) return { problem: unknownModel(parts, options) };
    return createAgent({
      model,
      tools,
      middleware: [
        createTitleMiddleware(title),
        ...compaction(parts, model),
        createApprovalsMiddleware(approvals),
      ],
      systemPrompt: () => systemPrompt({ now: now(), instructions }),
      now,
      newId,
    });
  };
}

function compaction(parts: LeadAgentParts, model: Model): readonly Middleware[] {
  const { compaction: options, summaryModel: writer = model, now, newId } = parts;
  return options.enabled ? [createCompactionMiddleware({ model, writer, options, now, newId })] : [];
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
