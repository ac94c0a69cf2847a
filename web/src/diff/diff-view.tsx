// A diff, line by line, in a box.
import { memo, useState } from 'react';
import { usePrinting } from '../print/printing.tsx';
import { Button } from '../ui/button.tsx';
import { cn } from '../ui/cn.ts';
import type { DiffCounts, DiffLine } from './diff-line.ts';

/** In a chat with hundreds of diffs, people read few in full. */
const MOST_AT_FIRST = 24;

const KINDS: Readonly<Record<DiffLine['kind'], { readonly mark: string; readonly className: string }>> = {
  added: { mark: '+', className: 'bg-success-soft' },
  removed: { mark: '−', className: 'bg-danger-soft' },
  same: { mark: ' ', className: 'text-muted-foreground' },
  text: { mark: '', className: '' },
  place: { mark: ' ', className: 'bg-muted text-muted-foreground' },
};

export const DiffView = memo(function DiffView({ lines }: { readonly lines: readonly DiffLine[] }) {
  const [isWhole, setWhole] = useState(false);
  const isPrinting = usePrinting();
  const shown = isWhole || isPrinting ? lines : lines.slice(0, MOST_AT_FIRST);
  return (
    <div className="min-w-0 bg-code">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reachable by keyboard.
        tabIndex={0}
        data-testid="diff"
        className="max-h-52 overflow-y-auto py-2 font-mono text-[0.8125rem] leading-[1.6] focus-visible:-outline-offset-2"
      >
        <code className="grid">
          {shown.map(({ kind, text }, index) => (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one text never change places.
              key={index}
              data-diff={kind}
              className={cn(
                'flex min-h-[1.6em] px-3.5 whitespace-pre-wrap [overflow-wrap:anywhere]',
                KINDS[kind].className,
              )}
            >
              <span className="w-5 shrink-0 select-none">{KINDS[kind].mark}</span>
              {text === '' ? ' ' : text}
            </span>
          ))}
        </code>
      </pre>
      {shown.length < lines.length && (
        <div className="border-t border-border px-2 py-1.5">
          <Button variant="ghost" size="small" onClick={() => setWhole(true)}>
            Show {lines.length - shown.length} more lines
          </Button>
        </div>
      )}
    </div>
  );
});

export function DiffBadge({ added, removed }: DiffCounts) {
  return (
    <>
      {added > 0 && <span className="text-success">+{added}</span>}
      {removed > 0 && <span className="text-danger">−{removed}</span>}
    </>
  );
}
