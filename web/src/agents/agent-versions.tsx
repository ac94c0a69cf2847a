// The versions of an agent; an own one goes back to what an earlier version says.
import type { AgentVersion, CustomAgent } from '../api/agent-calls.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { useAgentChange, useAgentVersions } from './agent-queries.ts';

interface AgentVersionsProps {
  readonly agent: CustomAgent;
  readonly onClose: () => void;
}

export function AgentVersions({ agent, onClose }: AgentVersionsProps) {
  const versions = useAgentVersions(agent.name);
  const restore = useAgentChange((calls, { description, model, tool_groups, skills, soul }: AgentVersion) =>
    calls.changeAgent(agent.name, { description, model, tool_groups, skills, soul }),
  );
  return (
    <Dialog open onClose={onClose} title={`Versions of ${agent.name}`} width="wide">
      {restore.error !== null && <Notice tone="danger">{restore.error.message}</Notice>}
      {versions.error !== null && <Notice tone="danger">{versions.error.message}</Notice>}
      {versions.isPending && <Spinner className="mx-auto my-6" />}
      <ol className="grid gap-3">
        {versions.data?.map((version) => (
          <li key={version.version} className="grid gap-2 rounded-lg border border-border p-3 text-sm">
            <div className="flex flex-wrap items-center justify-between gap-2">
              <span className="font-medium">
                {`Version ${version.version}, ${new Date(version.created_at).toLocaleString()}`}
              </span>
              {agent.own && version.version !== agent.version && (
                <Button
                  look="secondary"
                  size="small"
                  disabled={restore.isPending}
                  onClick={() => restore.mutate(version)}
                >
                  {`Go back to version ${version.version}`}
                </Button>
              )}
            </div>
            <dl className="grid gap-1 text-[0.8125rem] text-muted-foreground">
              <Fact name="Model" value={version.model ?? 'as chosen in the chat'} />
              <Fact name="Tools" value={listed(version.tool_groups)} />
              <Fact name="Skills" value={listed(version.skills)} />
            </dl>
            {version.soul !== '' && (
              <p className="max-h-40 overflow-y-auto whitespace-pre-wrap" dir="auto">
                {version.soul}
              </p>
            )}
          </li>
        ))}
      </ol>
    </Dialog>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="flex gap-2">
      <dt>{`${name}:`}</dt>
      <dd className="min-w-0 text-foreground [overflow-wrap:anywhere]">{value}</dd>
    </div>
  );
}

function listed(names: readonly string[] | null): string {
  if (names === null) return 'all';
  return names.length === 0 ? 'none' : names.join(', ');
}
