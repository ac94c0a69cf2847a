// Storage of long texts: deflated on SQLite, unchanged on Postgres, which compresses long values itself.
import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** The stored form of a text: the text, or its packed bytes. Either can be read. */
export type PackedText = string | Uint8Array;

/** Shorter texts gain too little. Longer ones would block the service's thread for milliseconds. */
const LEAST_LENGTH = 768;
const MOST_LENGTH = 65_536;

/**
 * The first byte of packed bytes names their format. A released format stays readable in all later releases.
 */
const FORMAT = 1;
const LEVEL = 3;
/** Most packed texts fit. Longer ones allocate more as needed. */
const CHUNK_BYTES = 4_096;

/**
 * Common parts of the JSON of messages, so that short texts shrink too. It is part of format 1 and never
 * changes. A better one would be format 2.
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

/** Packs a text, which `unpackText` restores. Returns the text itself when packing would not shorten it. */
export function packText(text: string): PackedText {
  if (text.length < LEAST_LENGTH || text.length > MOST_LENGTH) return text;
  const bytes = Buffer.from(text);
  const packed = deflateRawSync(bytes, { level: LEVEL, dictionary: DICTIONARY, chunkSize: CHUNK_BYTES });
  return packed.length + 1 < bytes.length ? Buffer.concat([Uint8Array.of(FORMAT), packed]) : text;
}

/** Returns the text of a stored value. Throws for bytes that no release has written. */
export function unpackText(stored: PackedText): string {
  if (typeof stored === 'string') return stored;
  if (stored[0] !== FORMAT) throw new TypeError('a stored text has an unknown format');
  return inflateRawSync(stored.subarray(1), { dictionary: DICTIONARY }).toString();
}

/**
 * Returns the value with NUL, which Postgres refuses, replaced by U+FFFD. JSON texts never change, because
 * they escape it.
 */
export function bindable<T>(value: T): T | string {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}
