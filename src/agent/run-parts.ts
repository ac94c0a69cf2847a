// What the lead agent and the sub-agents of one run share: their tools, and their middleware in order.
import type { AgentProfile, AgentProfileOf } from '../agents/agents.ts';
import { allowsTool } from '../agents/tool-groups.ts';
import type { Log } from '../log.ts';
import type { Model } from '../models/model.ts';
import type { Tool } from '../tools/tool.ts';
import { VIEW_IMAGE } from '../tools/view-image.ts';
import type { ImageStore } from '../workspace/images/image-store.ts';
import type { UploadsFolder } from '../workspace/uploads/uploads-folder.ts';
import type { RunOptions } from './agent.ts';
import type { AgentOptions } from './agent-options.ts';
import type { CallBudget } from './call-budget.ts';
import type { ToolCallLimits } from './execute-tools.ts';
import { createApprovalsMiddleware } from './middleware/approvals.ts';
import { createCompactionMiddleware } from './middleware/compaction.ts';
import type { GoalParts } from './middleware/goal.ts';
import { createLoopsMiddleware } from './middleware/loops.ts';
import type { TitleParts } from './middleware/title.ts';
import { createViewedImagesMiddleware, type ImageMessages } from './middleware/viewed-images.ts';
import type { Middleware } from './middleware.ts';
import type { SystemPrompts } from './system-prompt.ts';
import type { BackgroundLimits, TaskSpec } from './task-tool.ts';
import type { SourceParts, ToolSource } from './tool-source.ts';

export interface ModelChoice {
  /** Returns the default model when there is no name. */
  get(name: string | undefined): Model | undefined;
  list(): readonly { readonly name: string }[];
}

export interface LeadAgentParts {
  readonly models: ModelChoice;
  readonly tools: readonly Tool[];
  /** Sources of what a user has besides these tools. */
  readonly sources: readonly ToolSource[];
  /** Finds agents that people define. Absent: there are none. */
  readonly profileOf?: AgentProfileOf;
  /** Absent: the prompt does not mention uploads. */
  readonly uploads?: UploadsFolder;
  /** Absent: images are not shown. */
  readonly images?: ImageStore;
  readonly options: Pick<
    AgentOptions,
    'instructions' | 'approvals' | 'compaction' | 'loops' | 'subagents' | 'tool_calls'
  >;
  /** Writes summaries of long threads instead of the model of the run. */
  readonly summaryModel: Model | undefined;
  /** Judges goals instead of the model of the run. */
  readonly goalModel: Model | undefined;
  /** Whether a message of the person is waiting for the run to end. */
  readonly isAwaited: GoalParts['isAwaited'];
  /** The background tasks of a thread whose results are not reported yet. */
  readonly openTasks: BackgroundLimits['openIds'];
  /** Writes better titles than the question's own words. */
  readonly titleModel: Model | undefined;
  /** Receives a title that came after the run had ended. */
  readonly onLateTitle: NonNullable<TitleParts['onLate']>;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
}

/** With this share, even the newest results, which a compaction cannot shorten, fit the model. */
const SHARE_OF_WINDOW = 0.25;
const CHARACTERS_PER_TOKEN = 4;

export function toolCallLimits(
  { tool_calls }: LeadAgentParts['options'],
  { info: { contextWindow = Number.POSITIVE_INFINITY } }: Model,
): ToolCallLimits {
  const fitting = Math.floor(SHARE_OF_WINDOW * CHARACTERS_PER_TOKEN * contextWindow);
  const maxCharacters = Math.min(tool_calls.max_output_characters, fitting);
  return { atOnce: tool_calls.at_once, most: tool_calls.max, maxCharacters };
}

export interface RunParts extends LeadAgentParts {
  readonly given: readonly SourceParts[];
  readonly model: Model;
  readonly choices: RunOptions;
  readonly budget: CallBudget | undefined;
  /** Absent for the lead agent itself. */
  readonly profile: AgentProfile | undefined;
  readonly imageMessages: ImageMessages;
  readonly forgedMarks: Middleware;
  readonly taskSpecs: { readonly withBackground: TaskSpec; readonly plain: TaskSpec };
  readonly prompts: SystemPrompts;
  /** Absent: the lead agent of this run begins no background tasks. */
  readonly background: BackgroundLimits | undefined;
}

export function toolsFor(
  model: Model,
  { tools, profile, given }: Pick<RunParts, 'tools' | 'profile' | 'given'>,
): readonly Tool[] {
  const groups = profile?.toolGroups ?? null;
  const allowed = groups === null ? tools : tools.filter(({ name }) => allowsTool(groups, name));
  // A model cannot call in vain what it is not offered.
  const shown = model.info.supportsVision ? allowed : allowed.filter(({ name }) => name !== VIEW_IMAGE);
  return withoutTwins([...shown, ...given.flatMap((it) => it.tools)]);
}

/** Keeps the first tool of each name, so that a user's tool does not replace one of the service. */
function withoutTwins(tools: readonly Tool[]): readonly Tool[] {
  const byName = new Map(tools.toReversed().map((tool) => [tool.name, tool]));
  return tools.filter((tool) => byName.get(tool.name) === tool);
}

/** Returns the middleware that sub-agents have as well, with what the sources give to this agent. */
export function everyAgents(
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
  const { approvals, compaction: options, loops } = parts.options;
  const compaction = createCompactionMiddleware({ model, writer, options, budget, now, newId });
  return [
    // Before the middleware that adds to a prompt.
    forgedMarks,
    ...(options.enabled ? [compaction] : []),
    // The person is not asked about a call that will not be made or that a source refuses.
    ...(loops.enabled ? [createLoopsMiddleware(loops)] : []),
    ...given.flatMap(givenTo),
    createApprovalsMiddleware(approvals),
    ...(model.info.supportsVision && images !== undefined
      ? [createViewedImagesMiddleware({ images, messages: imageMessages })]
      : []),
  ];
}
