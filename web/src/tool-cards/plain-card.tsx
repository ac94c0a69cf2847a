// A call of a tool without a card of its own: from a tool server, or from a program that uses this service.
import type { ToolProgress } from '../conversation/command-output.ts';
import { useToolProgress } from '../conversation/run-progress.ts';
import { callSummary, isKnownTool } from '../conversation/tool-words.ts';
import { useServerTool } from '../tool-servers/tool-server-queries.ts';
import { ArgumentList } from './argument-list.tsx';
import { type CallCardProps, CallText, callStateOf, ToolFrame } from './tool-frame.tsx';

export function PlainCard({ call, result, turnState }: CallCardProps) {
  const state = callStateOf(result, turnState);
  const tool = useServerTool(isKnownTool(call.name) ? undefined : call.name);
  const latest = useToolProgress(call.id);
  const progress = state === 'running' ? latest : undefined;
  return (
    <ToolFrame
      name={call.name}
      title={tool === undefined ? undefined : `${tool.server}: ${tool.title}`}
      state={state}
      summary={progress?.message ?? callSummary(call)}
      badge={progress === undefined ? undefined : progressText(progress)}
    >
      <div className="grid min-w-0 gap-3 px-3.5 py-3">
        <ArgumentList args={call.args} />
        {progress !== undefined && <ProgressBar progress={progress} />}
        {result !== undefined && (
          <CallText title={result.status === 'error' ? 'Error' : 'Result'} text={result.text} />
        )}
      </div>
    </ToolFrame>
  );
}

function ProgressBar({ progress: { done, total, message } }: { readonly progress: ToolProgress }) {
  const percent = total === undefined || total <= 0 ? undefined : Math.min(100, (done / total) * 100);
  return (
    <div className="grid gap-1.5 text-[0.8125rem] text-muted-foreground">
      {message !== undefined && <p className="[overflow-wrap:anywhere]">{message}</p>}
      {percent !== undefined && (
        <div
          role="progressbar"
          aria-label="Progress of the tool"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(percent)}
          className="h-1.5 overflow-hidden rounded-full bg-accent"
        >
          <div className="h-full rounded-full bg-primary" style={{ width: `${percent}%` }} />
        </div>
      )}
    </div>
  );
}

function progressText({ done, total }: ToolProgress): string {
  return total === undefined ? String(done) : `${done} of ${total}`;
}
