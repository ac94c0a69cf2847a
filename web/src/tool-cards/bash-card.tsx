// A command with its output, which grows while the command runs.
import { FileText } from 'lucide-react';
import { type RefObject, useLayoutEffect, useRef } from 'react';
import type { OutputPiece } from '../conversation/command-output.ts';
import { useCommandOutput } from '../conversation/run-progress.ts';
import { useFilePanel } from '../files/file-panel.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { plainOutput, readCommandResult } from './command-text.ts';
import { type CallCardProps, callStateOf, ToolFrame } from './tool-frame.tsx';

/** The number of characters that fit at the end of a line. */
const SHORT = 24;

export function BashCard({ call, result, turnState, startsOpen }: CallCardProps) {
  const live = useCommandOutput(call.id);
  const state = callStateOf(result, turnState);
  const { pieces, ending, wholeOutput } =
    result === undefined
      ? { pieces: live, ending: undefined, wholeOutput: undefined }
      : readCommandResult(result.text);
  const command = typeof call.args.command === 'string' ? call.args.command : '';
  const { description } = call.args;
  const isLong = ending !== undefined && ending.length > SHORT;
  return (
    <ToolFrame
      name={call.name}
      state={ending === undefined ? state : 'error'}
      summary={typeof description === 'string' && description !== '' ? description : firstLineOf(command)}
      badge={ending === undefined ? undefined : <span className="text-danger">{shortened(ending)}</span>}
      isOpenAtFirst={startsOpen}
    >
      <div className="flex items-start gap-2 bg-code px-3.5 pt-2">
        <pre className="max-h-40 min-w-0 flex-1 overflow-y-auto py-1.5 font-mono text-[0.8125rem] leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]">
          <span aria-hidden className="text-primary select-none">
            ${' '}
          </span>
          {command}
        </pre>
        <CopyButton text={command} label="Copy command" className="-mr-1.5" />
      </div>
      <Output pieces={pieces} isRunning={state === 'running'} hasResult={result !== undefined} />
      {(wholeOutput !== undefined || isLong) && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-t border-border px-3.5 py-2 text-[0.8125rem] text-muted-foreground">
          {isLong && <span className="text-danger [overflow-wrap:anywhere]">{ending}</span>}
          {wholeOutput !== undefined && <WholeOutput path={wholeOutput} />}
        </div>
      )}
    </ToolFrame>
  );
}

interface OutputProps {
  readonly pieces: readonly OutputPiece[];
  readonly isRunning: boolean;
  readonly hasResult: boolean;
}

function Output({ pieces, isRunning, hasResult }: OutputProps) {
  const box = useRef<HTMLPreElement>(null);
  const length = pieces.reduce((sum, { text }) => sum + text.length, 0);
  const onScroll = useFollowEnd(box, length);
  if (length === 0 && !hasResult && !isRunning) return <div className="bg-code pb-2" />;
  return (
    <pre
      ref={box}
      onScroll={onScroll}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reachable by keyboard.
      tabIndex={0}
      data-testid="command-output"
      className="max-h-64 overflow-auto bg-code px-3.5 pt-1 pb-3 font-mono text-[0.8125rem] leading-relaxed whitespace-pre-wrap text-muted-foreground [overflow-wrap:anywhere] focus-visible:-outline-offset-2"
    >
      {pieces.map(({ stream, text }, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces are only added at the end.
          key={index}
          className={stream === 'stderr' ? 'text-warning' : undefined}
        >
          {plainOutput(text)}
        </span>
      ))}
      {length === 0 && (isRunning ? 'Running…' : '(no output)')}
    </pre>
  );
}

function WholeOutput({ path }: { readonly path: string }) {
  const panel = useFilePanel();
  return (
    <>
      <span>The output is truncated.</span>
      <Button variant="secondary" size="small" onClick={() => panel.show({ kind: 'file', path })}>
        <FileText aria-hidden />
        Open full output
      </Button>
    </>
  );
}

function firstLineOf(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}

function shortened(ending: string): string {
  return ending.length > SHORT ? 'Stopped' : ending;
}

const NEAR_PX = 24;

/** Keeps the end of the output in view. Returns the `onScroll` handler of the box. */
function useFollowEnd(box: RefObject<HTMLElement | null>, length: number) {
  const follows = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end moves with the length.
  useLayoutEffect(() => {
    const element = box.current;
    if (element !== null && follows.current) element.scrollTop = element.scrollHeight;
  }, [box, length]);
  return () => {
    const element = box.current;
    if (element === null) return;
    follows.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
  };
}
