// Every call that the app makes besides the SDK's: functions that return parsed bodies or throw RequestError.
import { createAgentCalls } from './agent-calls.ts';
import { createAuthCalls, createKeyCalls } from './auth-calls.ts';
import { createCall, read } from './call.ts';
import { createChangeCalls } from './change-calls.ts';
import { createFileCalls } from './file-calls.ts';
import { createGoalCalls } from './goal-calls.ts';
import { createMemoryCalls } from './memory-calls.ts';
import { createRatingCalls, createRunCalls } from './run-calls.ts';
import { createScheduleCalls } from './schedule-calls.ts';
import { RequestError, requestErrorOf } from './service-error.ts';
import type { ServiceFetch, ServiceUpload, Upload } from './service-fetch.ts';
import {
  type ImportedPackage,
  importedPackageSchema,
  type Machine,
  type Model,
  machineSchema,
  modelListSchema,
  type Usage,
  usageSchema,
} from './shapes.ts';
import { createSkillCalls } from './skill-calls.ts';
import { createStateCalls, createThreadCalls } from './thread-calls.ts';
import { createToolServerCalls } from './tool-server-calls.ts';

export type Api = ReturnType<typeof createApi>;

export function createApi(fetch: ServiceFetch, upload: ServiceUpload) {
  const call = createCall(fetch);
  return {
    ...createAuthCalls(call),
    ...createKeyCalls(call),
    ...createThreadCalls(call),
    ...createStateCalls(call),
    ...createRunCalls(call),
    ...createRatingCalls(call),
    ...createFileCalls(call, upload),
    ...createChangeCalls(call),
    ...createSkillCalls(call, upload),
    ...createAgentCalls(call),
    ...createMemoryCalls(call),
    ...createGoalCalls(call),
    ...createScheduleCalls(call),
    ...createToolServerCalls(call),

    /** Imports a package of a thread or an account, all or nothing. */
    async importPackage(file: Blob, progress: Pick<Upload, 'onSent' | 'signal'>): Promise<ImportedPackage> {
      const contentType = 'application/zip';
      const response = await upload({ path: '/api/account/import', body: file, contentType, ...progress });
      if (!response.ok) throw await requestErrorOf(response);
      return read(response, importedPackageSchema);
    },

    /** The usage of the signed-in person in the last 30 days, and today's budget. */
    usage: async (): Promise<Usage> => read(await call('GET', '/api/usage'), usageSchema),

    /** Software that is missing on the service's machine; for administrators. */
    machine: async (): Promise<Machine> => read(await call('GET', '/api/admin/machine'), machineSchema),

    /** Returns the models to choose from. Empty where the service offers no choice. */
    async models(): Promise<readonly Model[]> {
      try {
        return (await read(await call('GET', '/api/models'), modelListSchema)).models;
      } catch (error) {
        if (error instanceof RequestError && error.status === 404) return [];
        throw error;
      }
    },
  };
}
