// The first frame of a run's WebSocket: a run request or a run to join, each with the CSRF token.
import { z } from 'zod';
import { validationFailed } from '../../errors.ts';
import { parseJsonText } from '../../json/json-text.ts';
import { stateObject } from '../../messages/bounded-json.ts';
import type { JsonObject } from '../../messages/message.ts';
import { type FramePosition, framePosition } from '../../runs/reading/frame-position.ts';
import { type RunBody, runBodySchema } from '../../runs/request/run-request.ts';
import { STREAM_MODES, type StreamMode } from '../../runs/request/stream-modes.ts';
import { requireCsrfToken } from '../access/require-csrf-token.ts';
import type { AppContext } from '../api/context.ts';
import { validate } from '../api/validate.ts';

export type RunSocketRequest =
  | { readonly kind: 'run'; readonly body: RunBody }
  | {
      readonly kind: 'join';
      readonly runId: string;
      readonly after: FramePosition;
      /** Absent: those that the run was created with. */
      readonly modes?: readonly StreamMode[];
    };

const joinSchema = z.object({
  join: z.string().min(1).max(128),
  last_event_id: z.string().max(64).nullish(),
  stream_mode: z.array(z.enum(STREAM_MODES)).min(1).max(STREAM_MODES.length).nullish(),
});

/** Throws `validation_failed` for a frame that is no request, `forbidden` for one without the right token. */
export function runSocketRequest(c: AppContext, bytes: Uint8Array): RunSocketRequest {
  const { csrf_token: token, ...request } = frameObject(bytes);
  requireCsrfToken(c, typeof token === 'string' ? token : undefined);
  if (!('join' in request)) return { kind: 'run', body: validate(runBodySchema, request, 'body') };
  const join = validate(joinSchema, request, 'body');
  return {
    kind: 'join',
    runId: join.join,
    after: framePosition(join.last_event_id ?? undefined),
    ...(join.stream_mode == null ? {} : { modes: join.stream_mode }),
  };
}

/** Whether a later frame asks for the end of the run; any other frame throws `validation_failed`. */
export function requireCancel(bytes: Uint8Array): void {
  validate(cancelSchema, frameObject(bytes), 'body');
}

const cancelSchema = z.object({ cancel: z.literal('interrupt') });

function frameObject(bytes: Uint8Array): JsonObject {
  const parsed = stateObject.safeParse(parseJsonText(bytes));
  if (!parsed.success) throw validationFailed(['body'], 'A frame is a JSON object.');
  return parsed.data;
}
