// The tool servers as a query, the changes of administrators, and the person's sign-ins.
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Api } from '../api/api.ts';
import type { ServerEntries, ToolServer } from '../api/tool-server-shapes.ts';
import { useServices } from '../services/services.tsx';

/** The polling interval while a server is still starting. */
const STARTING_POLL_MS = 1_500;

const serversQuery = (api: Api) =>
  queryOptions({ queryKey: ['tool-servers'], queryFn: () => api.toolServers() });

function isStarting({ status }: ToolServer): boolean {
  return status === 'connecting';
}

export function useToolServers() {
  const { api } = useServices();
  return useQuery({
    ...serversQuery(api),
    refetchInterval: ({ state }) => (state.data?.some(isStarting) === true ? STARTING_POLL_MS : false),
  });
}

/** Returns the configured entry of one server, with secrets masked. */
export function useServerEntry(name: string) {
  const { api } = useServices();
  return useQuery({
    queryKey: ['tool-server-config'],
    queryFn: () => api.serverConfig(),
    select: ({ mcpServers }) => mcpServers[name],
    // Editing starts from the current entry.
    staleTime: 0,
  });
}

/** Reads the current document, changes it and writes it back. */
export function useChangeServers() {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (change: (servers: ServerEntries) => ServerEntries) => {
      const config = await api.serverConfig();
      await api.writeServerConfig({ ...config, mcpServers: { ...change(config.mcpServers) } });
    },
    onSettled: () => refreshServers(queryClient),
  });
}

export function useTestServer() {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => api.testToolServer(name),
    onSettled: () => refreshServers(queryClient),
  });
}

export function useApproveTools(server: string) {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (digests: Readonly<Record<string, string>>) => api.approveTools(server, digests),
    onSettled: () => refreshServers(queryClient),
  });
}

/** Opens the sign-in page of the server. */
export function useSignIn() {
  const { api } = useServices();
  return useMutation({
    mutationFn: (name: string) => api.signInAddress(name),
    onSuccess: (address) => location.assign(address),
  });
}

export function useSignOut() {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => api.signOutOfServer(name),
    onSettled: () => refreshServers(queryClient),
  });
}

async function refreshServers(queryClient: QueryClient): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['tool-servers'] }),
    queryClient.invalidateQueries({ queryKey: ['tool-server-config'] }),
  ]);
}

export interface NamedTool {
  readonly server: string;
  readonly title: string;
}

/** Returns undefined for tools that belong to no known server. Fetches nothing without a name. */
export function useServerTool(name: string | undefined): NamedTool | undefined {
  const { api } = useServices();
  const servers = useQuery({
    ...serversQuery(api),
    enabled: name !== undefined,
    // Names rarely change, and a chat has many cards.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return servers.data?.map((server) => toolIn(server, name)).find((it) => it !== undefined);
}

function toolIn({ name: server, tools }: ToolServer, name: string | undefined): NamedTool | undefined {
  const tool = tools.find((it) => it.name === name);
  return tool && { server, title: tool.title ?? tool.original_name };
}
