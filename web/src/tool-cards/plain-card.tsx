// A call of a tool that has no card of its own: of a tool server, or of a program that uses this service.

import { ArgumentList } from '../chat/argument-list.tsx';
import { callSummary } from '../chat/call-summary.ts';
import { type CallCardProps, CallText } from '../chat/call-view.tsx';
import { useServerTool } from '../tool-servers/use-server-tool.ts';
import { callStateOf } from './call-state.ts';
import type { ToolProgress } from './command-output.ts';
import { ToolFrame } from './tool-frame.tsx';
import { isKnownTool } from './tool-words.ts';
import { useToolProgress } from './use-command-output.ts';

export function PlainCard({ call, result, turnState }: CallCardProps) {
  const state = callStateOf(result, turnState);
  const tool = useServerTool(isKnownTool(call.name) ? undefined : call.name);
  const told = useToolProgress(call.id);
  const progress = state === 'running' ? told : undefined;
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
