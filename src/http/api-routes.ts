// The single list of routes, with the dependencies of each.
import type { Agents } from '../agents/agents.ts';
import type { Auth } from '../auth/create-auth.ts';
import type { Log } from '../log.ts';
import type { ToolServers } from '../mcp/create-tool-servers.ts';
import type { Memories } from '../memory/create-memory.ts';
import type { ModelCatalog } from '../models/catalog.ts';
import type { UsageService } from '../runs/budget/usage-service.ts';
import type { Runs } from '../runs/create-runs.ts';
import type { Suggestions } from '../runs/suggestions.ts';
import type { Schedules } from '../schedules/schedules.ts';
import type { Skills } from '../skills/skills.ts';
import type { AuditLog } from '../storage/audit-log.ts';
import type { StoreService } from '../store/store-service.ts';
import type { Threads } from '../threads/create-threads.ts';
import type { ThreadStateService } from '../threads/thread-state-service.ts';
import type { Transfer } from '../transfer/create-transfer.ts';
import type { Webhooks } from '../webhooks/create-webhooks.ts';
import type { Workspace } from '../workspace/create-workspace.ts';
import { GATEWAY, RUNTIME } from './api/route-family.ts';
import type { MountRoutes } from './api/route-table.ts';
import { mcpEndpoint } from './mcp/mcp-endpoint.ts';
import { agentRoutes } from './routes/agents.ts';
import { apiKeyRoutes } from './routes/api-keys.ts';
import { artifactRoutes } from './routes/artifacts.ts';
import { assistantRoutes } from './routes/assistants.ts';
import { auditRoutes } from './routes/audit.ts';
import { accountRoutes, authRoutes } from './routes/auth.ts';
import { backgroundTaskRoutes } from './routes/background-tasks.ts';
import { feedbackRoutes } from './routes/feedback.ts';
import { goalRoutes } from './routes/goal.ts';
import { healthRoutes, type Ready } from './routes/health.ts';
import { type MachineRouteDependencies, machineRoutes } from './routes/machine.ts';
import { manyRoutes } from './routes/many.ts';
import { mcpRoutes } from './routes/mcp.ts';
import { type MemoryRouteDependencies, memoryRoutes } from './routes/memory.ts';
import { modelRoutes } from './routes/models.ts';
import { recordRoutes } from './routes/record.ts';
import { replayRoutes } from './routes/replay.ts';
import { runSocketRoute } from './routes/run-socket.ts';
import { runRoutes } from './routes/runs.ts';
import { runtimeRoutes } from './routes/runtime.ts';
import { scheduleRoutes } from './routes/schedules.ts';
import { searchRoutes } from './routes/search.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { skillRoutes } from './routes/skills.ts';
import { type StoreRouteDependencies, storeRoutes } from './routes/store.ts';
import { suggestionRoutes } from './routes/suggestions.ts';
import { threadChangeRoutes } from './routes/thread-changes.ts';
import { threadProtocolRoutes } from './routes/thread-protocol.ts';
import { threadStateRoutes } from './routes/thread-state.ts';
import { threadRoutes } from './routes/threads.ts';
import { transferRoutes } from './routes/transfer.ts';
import { uploadRoutes } from './routes/uploads.ts';
import { usageRoutes } from './routes/usage.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import { workspaceRoutes } from './routes/workspace.ts';
import { runResponses } from './runs/run-responses.ts';
import { createOpenStreams } from './streams/open-streams.ts';
import { createSessionWatch } from './streams/session-watch.ts';
import type { HttpOptions } from './transport/http-options.ts';

interface ApiParts {
  readonly auth: Auth;
  readonly models: ModelCatalog;
  readonly usage: { readonly service: UsageService; readonly suggestions: Suggestions };
  readonly threads: Threads;
  readonly threadStates: ThreadStateService;
  readonly runs: Runs;
  readonly workspace: Workspace;
  readonly memory: Memories;
  readonly customAgents: Agents;
  readonly skills: Skills;
  readonly toolServers: ToolServers;
  readonly store: StoreService;
  readonly webhooks: Webhooks;
  readonly schedules: Schedules;
  readonly transfer: Transfer;
}

