// Puts together what programs use beside threads and runs: the store, and webhooks.
import type { Auth } from './auth/create-auth.ts';
import { createWebhookRoom, type WebhookRoom } from './create-webhook-room.ts';
import type { StoreRouteDependencies } from './http/routes/store.ts';
import type { WebhookRouteDependencies } from './http/routes/webhooks.ts';
import type { Log } from './log.ts';
import type { Storage } from './storage/storage.ts';
import type { ThreadStates } from './storage/thread-states.ts';
import { createStoreRoom } from './store/create-store.ts';
import type { StoreOptions } from './store/store-options.ts';
import type { AdmitBytes } from './store/store-service.ts';
import type { JobTaker } from './upkeep/upkeep.ts';
import type { WebhookOptions } from './webhooks/webhook-options.ts';

interface ProgramRoom {
  readonly routes: WebhookRouteDependencies & Omit<StoreRouteDependencies, 'log'>;
  /** What runs need of it. */
  readonly runs: Pick<WebhookRoom, 'checkWebhook' | 'callWebhooks'>;
}

interface ProgramRoomParts {
  readonly config: { readonly store: StoreOptions; readonly webhooks: WebhookOptions };
  readonly storage: Storage;
  readonly states: ThreadStates;
  readonly admitMetadata: AdmitBytes;
  readonly keyFor: Auth['keyFor'];
  readonly log: Log;
  readonly now: () => number;
  readonly upkeep: JobTaker;
}

export function createProgramRoom(parts: ProgramRoomParts): ProgramRoom {
  const { config } = parts;
  const store = createStoreRoom({ ...parts, options: config.store });
  const webhooks = createWebhookRoom({ ...parts, options: config.webhooks });
  const { webhookSecrets, checkWebhook, callWebhooks } = webhooks;
  return {
    routes: { ...store, webhookSecrets, callWebhooks, now: parts.now },
    runs: { checkWebhook, callWebhooks },
  };
}
