// The storage contract for the audit log: one chain that everybody appends to and nobody changes.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AUDIT_ACTS, type NewAuditEntry } from '../../src/storage/audit-log.ts';
import { type Storage, UNSCOPED } from '../../src/storage/storage.ts';
import { ANN, createThread, sampleUser } from './samples.ts';

const SIGN_IN: NewAuditEntry = { act: 'sign_in', actor: ANN, clientIp: '192.0.2.1', subject: ANN };

export function auditLogContract(open: () => Promise<Storage>): void {
  describe('audit log', () => {
    let storage: Storage;
    /** The number of existing rows: a shared database keeps those of earlier tests. */
    let before: number;
    beforeEach(async () => {
      storage = await open();
      before = (await storage.audit.head()).number;
    });
    afterEach(() => storage.close());

    const newest = async (limit = 100) => (await storage.audit.list({ limit })).entries;

    it('[audit.row] has number, time, actor, address, act, subject, details and both hashes', async () => {
      const row = await storage.audit.append({
        ...SIGN_IN,
        details: { b: [1, { z: null, a: '数据' }], a: 'x' },
      });
      expect(row).toEqual({
        ...SIGN_IN,
        details: { a: 'x', b: [1, { a: '数据', z: null }] },
        number: before + 1,
        at: expect.any(Number),
        previousHash: expect.any(String),
        hash: expect.stringMatching(/^[\w-]{43}$/),
      });
      expect(await newest(1)).toEqual([row]);
      expect(await storage.audit.head()).toEqual({ number: row.number, hash: row.hash });
    });

    it('[audit.chain] each row names the hash of the previous row', async () => {
      const first = await storage.audit.append(SIGN_IN);
      const second = await storage.audit.append({ ...SIGN_IN, act: 'sign_out' });
      expect(second).toMatchObject({ number: first.number + 1, previousHash: first.hash });
      expect(await storage.audit.verify()).toEqual({
        kind: 'whole',
        head: { number: second.number, hash: second.hash },
      });
    });

    it('[audit.concurrent] concurrent entries follow one another, without holes and forks', async () => {
      const appended = await Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          storage.audit.append({ ...SIGN_IN, act: AUDIT_ACTS[n % AUDIT_ACTS.length] ?? 'export' }),
        ),
      );
      const numbers = appended.map(({ number }) => number).sort((a, b) => a - b);
      expect(numbers).toEqual(Array.from({ length: 40 }, (_, n) => before + n + 1));
      expect(await storage.audit.verify()).toMatchObject({ kind: 'whole' });
    });

    it('characters that a column cannot hold are not hashed either', async () => {
      await storage.audit.append({ ...SIGN_IN, subject: 'a\0b\ud800c', details: { '\0': '\0\ud800' } });
      expect(await storage.audit.verify()).toMatchObject({ kind: 'whole' });
      expect(await newest(1)).toMatchObject([{ subject: 'a\ufffdb\ufffdc', details: { '\0': '\0\ud800' } }]);
    });

    it('[audit.list] is read newest first, by actor, act, time and page', async () => {
      for (const act of ['sign_in', 'export', 'sign_out', 'export'] as const)
        await storage.audit.append({ ...SIGN_IN, actor: 'reader', act });
      const mine = await storage.audit.list({ actor: 'reader', limit: 3 });
      const acts = mine.entries.map(({ act }) => act);
      expect([acts.slice(0, 3), mine.hasMore]).toEqual([['export', 'sign_out', 'export'], true]);
      const oldest = mine.entries.at(-1)?.number ?? 0;
      const rest = await storage.audit.list({ before: oldest, limit: 1 });
      expect(rest).toMatchObject({ entries: [{ act: 'sign_in', number: oldest - 1 }] });
      const exports = await storage.audit.list({ act: 'export', actor: 'reader', limit: 1 });
      expect(exports).toMatchObject({ entries: [{ act: 'export' }], hasMore: true });
      const later = (mine.entries[0]?.at ?? 0) + 1;
      expect((await storage.audit.list({ actor: 'reader', since: later, limit: 9 })).entries).toEqual([]);
    });

    it('[audit.with-the-change] a change of an account and its row are durable together', async () => {
      const audited = storage.users.audited({ ...SIGN_IN, act: 'password_change' });
      expect(await audited.insert(sampleUser('new', { email: 'new@example.org' }))).toBe('inserted');
      expect(await audited.insert(sampleUser('twin', { email: 'NEW@example.org' }))).toBe('email_taken');
      expect(await audited.insertFirst(sampleUser('late'), 'no_user')).toBe(false);
      expect(await audited.update('new', 7, { needsSetup: true })).toBe('stale');
      expect((await storage.audit.head()).number).toBe(before + 1);
      expect(await audited.update('new', 0, { tokenVersion: 1 })).toMatchObject({ tokenVersion: 1 });
      expect((await storage.audit.head()).number).toBe(before + 2);
    });

    it('[audit.acts.threads] a deletion of a thread and an adoption are logged', async () => {
      await createThread(storage, ANN, 'gone');
      await storage.as(ANN).threads.delete('gone', 0, '192.0.2.9');
      await storage.as(ANN).threads.delete('gone');
      await createThread(storage, UNSCOPED, 'nobodys');
      await storage.adoptOwnerlessThreads(ANN);
      await storage.adoptOwnerlessThreads(ANN);
      expect(await newest(2)).toMatchObject([
        { act: 'threads_adopt', actor: null, subject: ANN, details: { threads: 1 } },
        { act: 'thread_delete', actor: ANN, subject: 'gone', clientIp: '192.0.2.9' },
      ]);
      expect((await storage.audit.head()).number).toBe(before + 2);
    });

    it('[audit.anchor] rows that an anchor knows must still exist', async () => {
      const { number, hash } = await storage.audit.append(SIGN_IN);
      await storage.audit.append(SIGN_IN);
      expect(await storage.audit.verify({ number, hash })).toMatchObject({ kind: 'whole' });
      expect(await storage.audit.verify({ number, hash: 'another' })).toMatchObject({
        kind: 'broken',
        number,
      });
      const gone = await storage.audit.verify({ number: number + 5, hash });
      expect(gone).toMatchObject({ kind: 'broken', number: number + 2 });
    });
  });
}
