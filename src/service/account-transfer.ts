// Creates export and import, including an account's skills, agents, memory and schedules.
import { createAgentTransfer } from '../agents/agent-transfer.ts';
import { RELEASE } from '../http/api/release.ts';
import type { MemoryService } from '../memory/memory-service.ts';
import { createMemoryTransfer } from '../memory/memory-transfer.ts';
import { createScheduleTransfer } from '../schedules/schedule-transfer.ts';
import type { Skills } from '../skills/skills.ts';
import type { Threads } from '../threads/create-threads.ts';
import { createTransfer, type Transfer } from '../transfer/create-transfer.ts';
import type { Workspace } from '../workspace/create-workspace.ts';
import type { Ground } from './ground.ts';

interface AccountTransferParts {
  readonly ground: Pick<Ground, 'config' | 'storage' | 'exclusive' | 'upkeep' | 'log' | 'now' | 'newId'>;
  readonly workspace: Pick<Workspace, 'files' | 'admitMetadata'>;
  readonly threads: Pick<Threads, 'removeFiles'>;
  readonly skills: Pick<Skills, 'transfer'>;
  readonly memory: Pick<MemoryService, 'merge' | 'switch'>;
  readonly hasModel: (name: string) => boolean;
}

export function createAccountTransfer(parts: AccountTransferParts): Transfer {
  const { workspace, threads, skills, memory, hasModel } = parts;
  const { config, storage, exclusive, upkeep, log, now, newId } = parts.ground;
  return createTransfer({
    storage,
    files: workspace.files,
    skills: skills.transfer,
    lines: {
      agents: createAgentTransfer({ storage, hasModel, now, newId }),
      memory: createMemoryTransfer({ storage, memory, now }),
      schedules: createScheduleTransfer({ storage, options: config.schedules, hasModel, now, newId }),
    },
    dataHome: config.dataHome,
    options: config.import,
    maxStateBytes: config.runs.max_state_mb * 1_048_576,
    admitMetadata: workspace.admitMetadata,
    store: config.store,
    serviceVersion: RELEASE,
    quota: config.workspace,
    removeFiles: threads.removeFiles,
    exclusive,
    upkeep,
    log,
    now,
    newId,
  });
}
