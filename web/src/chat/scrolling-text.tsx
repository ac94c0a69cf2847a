// Text of a tool in a box of its own, as it is.
import { cn } from '../ui/cn.ts';

interface ScrollingTextProps {
  readonly text: string;
  readonly kind?: 'code' | 'prose';
}

export function ScrollingText({ text, kind = 'code' }: ScrollingTextProps) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reachable by keyboard.
      tabIndex={0}
      className={cn(
        'max-h-72 overflow-auto rounded-lg bg-code p-3 leading-relaxed whitespace-pre-wrap',
        '[overflow-wrap:anywhere] focus-visible:-outline-offset-2',
        kind === 'code' ? 'font-mono text-[0.8125rem]' : 'font-sans text-sm',
      )}
    >
      {text}
    </pre>
  );
}
