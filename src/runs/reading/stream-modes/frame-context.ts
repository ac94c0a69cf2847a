// What the frames of one reader have in common.
import { LEAD_NAMESPACE } from '../../../messages/agent-namespace.ts';
import type { Frame, StreamMode } from '../../request/stream-modes.ts';
import { GrowingMessage } from './growing-message.ts';

export interface FrameContext {
  readonly runId: string;
  readonly threadId: string;
  readonly modes: ReadonlySet<StreamMode>;
  /** Of the agent whose frames these are; empty for the lead agent. */
  readonly namespace: string;
  /** By which `events` know the work of the agent: the run itself, or the namespace of a sub-agent. */
  readonly workId: string;
  readonly metadata: FrameMetadata;
  /** What the agent is writing; absent for a reader that is not shown messages as they grow. */
  readonly growing?: GrowingMessage;
}

/** JSON texts, made once: they go out with every token. */
interface FrameMetadata {
  readonly run: string;
  readonly model: string;
  readonly tools: string;
}

export function createFrameContext(
  context: Pick<FrameContext, 'runId' | 'threadId' | 'modes' | 'namespace'>,
): FrameContext {
  return {
    ...context,
    workId: context.namespace || context.runId,
    metadata: new MetadataTexts(context),
    ...(context.modes.has('messages') ? { growing: new GrowingMessage() } : {}),
  };
}

/** Made when they are asked for: most readers need one of them, and one of a silent run none. */
class MetadataTexts implements FrameMetadata {
  readonly #place: Place;
  #run: string | undefined;
  #model: string | undefined;
  #tools: string | undefined;

  constructor(place: Place) {
    this.#place = place;
  }

  get run(): string {
    // A sub-agent works in a node of the agent around it.
    this.#run ??=
      this.#place.namespace === LEAD_NAMESPACE
        ? metadataText(this.#place)
        : metadataText(this.#place, 'tools');
    return this.#run;
  }

  get model(): string {
    this.#model ??= metadataText(this.#place, 'model');
    return this.#model;
  }

  get tools(): string {
    this.#tools ??= metadataText(this.#place, 'tools');
    return this.#tools;
  }
}

type Place = Pick<FrameContext, 'runId' | 'threadId' | 'namespace'>;

/** JSON text of the metadata of a node, as `messages` and `events` frames carry it. */
export function nodeMetadata(context: FrameContext, node: string): string {
  if (node === 'model') return context.metadata.model;
  return node === 'tools' ? context.metadata.tools : metadataText(context, node);
}

function metadataText({ runId, threadId, namespace }: Place, node?: string): string {
  const place = node === undefined ? '' : `"langgraph_node":${JSON.stringify(node)},`;
  return `{${place}"langgraph_checkpoint_ns":"${namespace}","run_id":"${runId}","thread_id":${JSON.stringify(threadId)},"tags":[]}`;
}

/** The frame of a mode, if the reader asked for it; `data` is only made for one who did. */
export function framesIn(
  mode: Exclude<StreamMode, 'messages-tuple' | 'messages'>,
  { modes }: FrameContext,
  data: () => Frame['data'],
): readonly Frame[] {
  return modes.has(mode) ? [{ event: mode, data: data() }] : [];
}
