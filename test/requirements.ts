// All requirements (docs/contract/README.md), by the ids that tests cite; `requirements.test.ts` checks both ways.
import { agentsRequirements } from './requirements/agents.ts';
import { artifactRequirements } from './requirements/artifacts.ts';
import { auditRequirements } from './requirements/audit.ts';
import { authRequirements } from './requirements/auth.ts';
import { backgroundRequirements } from './requirements/background.ts';
import { compactionRequirements } from './requirements/compaction.ts';
import { configRequirements } from './requirements/config.ts';
import { docsRequirements } from './requirements/docs.ts';
import { fairShareRequirements } from './requirements/fair-share.ts';
import { faultsRequirements } from './requirements/faults.ts';
import { goalRequirements } from './requirements/goals.ts';
import { hostileRequirements } from './requirements/hostile.ts';
import { httpRequirements } from './requirements/http.ts';
import { isolationRequirements } from './requirements/isolation.ts';
import { keyRequirements } from './requirements/keys.ts';
import { mcpRequirements } from './requirements/mcp.ts';
import { mcpServerRequirements } from './requirements/mcp-server.ts';
import { memoryRequirements } from './requirements/memory.ts';
import { modelsRequirements } from './requirements/models.ts';
import {
  answerRequirements,
  fallbackRequirements,
  longTaskRequirements,
  loopRequirements,
} from './requirements/on-track.ts';
import { peerRequirements } from './requirements/peer.ts';
import { planRequirements } from './requirements/plan.ts';
import { protocolRequirements } from './requirements/protocol.ts';
import { proxiesRequirements } from './requirements/proxies.ts';
import { quotaRequirements } from './requirements/quota.ts';
import { recordRequirements } from './requirements/record.ts';
import { runsRequirements } from './requirements/runs.ts';
import { sandboxRequirements } from './requirements/sandbox.ts';
import { scheduleRequirements } from './requirements/schedules.ts';
import { sdkRequirements } from './requirements/sdk.ts';
import { shippedSkillRequirements } from './requirements/shipped-skills.ts';
import { skillRequirements } from './requirements/skills.ts';
import { skillsInRunsRequirements } from './requirements/skills-in-runs.ts';
import { storageRequirements } from './requirements/storage.ts';
import { subagentsRequirements } from './requirements/subagents.ts';
import { suggestionsRequirements } from './requirements/suggestions.ts';
import { templateRequirements } from './requirements/template.ts';
import { toolsRequirements } from './requirements/tools.ts';
import { transferRequirements } from './requirements/transfer.ts';
import { truthRequirements } from './requirements/truth.ts';
import { undoRequirements } from './requirements/undo.ts';
import { upkeepRequirements } from './requirements/upkeep.ts';
import { uploadsRequirements } from './requirements/uploads.ts';
import { usageRequirements } from './requirements/usage.ts';
import { wakeUpRequirements } from './requirements/wake-ups.ts';
import { webRequirements } from './requirements/web.ts';
import { webhookRequirements } from './requirements/webhooks.ts';
import { workspaceRequirements } from './requirements/workspace.ts';

export const requirements: Readonly<Record<string, string>> = {
  ...agentsRequirements,
  ...artifactRequirements,
  ...auditRequirements,
  ...authRequirements,
  ...backgroundRequirements,
  ...compactionRequirements,
  ...configRequirements,
  ...docsRequirements,
  ...fairShareRequirements,
  ...faultsRequirements,
  ...goalRequirements,
  ...hostileRequirements,
  ...httpRequirements,
  ...isolationRequirements,
  ...keyRequirements,
  ...mcpRequirements,
  ...mcpServerRequirements,
  ...memoryRequirements,
  ...modelsRequirements,
  ...peerRequirements,
  ...answerRequirements,
  ...fallbackRequirements,
  ...longTaskRequirements,
  ...loopRequirements,
  ...planRequirements,
  ...protocolRequirements,
  ...proxiesRequirements,
  ...quotaRequirements,
  ...recordRequirements,
  ...runsRequirements,
  ...sandboxRequirements,
  ...scheduleRequirements,
  ...sdkRequirements,
  ...shippedSkillRequirements,
  ...skillRequirements,
  ...skillsInRunsRequirements,
  ...storageRequirements,
  ...subagentsRequirements,
  ...suggestionsRequirements,
  ...templateRequirements,
  ...toolsRequirements,
  ...undoRequirements,
  ...upkeepRequirements,
  ...uploadsRequirements,
  ...usageRequirements,
  ...truthRequirements,
  ...transferRequirements,
  ...wakeUpRequirements,
  ...webRequirements,
  ...webhookRequirements,
  ...workspaceRequirements,
};