interface ApiSetting {
  readonly options: Pick<HttpOptions, 'max_streams_per_user' | 'cors_origins' | 'public_url'>;
  readonly memoryOptions: MemoryRouteDependencies['memoryOptions'];
  readonly storeOptions: StoreRouteDependencies['storeOptions'];
  readonly machine: MachineRouteDependencies['machine'];
  readonly audit: AuditLog;
  readonly ready: Ready;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
}

const FAMILIES = [GATEWAY, RUNTIME];

/** Returns a function that mounts the routes in the order of matching. */
export function apiRoutes(parts: ApiParts, setting: ApiSetting): MountRoutes {
  const { auth, models, threadStates, workspace, webhooks, transfer } = parts;
  const { options, audit, log, now, newId } = setting;
  const { apiKeys, sessions, sessionEnds, confirmPassword, credentials } = auth;
  const { service: threads, accountRemover } = parts.threads;
  const { service: runs, assistants, backgroundTasks, feedback, threadChanges, threadEvents } = parts.runs;
  const { artifacts, files, snapshots, uploads, diskUseOf } = workspace;
  const { configs, desk, oauth } = parts.toolServers;
  const sessionWatch = createSessionWatch({ credentials, sessionEnds });
  const openStreams = createOpenStreams({ maxPerUser: options.max_streams_per_user, sessionWatch });
  const { cors_origins: origins } = options;
  const runParts = { runs, threads, openStreams, newId };
  const responses = runResponses(RUNTIME, runParts);
  return (routes) => {
    healthRoutes(routes, { ready: setting.ready });
    authRoutes(routes, auth);
    for (const family of FAMILIES) threadRoutes(routes, family, { threads, threadStates, log, newId });
    apiKeyRoutes(routes, { apiKeys, now });
    sessionRoutes(routes, { sessions, confirmPassword, now });
    modelRoutes(routes, { models });
    auditRoutes(routes, { audit });
    machineRoutes(routes, { machine: setting.machine });
    usageRoutes(routes, { usage: parts.usage.service });
    suggestionRoutes(routes, { suggestions: parts.usage.suggestions });
    memoryRoutes(routes, { memory: parts.memory.service, memoryOptions: setting.memoryOptions, now });
    goalRoutes(routes, { threadStates, now });
    scheduleRoutes(routes, { schedules: parts.schedules });
    backgroundTaskRoutes(routes, { backgroundTasks });
    runtimeRoutes(routes);
    searchRoutes(routes);
    threadChangeRoutes(routes, { threadChanges, openStreams });
    agentRoutes(routes, { customAgents: parts.customAgents });
    skillRoutes(routes, { skills: parts.skills });
    storeRoutes(routes, { store: parts.store, storeOptions: setting.storeOptions, log });
    webhookRoutes(routes, { webhookSecrets: webhooks.secrets, callWebhooks: webhooks.call, now });
    mcpRoutes(routes, { configs, desk, oauth, publicUrl: options.public_url, audit });
    transferRoutes(routes, { exports: transfer.exports, imports: transfer.imports, now });
    artifactRoutes(routes, { artifacts, diskUseOf, files, threadStates });
    workspaceRoutes(routes, { snapshots, runs });
    replayRoutes(routes, { threadStates, newId });
    uploadRoutes(routes, { uploads, diskUseOf });
    accountRoutes(routes, { deleteAccount: auth.deleteAccount, accountRemover });
    runSocketRoute(routes, { runs, responses, openStreams, log, now });
    threadProtocolRoutes(routes, {
      runs,
      responses,
      threadStates,
      threadEvents,
      openStreams,
      log,
      now,
      newId,
    });
    recordRoutes(routes, { runs });
    feedbackRoutes(routes, { runs, feedback });
    mcpEndpoint(routes, { runs, threads, artifacts, assistants, models, openStreams, log, newId, origins });
    for (const family of FAMILIES) {
      assistantRoutes(routes, family, { assistants });
      manyRoutes(routes, family, { runs, threads });
      runRoutes(routes, family, runParts);
      threadStateRoutes(routes, family, { threadStates, log, newId });
    }
  };
}
