// How long texts are stored: deflated on SQLite, as they are on Postgres, which compresses long values by itself.
import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** What a column holds for a text: the text, or its packed bytes. Columns of either kind may be read. */
export type PackedText = string | Uint8Array;

/** Shorter texts gain too little; longer ones would hold the thread of the service for milliseconds. */
const LEAST_LENGTH = 768;
const MOST_LENGTH = 65_536;

/** The first byte of packed bytes says how they are read. A format that was released is read for ever. */
const FORMAT = 1;
const LEVEL = 3;
/** Most packed texts fit; memory for longer ones is taken as it is needed. */
const CHUNK_BYTES = 4_096;

/**
 * What the JSON of messages has in common, so that short ones shrink, too. It is part of format 1 and never changes;
 * a better one would be format 2.
 */
const DICTIONARY = Buffer.from(
  [
    '"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"',
    '"usage":{"prompt_tokens":,"completion_tokens":"function":{"name":"","arguments":"{\\"path\\":\\"/mnt/user-data/',
    '"thinking_enabled":true,"is_plan_mode":false,"stream_mode":["messages-tuple"],"stream_subgraphs":false,',
    '"on_disconnect":"continue","delete_thread":false,"interrupt_before":[],"interrupt_after":[]}',
    '{"type":"step_start","node":"model","step":1,"taskId":"01{"type":"tools_start","callIds":["call_',
    '{"type":"state","checkpointId":"01","parentId":"01","source":"loop","node":"tools","step":1,"taskId":"01',
    '","next":["model"]},0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,',
    '{"messages":[{"id":"01","content":"","name":null,"additional_kwargs":{},"response_metadata":{},"type":"human",',
    '"role":"user"}],"values":{}}","additional_kwargs":{},"response_metadata":{},"type":"tool","tool_call_id":"call_',
    '","artifact":null,"status":"success","role":"tool"}","name":null,"additional_kwargs":{},"response_metadata":',
    '{"model_name":"","finish_reason":"tool_calls"},"type":"ai","role":"assistant","tool_calls":[{"type":"tool_call",',
    '"id":"call_","name":"","args":{"path":"/mnt/user-data/workspace/"}}],"invalid_tool_calls":[],"usage_metadata":',
    '{"input_tokens":1,"output_tokens":1,"total_tokens":1,"input_token_details":{"cache_read":0,"cache_creation":0},',
    '"output_token_details":{"reasoning":0}}}],"values":{}}',
  ].join(''),
);

/** `unpackText` gives the same text back. What would not get shorter stays as it is. */
export function packText(text: string): PackedText {
  if (text.length < LEAST_LENGTH || text.length > MOST_LENGTH) return text;
  const bytes = Buffer.from(text);
  const packed = deflateRawSync(bytes, { level: LEVEL, dictionary: DICTIONARY, chunkSize: CHUNK_BYTES });
  return packed.length + 1 < bytes.length ? Buffer.concat([Uint8Array.of(FORMAT), packed]) : text;
}

/** Throws for bytes that no release has written. */
export function unpackText(stored: PackedText): string {
  if (typeof stored === 'string') return stored;
  if (stored[0] !== FORMAT) throw new TypeError('a stored text has an unknown format');
  return inflateRawSync(stored.subarray(1), { dictionary: DICTIONARY }).toString();
}

/** The value with NUL, which Postgres refuses, replaced by U+FFFD. JSON texts are never touched: they escape it. */
export function bindable<T>(value: T): T | string {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}
