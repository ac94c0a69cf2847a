// The tools of a server with their descriptions, and for administrators their switches.
import { ChevronRight } from 'lucide-react';
import { Collapsible } from 'radix-ui';
import { useState } from 'react';
import type { ServerTool, ToolServer } from '../api/tool-server-shapes.ts';
import { Badge } from '../ui/badge.tsx';
import { Switch } from '../ui/check-box.tsx';
import { ToolDetails } from './tool-details.tsx';
import type { ToolSwitches } from './use-saving.ts';

interface ServerToolsProps {
  readonly server: ToolServer;
  readonly isAdministrator: boolean;
  readonly onChange: (tool: string, switches: ToolSwitches) => void;
}

export function ServerTools({ server, isAdministrator, onChange }: ServerToolsProps) {
  const { tools } = server;
  const waiting = tools.filter(({ state }) => state !== 'approved').length;
  const on = tools.filter(({ enabled }) => enabled).length;
  if (tools.length === 0) return null;
  return (
    <Collapsible.Root defaultOpen={waiting > 0} className="border-t border-border">
      <Collapsible.Trigger className="group flex min-h-10 w-full items-center gap-2 px-4 py-2 text-left text-sm hover:bg-accent focus-visible:-outline-offset-2">
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-muted-foreground transition-transform group-data-[state=open]:rotate-90"
        />
        <span className="min-w-0 flex-1">
          {tools.length === 1 ? '1 tool' : `${tools.length} tools`}
          {on < tools.length && <span className="text-muted-foreground">, {on} on</span>}
        </span>
        {waiting > 0 && <Badge tone="warning">{waiting} to approve</Badge>}
      </Collapsible.Trigger>
      <Collapsible.Content>
        <ul aria-label={`Tools of ${server.name}`} className="divide-y divide-border border-t border-border">
          {tools.map((tool) => (
            <ToolRow
              key={tool.original_name}
              server={server.name}
              tool={tool}
              isAdministrator={isAdministrator}
              onChange={(switches) => onChange(tool.original_name, switches)}
            />
          ))}
        </ul>
      </Collapsible.Content>
    </Collapsible.Root>
  );
}

interface ToolRowProps {
  readonly server: string;
  readonly tool: ServerTool;
  readonly isAdministrator: boolean;
  readonly onChange: (switches: ToolSwitches) => void;
}

function ToolRow({ server, tool, isAdministrator, onChange }: ToolRowProps) {
  const [isOpen, setOpen] = useState(tool.state !== 'approved');
  const title = tool.title ?? tool.original_name;
  return (
    <Collapsible.Root asChild open={isOpen} onOpenChange={setOpen}>
      <li>
        <div className="flex items-center pr-2">
          <Collapsible.Trigger className="grid min-h-10 min-w-0 flex-1 gap-0.5 py-2 pr-2 pl-10 text-left hover:bg-accent/50 focus-visible:-outline-offset-2">
            <span className="flex flex-wrap items-center gap-x-2 text-[0.8125rem] font-medium">
              <span className="[overflow-wrap:anywhere]">{title}</span>
              {tool.state !== 'approved' && (
                <Badge tone="warning">{tool.state === 'new' ? 'New' : 'Changed'}</Badge>
              )}
              {!tool.enabled && !isAdministrator && <Badge>Off</Badge>}
            </span>
            {!isOpen && (
              <span className="line-clamp-1 text-[0.8125rem] text-muted-foreground [overflow-wrap:anywhere]">
                {tool.description}
              </span>
            )}
          </Collapsible.Trigger>
          {isAdministrator && (
            <Switch
              label={`Offer ${title} to the agent`}
              isOn={tool.enabled}
              onChange={(enabled) => onChange({ enabled })}
            />
          )}
        </div>
        <Collapsible.Content className="pr-4 pb-3 pl-10">
          <ToolDetails server={server} tool={tool} isAdministrator={isAdministrator} onChange={onChange} />
        </Collapsible.Content>
      </li>
    </Collapsible.Root>
  );
}
