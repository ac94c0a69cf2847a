// Where the service's frames differ from the peer's on purpose. Everything that is not named here has to be the same.
import { isDeepStrictEqual } from 'node:util';
import {
  begunWith,
  changed,
  checkpointOf,
  type Frames,
  fields,
  inputCount,
  isEmptyPiece,
  isNested,
  isProgress,
  isQuestion,
  isWaiting,
  messagesBeforeEnds,
  namedByAgent,
  newestPartials,
  resultsBehindTools,
  text,
  withFirstCheckpoints,
  withoutClosing,
  withoutCommand,
  withoutEarlier,
  withoutInput,
  withoutInstructions,
  withoutWording,
} from './frame-changes.ts';

/** What a run was asked for, as far as it decides about its frames. */
export type RunRequest = Readonly<Record<string, unknown>>;

/** Frames that one of the two sends and the other does not, or sends otherwise. */
export interface FrameDifference {
  readonly why: string;
  /** What is expected in the place of the peer's frames of one run. */
  readonly expected?: (peer: Frames, request: RunRequest) => Frames;
  /** The service's frames of one run without those that are its own. */
  readonly compared?: (ours: Frames, request: RunRequest) => Frames;
}

/** A field that the service does not tell, or tells otherwise; `at` is matched against its whole path. */
export interface FieldDifference {
  readonly at: RegExp;
  readonly why: string;
  /** What the service has to say there; absent: it need not say anything. */
  readonly says?: (ours: unknown, peer: unknown) => boolean;
}

export const FRAME_DIFFERENCES: readonly FrameDifference[] = [
  {
    why: 'The contract has an `end` frame after the last one; the peer just closes the stream.',
    expected: (peer) => [...peer, { event: 'end', data: {} }],
  },
  {
    why: 'The input is applied with one checkpoint; the peer writes one before it that waits for `__start__`.',
    expected: (peer) => peer.filter((it) => !isDeepStrictEqual(checkpointOf(it)?.next, ['__start__'])),
  },
  {
    why: 'That one is of the source `input`. What comes next is told as the node where a run can be taken up: middleware has a step only if it changes something. The state that a run goes on from is shown without its past.',
    expected: (peer) => withFirstCheckpoints(peer, begunWith),
  },
  {
    why: 'Without `stream_subgraphs` nothing of a sub-agent is shown; the peer shows its messages and events.',
    expected: (peer, { stream_subgraphs: isFollowed }) =>
      isFollowed === true ? peer : peer.filter((frame) => !isNested(frame)),
  },
  {
    why: 'Namespaces name the agent that speaks. The peer adds its node, to messages even in the name of the frame; but the SDK takes whatever has `tools:` in it for a sub-agent.',
    expected: (peer) => peer.map(namedByAgent),
  },
  {
    why: 'The peer sends short checkpoints with `values`, which were not asked for, when sub-agents are followed.',
    expected: (peer) => peer.filter(({ data }) => fields(data)?.parent_id === undefined),
  },
  {
    why: 'The contract shows the progress of sub-agents in `custom`, to everybody.',
    compared: (ours) => ours.filter((it) => it.event !== 'custom' || !isProgress(it.data)),
  },
  {
    why: 'A step that waits for the person is a checkpoint, because calls beside it may have their results.',
    compared: (ours) => ours.filter((it) => !isWaiting(it)),
  },
  {
    why: 'A step that failed is closed with a checkpoint, so that nothing is left to do and clients do not take the run for one that waits. Its values are those from before.',
    compared: (ours) => withoutClosing(ours),
  },
  {
    why: 'The edges of the graph engine are runnables of their own. There is no graph engine.',
    expected: (peer) => peer.filter(({ data }) => text(data, 'name') !== 'RunnableLambda'),
  },
  {
    why: 'The peer passes pieces on that say nothing: the role at the start, the reason at the end.',
    expected: (peer) => peer.filter((frame) => !isEmptyPiece(frame)),
  },
  {
    why: 'The peer reports a tool that asks the person as one that failed. It did not: `__interrupt__` tells it.',
    expected: (peer) => peer.filter((frame) => !isQuestion(frame)),
  },
  {
    why: 'What a model is told of a tool that failed is worded by each.',
    expected: (peer) => peer.map(withoutWording),
    compared: (ours) => ours.map(withoutWording),
  },
  {
    why: 'A model is named by its node, not by the class of a library.',
    expected: (peer) => changed(peer, 'ChatOpenAI', (data) => ({ ...data, name: 'model' })),
  },
  {
    why: 'Instructions of the agent are not told to whoever streams a run.',
    expected: (peer) =>
      ['on_chat_model_start', 'on_chat_model_end'].reduce(
        (frames, event) => changed(frames, event, (data) => withoutInstructions(data)),
        peer,
      ),
  },
  {
    why: 'What a step was given is told when it begins, not once more when it ends.',
    expected: (peer) =>
      peer.map((frame) => (text(frame.data, 'event') === 'on_chain_end' ? withoutInput(frame) : frame)),
  },
  {
    why: 'What a step wrote is told before its end, as it is written down; with the peer the end may overtake it.',
    expected: messagesBeforeEnds,
    compared: resultsBehindTools,
  },
  {
    why: 'A message that grew while its reader was busy is shown as it stands by then.',
    expected: newestPartials,
    compared: newestPartials,
  },
  {
    why: 'A run tells which messages it adds, not those that were there before it.',
    expected: (peer, request) => withoutEarlier(peer, inputCount(request)),
  },
  {
    why: 'The peer tells no whole messages when sub-agents are followed.',
    compared: (ours, { stream_subgraphs: isFollowed }) =>
      isFollowed === true ? ours.filter(({ event }) => !event.startsWith('messages/complete')) : ours,
  },
  {
    why: 'A resumed run has no input; the answer is in what the tool makes of it.',
    expected: (peer) => changed(peer, 'on_chain_start', (data) => withoutCommand(data)),
  },
];

