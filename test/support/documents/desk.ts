// A person who uploads documents, each test in a new thread, and reads the results.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { HttpClient } from '../http-client.ts';
import { jsonOf } from '../json-of.ts';
import { newThread, openTestService, type TestService, type TestServiceOptions } from '../service.ts';
import { type FileToSend, sendFiles, type UploadJson } from '../upload.ts';

export interface Desk {
  readonly service: TestService;
  readonly client: HttpClient;
  readonly userId: string;
  readonly threadId: string;
  /** Continues in a new thread. */
  clear(): Promise<void>;
  sent(...files: FileToSend[]): Promise<readonly UploadJson[]>;
  listed(): Promise<readonly UploadJson[]>;
  remove(filename: string): Promise<Response>;
  /** Returns the names of the files in the folder. */
  kept(): readonly string[];
  textOf(filename: string | undefined): string;
  /** Uploads the document and returns its Markdown. */
  markdownOf(name: string, content: Uint8Array): Promise<string>;
  /** Uploads a document that cannot be converted, checks that it alone is stored, and returns the reason. */
  reasonOf(name: string, content: Uint8Array | string): Promise<string | undefined>;
}

interface DeskOptions extends TestServiceOptions {
  /** A thread to reopen. Absent: a new one. */
  readonly threadId?: string;
  /** Keys of `uploads: conversion:`. */
  readonly conversion?: Record<string, unknown>;
}

export async function openDesk({ conversion, ...options }: DeskOptions = {}): Promise<Desk> {
  // Conversion is slow on a busy machine.
  const uploads = { conversion: { wait_seconds: 80, ...conversion } };
  const service = await openTestService({ ...options, config: { ...options.config, uploads } });
  const client = await service.user('ann');
  const { id: userId } = await jsonOf<{ id: string }>(client.get('/api/v1/auth/me'));
  let threadId = options.threadId ?? (await newThread(client));
  const path = () => `/api/threads/${threadId}/uploads`;
  const folder = () => join(service.dataHome, 'users', userId, 'threads', threadId, 'user-data', 'uploads');
  const kept = () => (existsSync(folder()) ? readdirSync(folder()).sort() : []);
  const textOf = (filename = 'nothing') => readFileSync(join(folder(), filename), 'utf8');
  const sent: Desk['sent'] = async (...files) =>
    (await jsonOf<{ files: UploadJson[] }>(sendFiles(client, threadId, files))).files;
  return {
    service,
    client,
    userId,
    get threadId() {
      return threadId;
    },
    async clear() {
      threadId = await newThread(client);
    },
    sent,
    listed: async () => (await jsonOf<{ files: UploadJson[] }>(client.get(`${path()}/list`))).files,
    remove: (filename) => client.delete(`${path()}/${filename}`),
    kept,
    textOf,
    async markdownOf(name, content) {
      const [record] = await sent({ name, content });
      expect(record?.conversion_error).toBe(undefined);
      return textOf(record?.markdown_file);
    },
    async reasonOf(name, content) {
      const [record] = await sent({ name, content });
      expect(record).toMatchObject({ filename: name, conversion_status: 'failed' });
      expect(kept()).toEqual([name]);
      return record?.conversion_error;
    },
  };
}
