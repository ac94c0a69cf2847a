// The tool of a server behind the name by which the agent calls it, for the cards of a chat.
import { useQuery } from '@tanstack/react-query';
import type { ToolServer } from '../api/tool-server-shapes.ts';
import { useServices } from '../services.tsx';
import { serversQuery } from './tool-server-queries.ts';

export interface NamedTool {
  readonly server: string;
  readonly title: string;
}

/** Undefined for tools of no server that is known here. Nothing is asked for without a name. */
export function useServerTool(name: string | undefined): NamedTool | undefined {
  const { api } = useServices();
  const servers = useQuery({
    ...serversQuery(api),
    enabled: name !== undefined,
    // Names hardly change, and a chat has many cards.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return servers.data?.map((server) => toolIn(server, name)).find((it) => it !== undefined);
}

function toolIn({ name: server, tools }: ToolServer, name: string | undefined): NamedTool | undefined {
  const tool = tools.find((it) => it.name === name);
  return tool && { server, title: tool.title ?? tool.original_name };
}
