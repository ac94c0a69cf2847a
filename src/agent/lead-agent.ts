// The lead agent: which tools and which middleware, in which order. Nowhere else.
import type { Log } from '../log.ts';
import type { Model } from '../models/model.ts';
import type { Tool } from '../tools/tool.ts';
import { VIEW_IMAGE } from '../tools/view-image.ts';
import type { ImageStore } from '../workspace/images/image-store.ts';
import type { UploadsFolder } from '../workspace/uploads/uploads-folder.ts';
import type { Agent, AgentFactory, AgentOrder, RunOptions } from './agent.ts';
import { createAgent } from './agent-loop.ts';
import type { AgentOptions } from './agent-options.ts';
import type { CallBudget } from './call-budget.ts';
import type { DelegatingTool } from './delegating-tool.ts';
import { createApprovalsMiddleware } from './middleware/approvals.ts';
import { createCompactionMiddleware } from './middleware/compaction.ts';
import { createForgedMarksMiddleware } from './middleware/forged-marks.ts';
import { createTitleMiddleware, type TitleParts } from './middleware/title.ts';
import { createUploadsMiddleware } from './middleware/uploads.ts';
import {
  createImageMessages,
  createViewedImagesMiddleware,
  type ImageMessages,
} from './middleware/viewed-images.ts';
import type { Middleware } from './middleware.ts';
import { subagentPrompt, systemPrompt } from './system-prompt.ts';
import { createTaskTool, SUBAGENT } from './task-tool.ts';
import { createTitleWriter } from './title-writer.ts';
import type { SourceParts, ToolSource } from './tool-source.ts';
import type { ToolCallLimits } from './tool-step.ts';

/** The models that a run may choose from. */
interface ModelChoice {
  readonly default: Model;
  get(name: string): Model | undefined;
  list(): readonly { readonly name: string }[];
}

export interface LeadAgentParts {
  readonly models: ModelChoice;
  readonly tools: readonly Tool[];
  /** What a user has beside them. */
  readonly sources: readonly ToolSource[];
  /** Absent: nothing is said of uploads. */
  readonly uploads?: UploadsFolder;
  /** Absent: images are not shown. */
  readonly images?: ImageStore;
  readonly options: Pick<
    AgentOptions,
    'instructions' | 'approvals' | 'compaction' | 'subagents' | 'tool_calls'
  >;
  /** Writes summaries of long threads instead of the model of the run. */
  readonly summaryModel: Model | undefined;
  /** Writes better titles than the question's own words. */
  readonly titleModel: Model | undefined;
  /** A title that came after the run had ended. */
  readonly onLateTitle: NonNullable<TitleParts['onLate']>;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
}

export const LEAD_AGENT = 'lead_agent';
export const LEAD_AGENT_DESCRIPTION = 'Answers, uses tools, and works with the files of its thread.';

/** A sub-agent can do what the lead agent can, but has nothing of its own to ask or to show the person. */
const ONLY_LEAD: ReadonlySet<string> = new Set(['ask_clarification', 'present_files']);

/** Makes the lead agent for a run, with the model that the run asks for. */
export function createLeadAgentFactory(parts: LeadAgentParts): AgentFactory {
  const { now, newId } = parts;
  const imageMessages = createImageMessages();
  const forgedMarks = createForgedMarksMiddleware();
  const { instructions } = parts.options;
  return async (order) => {
    const { assistantId, options: choices, budget } = order;
    if (assistantId !== LEAD_AGENT) return { problem: `There is no agent named '${assistantId}'.` };
    const model = chosenModel(parts, choices);
    if (model === undefined) return { problem: unknownModel(parts, choices) };
    const given = await sourceParts(parts, order);
    const tools = withoutTwins([...toolsFor(model, parts), ...given.flatMap((it) => it.tools)]);
    const run: RunParts = { ...parts, tools, given, model, choices, budget, imageMessages, forgedMarks };
    return createAgent({
      caller: 'lead_agent',
      model,
      tools: [...tools, ...taskTools(run, 1)],
      toolCalls: toolCallLimits(parts.options),
      middleware: [
        createTitleMiddleware(titleParts(run)),
        ...everyAgents(run, (it) => it.middleware),
        ...leadUploads(parts),
      ],
      systemPrompt: () => systemPrompt({ now: now(), instructions, sources: given.map((it) => it.prompt) }),
      budget,
      now,
      newId,
    });
  };
}

