// MCP tools for runs: start one, wait for it, read it, cancel it.
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { invalid } from '../../errors.ts';
import { requireInput } from '../../runs/request/require-checkpoint.ts';
import { runBodySchema, toRunRequest } from '../../runs/request/run-body.ts';
import type { RunRecord } from '../../storage/runs.ts';
import { requireWrite } from '../api/route-access.ts';
import { GATEWAY } from '../api/route-family.ts';
import { validate } from '../api/validate.ts';
import { startStateless } from '../runs/stateless-runs.ts';
import { answered, jsonResponse } from './json-response.ts';
import { type McpCaller, type McpToolParts, threadIdInput, threadOfCaller } from './mcp-caller.ts';
import { shownRun } from './shown-run.ts';
import { type RunWait, waitForRun } from './wait-for-run.ts';

const MAX_MESSAGE = 500_000;
const MAX_WAIT_SECONDS = 600;

const runId = z.string().min(1).max(128).describe('The id of a run');
const waitSeconds = z.int().min(0).max(MAX_WAIT_SECONDS).default(0);

const startInput = z.object({
  message: z.string().min(1).max(MAX_MESSAGE).optional().describe('What the agent should do, in plain words'),
  answer: z
    .unknown()
    .optional()
    .describe(
      'Instead of a message: the answer to the `questions` of a waiting run, as {"decisions": [{"type": "approve"}]} or {"decisions": [{"type": "reject", "message": "..."}]} to a tool that asks for permission',
    ),
  thread_id: threadIdInput.optional().describe('The thread to continue; without it, the run gets a new one'),
  agent: z.string().min(1).max(128).optional().describe('A name from list_agents; without it, the first'),
  model: z.string().min(1).max(128).optional().describe('A name from list_agents; without it, the first'),
  thinking: z.boolean().optional().describe('Whether the model thinks first, if it can'),
  plan_mode: z.boolean().optional().describe('Whether the agent keeps a plan, a list of things to do'),
  subagents: z.boolean().optional().describe('Whether the agent may give tasks to others'),
  if_busy: z
    .enum(['reject', 'enqueue', 'interrupt'])
    .default('reject')
    .describe('What to do when another run of the thread is active'),
  idempotency_key: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('A repeated call with the same key returns the run that the first one started'),
  wait_seconds: waitSeconds.describe(
    'Seconds to wait for the end; 0 returns immediately. 45 suits most clients',
  ),
});
type StartInput = z.output<typeof startInput>;

const getInput = z.object({
  run_id: runId,
  wait_seconds: waitSeconds.describe('Seconds to wait for the end; 0 returns the current state of the run'),
});

/** Registers `start_run`, `get_run` and `cancel_run`. */
export function addRunTools(server: McpServer, parts: McpToolParts, caller: McpCaller): void {
  const { runs, log } = parts;
  const { c } = caller;
  const { repositories } = c.var;
  const whenWaitedFor = async (waited: RunWait) =>
    jsonResponse(await shownRun(repositories, await waitForRun(parts, caller, waited)));
  server.registerTool(
    'start_run',
    {
      title: 'Start a run',
      description:
        'Gives the agent of this service a task, in a new or an existing thread. The run continues whether you wait for it or not; list_artifacts lists the files it makes.',
      inputSchema: startInput,
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    },
    (input, context) =>
      answered(log, async () => {
        requireWrite(c);
        const run = await startRun(parts, caller, input);
        return whenWaitedFor({ run, seconds: input.wait_seconds, context });
      }),
  );
  server.registerTool(
    'get_run',
    {
      title: 'Look at a run, or wait for it',
      description:
        'The state of a run and, once it has ended, the reply. With wait_seconds it waits for the end and sends progress to clients that request it.',
      inputSchema: getInput,
      annotations: { readOnlyHint: true },
    },
    ({ run_id, wait_seconds: seconds }, context) =>
      answered(log, async () =>
        whenWaitedFor({ run: await runs.find(repositories, run_id), seconds, context }),
      ),
  );
  server.registerTool(
    'cancel_run',
    {
      title: 'Cancel a run',
      description: 'Cancels an active run. What the agent has said so far stays in the thread.',
      inputSchema: z.object({ run_id: runId }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    },
    ({ run_id }) =>
      answered(log, async () => {
        requireWrite(c);
        const run = await runs.find(repositories, run_id);
        await runs.cancel(repositories, run, { action: 'interrupt' });
        return jsonResponse(await shownRun(repositories, await runs.find(repositories, run_id)));
      }),
  );
}

async function startRun(parts: McpToolParts, caller: McpCaller, input: StartInput): Promise<RunRecord> {
  const { runs, newId } = parts;
  const { c } = caller;
  const { repositories } = c.var;
  const request = toRunRequest(
    runBodyOf(parts, input),
    { ...GATEWAY, idempotencyKey: input.idempotency_key },
    newId,
  );
  if (input.thread_id === undefined) return startStateless(parts, c, request);
  const repeated = await runs.findRepeated(repositories, request);
  if (repeated !== undefined) return repeated;
  const thread = await threadOfCaller(caller, input.thread_id, 'write');
  if (thread.headCheckpointId === null) requireInput(request);
  return runs.start(repositories, thread.threadId, request);
}

function runBodyOf({ models }: McpToolParts, input: StartInput) {
  const { message, answer, model } = input;
  if ((message === undefined) === (answer === undefined))
    throw invalid('Give a message, or an answer to what a run asks; one of the two.');
  if (model !== undefined && !models.list().some(({ name }) => name === model))
    throw invalid('There is no model of this name. list_agents lists the models.');
  const body = {
    assistant_id: input.agent,
    ...(message === undefined
      ? { command: { resume: answer } }
      : { input: { messages: [{ role: 'user', content: message }] } }),
    context: {
      model_name: model,
      thinking_enabled: input.thinking,
      is_plan_mode: input.plan_mode,
      subagent_enabled: input.subagents,
    },
    multitask_strategy: input.if_busy,
  };
  return validate(runBodySchema, body, 'body');
}
