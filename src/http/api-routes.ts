// Puts the routes together that are not about accounts, threads or health.
import type { Credentials } from '../auth/credentials.ts';
import type { SessionEnds } from '../auth/sessions.ts';
import type { Log } from '../log.ts';
import type { ModelCatalog } from '../models/catalog.ts';
import type { ThreadEvents } from '../runs/reading/protocol/thread-events.ts';
import type { HttpOptions } from './transport/http-options.ts';
import { mcpEndpoint } from './mcp/mcp-endpoint.ts';
import { createOpenStreams } from './streams/open-streams.ts';
import { GATEWAY, RUNTIME } from './api/route-family.ts';
import type { MountClientRoutes } from './api/route-table.ts';
import { type AccountRouteDependencies, accountRoutes } from './routes/account.ts';
import { type AgentRouteDependencies, agentRoutes } from './routes/agents.ts';
import { type ArtifactRouteDependencies, artifactRoutes } from './routes/artifacts.ts';
import { type AssistantRouteDependencies, assistantRoutes } from './routes/assistants.ts';
import { type AuditRouteDependencies, auditRoutes } from './routes/audit.ts';
import { type BackgroundTaskRouteDependencies, backgroundTaskRoutes } from './routes/background-tasks.ts';
import { featureRoutes, runtimeRoutes } from './routes/runtime.ts';
import { type FeedbackRouteDependencies, feedbackRoutes } from './routes/feedback.ts';
import { type GoalRouteDependencies, goalRoutes } from './routes/goal.ts';
import { type MachineRouteDependencies, machineRoutes } from './routes/machine.ts';
import { manyRoutes } from './routes/many.ts';
import { type McpRouteDependencies, mcpRoutes } from './routes/mcp.ts';
import { type MemoryRouteDependencies, memoryRoutes } from './routes/memory.ts';
import { modelRoutes } from './routes/models.ts';
import { recordRoutes } from './routes/record.ts';
import { replayRoutes } from './routes/replay.ts';
import { runSocketRoute } from './routes/run-socket.ts';
import { runRoutes } from './routes/runs.ts';
import { type ScheduleRouteDependencies, scheduleRoutes } from './routes/schedules.ts';
import { searchRoutes } from './routes/search.ts';
import { type SkillRouteDependencies, skillRoutes } from './routes/skills.ts';
import { type StoreRouteDependencies, storeRoutes } from './routes/store.ts';
import { type SuggestionRouteDependencies, suggestionRoutes } from './routes/suggestions.ts';
import { type ThreadChangeDependencies, threadChangeRoutes } from './routes/thread-changes.ts';
import { threadProtocolRoutes } from './routes/thread-protocol.ts';
import { type ThreadStateRouteDependencies, threadStateRoutes } from './routes/thread-state.ts';
import { type TransferRouteDependencies, transferRoutes } from './routes/transfer.ts';
import { type UploadRouteDependencies, uploadRoutes } from './routes/uploads.ts';
import { type UsageRouteDependencies, usageRoutes } from './routes/usage.ts';
import { type WebhookRouteDependencies, webhookRoutes } from './routes/webhooks.ts';
import { type WorkspaceRouteDependencies, workspaceRoutes } from './routes/workspace.ts';
import type { RunRouteDependencies } from './runs/run-answers.ts';
import { createSessionWatch } from './streams/session-watch.ts';

export interface ApiRouteParts
  extends Omit<RunRouteDependencies, 'openStreams'>,
    ThreadStateRouteDependencies,
    AssistantRouteDependencies,
    AgentRouteDependencies,
    AuditRouteDependencies,
    MachineRouteDependencies,
    Pick<FeedbackRouteDependencies, 'feedback'>,
    Pick<ThreadChangeDependencies, 'threadChanges'>,
    UsageRouteDependencies,
    SuggestionRouteDependencies,
    MemoryRouteDependencies,
    GoalRouteDependencies,
    ScheduleRouteDependencies,
    BackgroundTaskRouteDependencies,
    TransferRouteDependencies,
    ArtifactRouteDependencies,
    WorkspaceRouteDependencies,
    UploadRouteDependencies,
    SkillRouteDependencies,
    StoreRouteDependencies,
    WebhookRouteDependencies,
    McpRouteDependencies,
    AccountRouteDependencies {
  readonly models: ModelCatalog;
  readonly server: Pick<HttpOptions, 'max_streams_per_user' | 'cors_origins'>;
  readonly credentials: Credentials;
  readonly sessionEnds: SessionEnds;
  readonly threadEvents: ThreadEvents;
  readonly log: Log;
}

/** In the order in which they are asked. */
export function createApiRoutes(parts: ApiRouteParts): readonly MountClientRoutes[] {
  const shared = {
    ...parts,
    openStreams: createOpenStreams({
      maxPerUser: parts.server.max_streams_per_user,
      sessionWatch: createSessionWatch(parts),
    }),
  };
  return [
    modelRoutes(parts),
    auditRoutes(parts),
    machineRoutes(parts),
    usageRoutes(parts),
    suggestionRoutes(parts),
    memoryRoutes(parts),
    goalRoutes(parts),
    scheduleRoutes(parts),
    backgroundTaskRoutes(parts),
    runtimeRoutes(),
    featureRoutes(),
    searchRoutes(),
    threadChangeRoutes(shared),
    agentRoutes(parts),
    skillRoutes(parts),
    storeRoutes(parts),
    webhookRoutes(parts),
    mcpRoutes(parts),
    transferRoutes(parts),
    artifactRoutes(parts),
    workspaceRoutes(parts),
    replayRoutes(parts),
    uploadRoutes(parts),
    accountRoutes(parts),
    runSocketRoute(shared),
    threadProtocolRoutes(shared),
    recordRoutes(parts),
    feedbackRoutes(parts),
    mcpEndpoint({ ...shared, allowedOrigins: parts.server.cors_origins }),
    ...[GATEWAY, RUNTIME].flatMap((family) => [
      assistantRoutes(family, parts),
      manyRoutes(family, parts),
      runRoutes(family, shared),
      threadStateRoutes(family, parts),
    ]),
  ];
}
