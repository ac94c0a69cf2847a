// What would be approved with a tool: its description and its arguments, beside what was approved.
import type { ServerTool, ToolDefinition } from '../api/tool-server-shapes.ts';
import { type DiffLine, linesOf, linesOfChange } from '../diff/diff-line.ts';
import { DiffView } from '../diff/diff-view.tsx';

interface ToolChangeProps {
  readonly change: NonNullable<ServerTool['change']>;
}

export function ToolChange({ change: { before, after } }: ToolChangeProps) {
  const parts = [
    { title: 'Description', ...compared(before?.description, after.description) },
    { title: 'Arguments', ...compared(before === null ? undefined : schemaText(before), schemaText(after)) },
  ];
  return (
    <div className="grid min-w-0 gap-3">
      {before === null && (
        <p className="text-[0.8125rem] text-muted-foreground">
          There is nothing to compare it with. This is all of it:
        </p>
      )}
      {parts.map(({ title, lines, isChanged }) => (
        <section
          key={title}
          aria-label={`${title}${before === null ? '' : ', what changed'}`}
          className="min-w-0 overflow-hidden rounded-lg border border-border"
        >
          <h3 className="flex justify-between gap-3 border-b border-border px-3.5 py-1.5 text-[0.8125rem] font-medium">
            {title}
            {!isChanged && <span className="font-normal text-muted-foreground">Unchanged</span>}
          </h3>
          <DiffView lines={lines} />
        </section>
      ))}
    </div>
  );
}

interface Compared {
  readonly lines: readonly DiffLine[];
  readonly isChanged: boolean;
}

function compared(before: string | undefined, after: string): Compared {
  if (before === undefined) return { lines: linesOf(after, 'text'), isChanged: true };
  return { lines: linesOfChange(before, after), isChanged: before !== after };
}

function schemaText({ input_schema }: ToolDefinition): string {
  return JSON.stringify(input_schema, sorted, 2);
}

/** A server may name the same keys in another order. */
function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
