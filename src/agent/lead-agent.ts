// Composes the lead agent: its tools, and its middleware in order. No other file does.
import type { AgentProfile } from '../agents/agents.ts';
import type { AgentFactory, AgentOrder } from './agent.ts';
import { createAgent } from './agent-loop.ts';
import { createGoalJudge } from './goals/goal-judge.ts';
import { createForgedMarksMiddleware } from './middleware/forged-marks.ts';
import { createGoalMiddleware } from './middleware/goal.ts';
import { createTitleMiddleware, createTitleWriter, type TitleParts } from './middleware/title.ts';
import { createUploadsMiddleware } from './middleware/uploads.ts';
import { createImageMessages } from './middleware/viewed-images.ts';
import { createPlanMode } from './plan/plan-mode.ts';
import { everyAgents, type LeadAgentParts, type RunParts, toolCallLimits, toolsFor } from './run-parts.ts';
import { backgroundAgent, taskTools } from './run-subagents.ts';
import { SystemPrompts } from './system-prompt.ts';
import { createTaskSpec } from './task-tool.ts';
import { NOTHING_GIVEN, type SourceParts } from './tool-source.ts';

export const LEAD_AGENT = 'lead_agent';
export const LEAD_AGENT_DESCRIPTION = 'Answers, uses tools, and works with the files of its thread.';

/** Returns a factory that makes the lead agent for a run, with the model that the run requests. */
export function createLeadAgentFactory(parts: LeadAgentParts): AgentFactory {
  const { now, newId } = parts;
  const imageMessages = createImageMessages();
  const forgedMarks = createForgedMarksMiddleware();
  const prompts = new SystemPrompts();
  const { instructions, subagents } = parts.options;
  const taskSpecs = {
    withBackground: createTaskSpec(subagents.types, { background: true }),
    plain: createTaskSpec(subagents.types, { background: false }),
  };
  return async (order) => {
    const { assistantId, options: choices, budget } = order;
    // The version with which the run was accepted.
    const profile = order.agent && (await parts.profileOf?.(order.agent));
    if (assistantId !== LEAD_AGENT && profile === undefined)
      return { problem: `The agent '${assistantId}' no longer exists. Choose another one.` };
    const model = parts.models.get(choices.modelName);
    if (model === undefined) {
      const names = parts.models.list().map(({ name }) => name);
      const problem = `There is no model named '${choices.modelName}'. The models of this service are: ${names.join(', ')}.`;
      return { problem };
    }
    const given = await sourceParts(parts, order, profile);
    const made = {
      ...parts,
      imageMessages,
      forgedMarks,
      taskSpecs,
      prompts,
      background: backgroundLimits(parts, order),
    };
    const run: RunParts = { ...made, given, model, choices, budget, profile };
    if (order.task !== undefined) return backgroundAgent(run, order.task);
    const plan = choices.planMode ? [createPlanMode()] : [];
    // After the middleware that shortens the prompt. The plan's last check comes before the goal is judged.
    const lead: RunParts = { ...run, given: [...given, goalParts(run, order), ...plan] };
    return createAgent({
      caller: 'lead_agent',
      model,
      tools: [...toolsFor(model, run), ...plan.flatMap((it) => it.tools), ...taskTools(run, 1)],
      toolCalls: toolCallLimits(parts.options, model),
      middleware: [
        createTitleMiddleware(titleParts(run)),
        ...everyAgents(lead, (it) => it.middleware),
        // After the middleware that shortens the prompt: a notice belongs to a message that is shown.
        ...(parts.uploads === undefined ? [] : [createUploadsMiddleware(parts.uploads)]),
      ],
      systemPrompt: () => {
        const sources = lead.given.map((it) => it.prompt);
        return prompts.lead({ now: now(), instructions, profile, sources });
      },
      budget,
      now,
      newId,
    });
  };
}

/** Returns `undefined` for a background task, which begins no further ones. */
function backgroundLimits(
  { options, openTasks: openIds }: LeadAgentParts,
  { task }: AgentOrder,
): RunParts['background'] {
  const { enabled, max_per_thread: maxPerThread } = options.subagents.background;
  return enabled && task === undefined ? { maxPerThread, openIds } : undefined;
}

/** Returns the parts in the order of the sources. A source that fails contributes nothing. */
function sourceParts(
  { sources, log }: LeadAgentParts,
  { userId, threadId, assistantId: agent, signal, options: { memory } }: AgentOrder,
  profile: AgentProfile | undefined,
): Promise<readonly SourceParts[]> {
  return Promise.all(
    sources.map(async (source) => {
      try {
        return await source.forRun({ userId, threadId, agent, profile, memory, signal });
      } catch (err) {
        log.error(
          { err, threadId, source: source.name },
          'a source of tools failed; the run continues without it',
        );
        return NOTHING_GIVEN;
      }
    }),
  );
}

function titleParts({ titleModel, onLateTitle, budget, now, newId }: RunParts): TitleParts {
  if (titleModel === undefined) return {};
  return { write: createTitleWriter({ model: titleModel, now, newId, budget }), onLate: onLateTitle };
}

/** For the lead agent alone: a sub-agent does one task of its work. */
function goalParts(
  { goalModel: model, isAwaited, ...run }: RunParts,
  { runTokens }: AgentOrder,
): SourceParts {
  const judge = createGoalJudge({ ...run, model: model ?? run.model });
  return { ...NOTHING_GIVEN, middleware: [createGoalMiddleware({ judge, runTokens, isAwaited })] };
}
