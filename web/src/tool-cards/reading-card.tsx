// A call that only reads. Shows a summary of the result, and the full result on request.
import type { ToolCallView } from '../conversation/message-view.ts';
import { callSummary } from '../conversation/tool-words.ts';
import { shortPath } from '../files/file-kind.ts';
import { OpenFile } from '../files/open-file.tsx';
import { type CallCardProps, CallText, callStateOf, ToolFrame } from './tool-frame.tsx';

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

/** Returns a count of the results. Undefined when there is nothing to count. */
function foundText({ name }: ToolCallView, result: string): string | undefined {
  const lines = result.split('\n').filter((line) => line !== '' && !line.startsWith('... [')).length;
  if (name === 'read_file') return result === '(empty)' ? 'empty' : counted(lines, 'line', 'lines');
  if (name === 'ls') return result === '(empty)' ? 'empty' : counted(lines, 'entry', 'entries');
  const found = /^Found (\d+)\b/.exec(result)?.[1];
  if (found !== undefined) return `${found} found`;
  return /^No \w+ matched/.test(result) ? 'nothing found' : undefined;
}

function counted(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
