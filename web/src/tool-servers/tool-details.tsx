// One tool of a server: what it says of itself, when the agent asks, and a change that waits for an approval.
import type { ServerTool, ToolApproval, ToolEffect } from '../api/tool-server-shapes.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { SelectField } from '../ui/select-field.tsx';
import type { ToolSwitches } from './changed-entries.ts';
import { ToolChange } from './tool-change.tsx';
import { useApproveTools } from './tool-server-queries.ts';

const EFFECTS: readonly { readonly value: ToolEffect; readonly label: string }[] = [
  { value: 'read', label: 'Only reads: it may run again' },
  { value: 'idempotent', label: 'Running it again does no harm' },
  { value: 'once', label: 'Runs once: never again by itself' },
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
          {description === '' ? 'The server says nothing about it.' : description}
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
              look="secondary"
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
          ? 'The server has this tool since its tools were approved.'
          : 'The server changed this tool after it was approved.'}{' '}
        The agent does not use it until{' '}
        {mayApprove ? 'you approve it as it is now.' : 'an administrator approves it.'}
      </Notice>
      {approve.error !== null && <Notice tone="danger">{approve.error.message}</Notice>}
    </>
  );
}
