// The sentences of the contract that can fail, by the ids that tests cite; `requirements.test.ts` checks both ways.
import { authRequirements } from './requirements/auth.ts';
import { compactionRequirements } from './requirements/compaction.ts';
import { configRequirements } from './requirements/config.ts';
import { docsRequirements } from './requirements/docs.ts';
import { faultsRequirements } from './requirements/faults.ts';
import { httpRequirements } from './requirements/http.ts';
import { modelsRequirements } from './requirements/models.ts';
import { peerRequirements } from './requirements/peer.ts';
import { protocolRequirements } from './requirements/protocol.ts';
import { runsRequirements } from './requirements/runs.ts';
import { sdkRequirements } from './requirements/sdk.ts';
import { storageRequirements } from './requirements/storage.ts';
import { subagentsRequirements } from './requirements/subagents.ts';
import { toolsRequirements } from './requirements/tools.ts';
import { webRequirements } from './requirements/web.ts';
import { workspaceRequirements } from './requirements/workspace.ts';

export const requirements: Readonly<Record<string, string>> = {
  ...authRequirements,
  ...compactionRequirements,
  ...configRequirements,
  ...docsRequirements,
  ...faultsRequirements,
  ...httpRequirements,
  ...modelsRequirements,
  ...peerRequirements,
  ...protocolRequirements,
  ...runsRequirements,
  ...sdkRequirements,
  ...storageRequirements,
  ...subagentsRequirements,
  ...toolsRequirements,
  ...webRequirements,
  ...workspaceRequirements,
};
