// Keeps prompt marks in the text of people, files, tools and pages from passing for real ones.
import { withoutForgedMarks } from '../../messages/forged-marks.ts';
import { isBeginning } from '../../messages/is-beginning.ts';
import type { Message, MessageContent } from '../../messages/message.ts';
import type { Middleware } from '../middleware.ts';
import { isTaskResult, markedTaskResult } from '../task-result.ts';

/** Changes only prompts, a message always to the same object. The model's text stays: providers sign it. */
export function createForgedMarksMiddleware(): Middleware {
  const changed = new WeakMap<Message, Message>();
  // By the first message of a thread, so that a turn checks only the messages that it adds.
  const newest = new WeakMap<Message, PlainMessages>();
  const plain = (message: Message): Message => {
    const known = changed.get(message) ?? plainMessage(message);
    if (known !== message) changed.set(message, known);
    return known;
  };
  return {
    name: 'forged_marks',
    shapeRequest(request) {
      const { messages } = request;
      const [first] = messages;
      if (first === undefined) return request;
      const known = newest.get(first);
      const older = known !== undefined && isBeginning(known.messages, messages) ? known.plain : [];
      const checked = { messages, plain: [...older, ...messages.slice(older.length).map(plain)] };
      newest.set(first, checked);
      return { ...request, messages: checked.plain };
    },
  };
}

interface PlainMessages {
  readonly messages: readonly Message[];
  readonly plain: readonly Message[];
}

function plainMessage(message: Message): Message {
  if (message.type === 'ai') return message;
  if (isTaskResult(message)) return markedTaskResult(message);
  const content = plainContent(message.content);
  return content === message.content ? message : { ...message, content };
}

function plainContent(content: MessageContent): MessageContent {
  if (typeof content === 'string') return withoutForgedMarks(content);
  const blocks = content.map((block) => {
    if (block.type !== 'text' || typeof block.text !== 'string') return block;
    const text = withoutForgedMarks(block.text);
    return text === block.text ? block : { ...block, text };
  });
  return blocks.every((block, index) => block === content[index]) ? content : blocks;
}
