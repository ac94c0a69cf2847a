// Puts the routes together that are not about accounts, threads or health.
import type { Credentials } from './auth/credentials.ts';
import type { SessionEnds } from './auth/sessions.ts';
import { GATEWAY, RUNTIME } from './http/api/route-family.ts';
import type { MountClientRoutes } from './http/api/route-table.ts';
import { mcpEndpoint } from './http/mcp/mcp-endpoint.ts';
import { type AccountRouteDependencies, accountRoutes } from './http/routes/account.ts';
import { type AgentRouteDependencies, agentRoutes } from './http/routes/agents.ts';
import { type ArtifactRouteDependencies, artifactRoutes } from './http/routes/artifacts.ts';
import { type AssistantRouteDependencies, assistantRoutes } from './http/routes/assistants.ts';
import { type AuditRouteDependencies, auditRoutes } from './http/routes/audit.ts';
import {
  type BackgroundTaskRouteDependencies,
  backgroundTaskRoutes,
} from './http/routes/background-tasks.ts';
import { type FeedbackRouteDependencies, feedbackRoutes } from './http/routes/feedback.ts';
import { type GoalRouteDependencies, goalRoutes } from './http/routes/goal.ts';
import { type MachineRouteDependencies, machineRoutes } from './http/routes/machine.ts';
import { manyRoutes } from './http/routes/many.ts';
import { type McpRouteDependencies, mcpRoutes } from './http/routes/mcp.ts';
import { type MemoryRouteDependencies, memoryRoutes } from './http/routes/memory.ts';
import { modelRoutes } from './http/routes/models.ts';
import { recordRoutes } from './http/routes/record.ts';
import { replayRoutes } from './http/routes/replay.ts';
import { runSocketRoute } from './http/routes/run-socket.ts';
import { runRoutes } from './http/routes/runs.ts';
import { featureRoutes, runtimeRoutes } from './http/routes/runtime.ts';
import { type ScheduleRouteDependencies, scheduleRoutes } from './http/routes/schedules.ts';
import { searchRoutes } from './http/routes/search.ts';
import { type SkillRouteDependencies, skillRoutes } from './http/routes/skills.ts';
import { type StoreRouteDependencies, storeRoutes } from './http/routes/store.ts';
import { type SuggestionRouteDependencies, suggestionRoutes } from './http/routes/suggestions.ts';
import { type ThreadChangeDependencies, threadChangeRoutes } from './http/routes/thread-changes.ts';
import { threadProtocolRoutes } from './http/routes/thread-protocol.ts';
import { type ThreadStateRouteDependencies, threadStateRoutes } from './http/routes/thread-state.ts';
import { type TransferRouteDependencies, transferRoutes } from './http/routes/transfer.ts';
import { type UploadRouteDependencies, uploadRoutes } from './http/routes/uploads.ts';
import { type UsageRouteDependencies, usageRoutes } from './http/routes/usage.ts';
import { type WebhookRouteDependencies, webhookRoutes } from './http/routes/webhooks.ts';
import { type WorkspaceRouteDependencies, workspaceRoutes } from './http/routes/workspace.ts';
import type { RunRouteDependencies } from './http/runs/run-answers.ts';
import { createOpenStreams } from './http/streams/open-streams.ts';
import { createSessionWatch } from './http/streams/session-watch.ts';
import type { HttpOptions } from './http/transport/http-options.ts';
import type { Log } from './log.ts';
import type { ModelCatalog } from './models/catalog.ts';
import type { ThreadEvents } from './runs/reading/protocol/thread-events.ts';

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
