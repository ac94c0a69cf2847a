// Waits for the end of a run on behalf of an MCP client, and reports progress to it.
import type { ServerContext } from '@modelcontextprotocol/server';
import { conflict } from '../../errors.ts';
import { innerEvent, type LoggedEvent } from '../../runs/log/log-event.ts';
import { isTerminal, type RunRecord } from '../../storage/runs.ts';
import { whileWelcome } from '../streams/open-streams.ts';
import type { McpCaller, McpToolParts } from './mcp-caller.ts';

export interface RunWait {
  readonly run: RunRecord;
  readonly seconds: number;
  readonly context: ServerContext;
}

/** How often a client gets progress of a run in which nothing happens: clients give up after a minute of silence. */
const REMINDER_MS = 10_000;
const MAX_NAME = 64;

/**
 * The run as it is when it has ended, or when the seconds are over. Throws `conflict` when the client has cancelled the
 * call, and as `whileWelcome` when the service ends the wait; the run goes on in any case.
 */
export async function waitForRun(
  { runs, openStreams, openCalls }: McpToolParts,
  { c, session }: McpCaller,
  { run, seconds, context }: RunWait,
): Promise<RunRecord> {
  const { repositories, user } = c.var;
  if (seconds === 0 || isTerminal(run.status)) return run;
  const { id, signal: closed } = context.mcpReq;
  await openCalls.during({ userId: user.id, session, id }, (cancelled) =>
    whileWelcome(c, openStreams, async (welcome) => {
      const signal = AbortSignal.any([welcome, cancelled, closed, AbortSignal.timeout(seconds * 1000)]);
      const progress = createProgress(context);
      try {
        for await (const batch of runs.events({ repositories, run, signal })) progress.report(batch);
      } finally {
        progress.stop();
      }
      if (cancelled.aborted || closed.aborted)
        throw conflict('The call was cancelled. The run continues; get_run reports its status.');
      welcome.throwIfAborted();
    }),
  );
  return runs.get(repositories, run.threadId, run.runId);
}

interface Progress {
  report(batch: readonly LoggedEvent[]): void;
  stop(): void;
}

const SILENT: Progress = { report() {}, stop() {} };

/** One notification for a batch, with the last thing that happened in it. Only for clients that ask for it. */
function createProgress({ mcpReq }: ServerContext): Progress {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return SILENT;
  let progress = 0;
  const notify = (message: string): void => {
    progress++;
    const params = { progressToken, progress, message };
    // Whoever left hears nothing more, and the wait ends by itself.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  const reminder = setInterval(() => notify('The run goes on.'), REMINDER_MS);
  return {
    report(batch) {
      const sentence = batch.map(sentenceOf).findLast((it) => it !== undefined);
      if (sentence === undefined) return;
      reminder.refresh();
      notify(sentence);
    },
    stop: () => clearInterval(reminder),
  };
}

function sentenceOf({ event }: LoggedEvent): string | undefined {
  const said = innerEvent(event);
  switch (said.type) {
    case 'attempt':
      return 'The run has begun.';
    case 'model_start':
      return 'The model is asked.';
    case 'tool_call_delta':
      return said.name === undefined ? undefined : `The agent calls ${said.name.slice(0, MAX_NAME)}.`;
    case 'tool_end':
      return `${(said.message.name ?? 'A tool').slice(0, MAX_NAME)} has answered.`;
    default:
      return undefined;
  }
}