/** A message that is being written, in both modes that show it. */
const CHUNK = '(messages\\[0\\]|events\\.data\\.chunk)';
/** A whole message, wherever it stands. */
const WHOLE =
  '(.+\\.messages(\\[\\d+\\])+|messages\\[0\\]|messages/complete\\[\\d+\\]|events\\.data\\.output)';

export const FIELD_DIFFERENCES: readonly FieldDifference[] = [
  {
    at: /^(messages(\/partial|\/metadata)?\[1\]|events\.metadata)\.(langgraph_(step|triggers|path)|checkpoint_ns|name|__pregel_task_id)$/,
    why: 'Bookkeeping of the graph engine, which would go out with every token.',
  },
  {
    at: /^messages\[1\]\.tags$/,
    why: 'The same: the number of the step, as a tag of a tool result.',
  },
  {
    at: new RegExp(`^${CHUNK}\\.type$`),
    why: 'The contract names pieces of a message as its message library dumps them.',
    says: (ours, peer) => ours === (peer === 'ai' ? 'AIMessageChunk' : peer),
  },
  {
    at: new RegExp(`^${CHUNK}\\.(tool_calls|invalid_tool_calls)$`),
    why: 'What can be parsed of a piece of a call; clients join `tool_call_chunks`.',
  },
  {
    at: /\.additional_kwargs\.tool_calls$/,
    why: 'The calls once more, as one provider writes them.',
  },
  {
    at: /\.response_metadata\.(model_provider|usage)$/,
    why: 'Differs from provider to provider; usage is in `usage_metadata`.',
  },
  {
    at: /^(.+\.messages(\[\d+\])+|messages\/complete\[\d+\]|events\.data\.output)\.tool_call_chunks$/,
    why: 'What is left of the pieces in a message that is complete.',
  },
  {
    at: new RegExp(`^${WHOLE}\\.metadata$`),
    why: 'A field of tool results in one library, always empty.',
  },
  {
    at: /\.(config|parent_config)\.(metadata|recursion_limit|tags)$/,
    why: 'The options of the run, not of the checkpoint.',
  },
  {
    at: /\.(config|parent_config)\.configurable\.run_id$/,
    why: 'The same.',
  },
  {
    at: /^(checkpoints|debug\.payload)\.metadata\.(run_id|thread_id)$/,
    why: 'The peer tells it of checkpoints that it read, not of those that it wrote.',
  },
  {
    at: /\.metadata\.parents\.$/,
    why: 'Checkpoints of a sub-agent are found by its namespace, not by a checkpoint of the agent around it.',
  },
  {
    at: /\.checkpoint_map$/,
    why: 'The same, once more.',
    says: (ours, peer) => peer !== null || ours === null,
  },
  {
    at: /\.tasks\[0\]\.id$/,
    why: 'A step gets its id when it begins, because it may never do so.',
    says: (ours) => typeof ours === 'string',
  },
  {
    at: /^events\.data\.error$/,
    why: 'The error of a tool, in the words that the model is told.',
    says: (ours) => typeof ours === 'string' && ours !== '',
  },
  {
    at: /^error\.(error|message)$/,
    why: 'Failures have names of their own, and what a provider said is not passed on.',
    says: (ours) => typeof ours === 'string' && ours !== '',
  },
];