function toolCallLimits({ tool_calls }: LeadAgentParts['options']): ToolCallLimits {
  return { atOnce: tool_calls.at_once, most: tool_calls.max };
}

/** What all agents of one run have in common. */
interface RunParts extends LeadAgentParts {
  readonly given: readonly SourceParts[];
  readonly model: Model;
  readonly choices: RunOptions;
  readonly budget: CallBudget | undefined;
  readonly imageMessages: ImageMessages;
  readonly forgedMarks: Middleware;
}

/** What a model is not offered, it cannot call in vain. */
function toolsFor({ info }: Model, { tools }: LeadAgentParts): readonly Tool[] {
  return info.supportsVision ? tools : tools.filter(({ name }) => name !== VIEW_IMAGE);
}

/** In the order of the sources. One that fails is missing, and nothing else. */
function sourceParts(
  { sources, log }: LeadAgentParts,
  { userId, threadId, signal }: AgentOrder,
): Promise<readonly SourceParts[]> {
  return Promise.all(
    sources.map(async (source) => {
      try {
        return await source.forRun({ userId, threadId, signal });
      } catch (err) {
        log.error(
          { err, threadId, source: source.name },
          'a source of tools failed; the run goes on without it',
        );
        return NOTHING_GIVEN;
      }
    }),
  );
}

const NOTHING_GIVEN: SourceParts = { tools: [], prompt: '', middleware: [] };

/** The first of each name: what a user adds does not take the place of what the service has. */
function withoutTwins(tools: readonly Tool[]): readonly Tool[] {
  const byName = new Map(tools.toReversed().map((tool) => [tool.name, tool]));
  return tools.filter((tool) => byName.get(tool.name) === tool);
}

function titleParts({ titleModel, onLateTitle, budget, now, newId }: RunParts): TitleParts {
  if (titleModel === undefined) return {};
  return { write: createTitleWriter(titleModel, { now, newId, budget }), onLate: onLateTitle };
}

/** Behind what shortens the prompt: a notice goes with a message that is shown. */
function leadUploads({ uploads }: LeadAgentParts): readonly Middleware[] {
  return uploads === undefined ? [] : [createUploadsMiddleware(uploads)];
}

/** What holds for sub-agents as well, with what the sources give to this agent. */
function everyAgents(
  parts: RunParts,
  givenTo: (source: SourceParts) => readonly Middleware[],
): readonly Middleware[] {
  const {
    model,
    summaryModel: writer = model,
    given,
    images,
    imageMessages,
    forgedMarks,
    budget,
    now,
    newId,
  } = parts;
  const { approvals, compaction: options } = parts.options;
  const compaction = createCompactionMiddleware({ model, writer, options, budget, now, newId });
  return [
    // Before what the service adds to a prompt.
    forgedMarks,
    ...(options.enabled ? [compaction] : []),
    // Nobody is asked about a call that a source refuses.
    ...given.flatMap(givenTo),
    createApprovalsMiddleware(approvals),
    ...(model.info.supportsVision && images !== undefined
      ? [createViewedImagesMiddleware({ images, messages: imageMessages })]
      : []),
  ];
}

/** The tool with which an agent gives tasks to sub-agents of this depth; none when there are no deeper ones. */
function taskTools(parts: RunParts, depth: number): readonly DelegatingTool[] {
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

function subagent(parts: RunParts, depth: number): Agent {
  const { model, tools, given, budget, now, newId } = parts;
  const { instructions } = parts.options;
  return createAgent({
    caller: `subagent:${SUBAGENT}`,
    model,
    tools: [...tools.filter(({ name }) => !ONLY_LEAD.has(name)), ...taskTools(parts, depth + 1)],
    toolCalls: toolCallLimits(parts.options),
    middleware: everyAgents(parts, (it) => it.subagentMiddleware ?? it.middleware),
    budget,
    systemPrompt: () => subagentPrompt({ now: now(), instructions, sources: given.map((it) => it.prompt) }),
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
