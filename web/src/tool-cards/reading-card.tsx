// A call that only looks: one line with what was found, and the rest on request.
import { callSummary } from '../chat/call-summary.ts';
import { type CallCardProps, CallText } from '../chat/call-view.tsx';
import { shortPath } from '../files/file-path.ts';
import { callStateOf } from './call-state.ts';
import { foundText } from './found-text.ts';
import { OpenFile } from './open-file.tsx';
import { ToolFrame } from './tool-frame.tsx';

export function ReadingCard({ call, result, turnState }: CallCardProps) {
  const state = callStateOf(result, turnState);
  const { path } = call.args;
  const found = state === 'success' && result !== undefined ? foundText(call, result.text) : undefined;
  return (
    <ToolFrame name={call.name} state={state} summary={summaryOf(call)} badge={found}>
      <div className="px-3.5 py-2">
        {result === undefined ? (
          <p className="py-1 text-[0.8125rem] text-muted-foreground">No result yet.</p>
        ) : (
          <CallText title={result.status === 'error' ? 'Error' : 'Result'} text={result.text} />
        )}
        {call.name === 'read_file' && state === 'success' && typeof path === 'string' && (
          <div className="-ml-3 pt-1">
            <OpenFile path={path} />
          </div>
        )}
      </div>
    </ToolFrame>
  );
}

function summaryOf(call: CallCardProps['call']): string {
  const { pattern, path } = call.args;
  const place = typeof path === 'string' ? shortPath(path) : '';
  if (typeof pattern === 'string') return place === '' ? pattern : `${pattern} in ${place}`;
  return place === '' ? callSummary(call) : place;
}
