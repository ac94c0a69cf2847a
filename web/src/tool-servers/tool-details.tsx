// One tool of a server: its description, its approval setting, and a change that awaits review.
import type { ServerTool, ToolApproval, ToolDefinition, ToolEffect } from '../api/tool-server-shapes.ts';
import { type DiffLine, linesOf, linesOfChange } from '../diff/diff-line.ts';
import { DiffView } from '../diff/diff-view.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { SelectField } from '../ui/select-field.tsx';
import { useApproveTools } from './tool-server-queries.ts';
import type { ToolSwitches } from './use-saving.ts';

const EFFECTS: readonly { readonly value: ToolEffect; readonly label: string }[] = [
  { value: 'read', label: 'Only reads: can run again' },
  { value: 'idempotent', label: 'Safe to run again' },
  { value: 'once', label: 'Runs once: never repeated automatically' },
];

const APPROVALS: readonly { readonly value: ToolApproval; readonly label: string }[] = [
  { value: 'never', label: 'Never asks' },
  { value: 'once_per_thread', label: 'Asks once in a chat' },
  { value: 'always', label: 'Always asks' },
];

interface ToolDetailsProps {
  readonly server: string;
  readonly tool: ServerTool;
  readonly isAdministrator: boolean;
  readonly onChange: (switches: ToolSwitches) => void;
}

export function ToolDetails({ server, tool, isAdministrator, onChange }: ToolDetailsProps) {
  const { description, name, effect, approval, state, change } = tool;
  return (
    <div className="grid gap-3">
      {state !== 'approved' && <UnapprovedTool server={server} tool={tool} mayApprove={isAdministrator} />}
      {change === null ? (
        <p className="text-[0.8125rem] leading-relaxed whitespace-pre-wrap text-muted-foreground [overflow-wrap:anywhere]">
          {description === '' ? 'The server provides no description.' : description}
        </p>
      ) : (
        <ToolChange change={change} />
      )}
      <p className="text-[0.8125rem] text-muted-foreground">
        The agent calls it{' '}
        <code className="font-mono text-xs text-foreground [overflow-wrap:anywhere]">{name}</code>
      </p>
      {isAdministrator && (
        <div className="grid gap-3 sm:grid-cols-2">
          <SelectField
            label="Permission"
            value={approval}
            options={APPROVALS}
            onChange={(next) => onChange({ approval: next })}
          />
          <SelectField
            label="After an interruption"
            value={effect}
            options={EFFECTS}
            onChange={(next) => onChange({ effect: next })}
          />
        </div>
      )}
    </div>
  );
}

interface UnapprovedToolProps {
  readonly server: string;
  readonly tool: ServerTool;
  readonly mayApprove: boolean;
}

function UnapprovedTool({ server, tool, mayApprove }: UnapprovedToolProps) {
  const approve = useApproveTools(server);
  return (
    <>
      <Notice
        tone="warning"
        actions={
          mayApprove && (
            <Button
              variant="secondary"
              size="small"
              disabled={approve.isPending}
              onClick={() => approve.mutate({ [tool.original_name]: tool.change?.digest ?? '' })}
            >
              Approve
            </Button>
          )
        }
      >
        {tool.state === 'new'
          ? 'The server added this tool after its tools were approved.'
          : 'The server changed this tool after it was approved.'}{' '}
        The agent does not use it until{' '}
        {mayApprove ? 'you approve the current version.' : 'an administrator approves it.'}
      </Notice>
      {approve.error !== null && <Notice tone="danger">{approve.error.message}</Notice>}
    </>
  );
}

interface ToolChangeProps {
  readonly change: NonNullable<ServerTool['change']>;
}

function ToolChange({ change: { before, after } }: ToolChangeProps) {
  const parts = [
    { title: 'Description', ...compared(before?.description, after.description) },
    { title: 'Arguments', ...compared(before === null ? undefined : schemaText(before), schemaText(after)) },
  ];
  return (
    <div className="grid min-w-0 gap-3">
      {before === null && (
        <p className="text-[0.8125rem] text-muted-foreground">
          There is no earlier version to compare with. The whole tool:
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

/** Sorts the keys: a server may return the same keys in another order. */
function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
