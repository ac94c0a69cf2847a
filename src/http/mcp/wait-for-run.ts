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

/** Interval of progress for a silent run, in milliseconds. Clients give up after a minute of silence. */
const REMINDER_MS = 10_000;
const MAX_NAME = 64;

/**
 * Returns the run once it has ended or the seconds have passed. Throws `conflict` when the client cancels the
 * call, and as `whileWelcome` does when the service ends the wait. The run continues in any case.
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

/**
 * Creates progress reports: one notification per batch, about its last event. Silent unless the client asks
 * for them.
 */
function createProgress({ mcpReq }: ServerContext): Progress {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return SILENT;
  let progress = 0;
  const notify = (message: string): void => {
    progress++;
    const params = { progressToken, progress, message };
    // A client that left receives nothing more, and the wait ends on its own.
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
