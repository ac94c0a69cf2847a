// The editor for text files. It replaces only the version that was edited, and otherwise lets the person
// choose.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { RequestError } from '../api/service-error.ts';
import { useServices } from '../services/services.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { nameOf } from './file-kind.ts';
import { fileContentQuery, refreshFiles } from './thread-files.ts';

interface FileEditorProps {
  readonly threadId: string;
  readonly path: string;
  /** The content when editing began. */
  readonly seen: { readonly bytes: Uint8Array; readonly text: string };
  readonly onDone: () => void;
}

/** Set when the file was changed or removed during the edit. */
interface Conflict {
  /** The hash of the current file. Undefined when the file does not exist. */
  readonly hash: string | undefined;
}

export default function FileEditor({ threadId, path, seen, onDone }: FileEditorProps) {
  const { api } = useServices();
  const queryClient = useQueryClient();
  const [first] = useState(seen);
  const [draft, setDraft] = useState(first.text.replaceAll('\r\n', '\n'));
  const [conflict, setConflict] = useState<Conflict>();

  const hashNow = async (): Promise<string | undefined> => {
    try {
      const now = await queryClient.fetchQuery(fileContentQuery(api, threadId, path));
      return hashOf(now.bytes);
    } catch (error) {
      if (error instanceof RequestError && error.status === 404) return undefined;
      throw error;
    }
  };
  const saving = useMutation({
    mutationFn: async (expected: string | undefined) => {
      const content = first.text.includes('\r\n') ? draft.replaceAll('\n', '\r\n') : draft;
      try {
        await api.writeFile(threadId, { path, content, expected });
      } catch (error) {
        const isRefused = error instanceof RequestError && [409, 412].includes(error.status);
        const hash = isRefused ? await hashNow() : expected;
        // An error for another reason, such as while the agent works, has its own sentence.
        if (hash === expected) throw error;
        setConflict({ hash });
        return;
      }
      await refreshFiles(queryClient, threadId);
      onDone();
    },
  });
  const save = () => saving.mutate(conflict === undefined ? hashOf(first.bytes) : conflict.hash);
  const takeTheirs = async () => {
    await refreshFiles(queryClient, threadId);
    onDone();
  };

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      onKeyDown={(event) => {
        if (event.key === 's' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          save();
        }
        // The panel stays open, so that the text is not lost.
        if (event.key === 'Escape') event.preventDefault();
      }}
      className="flex min-h-0 flex-1 flex-col"
    >
      <textarea
        aria-label={`Text of ${nameOf(path)}`}
        // biome-ignore lint/a11y/noAutofocus: a person who presses Edit wants to write.
        autoFocus
        spellCheck={false}
        value={draft}
        onChange={({ target }) => setDraft(target.value)}
        className="min-h-0 flex-1 resize-none bg-code px-4 py-3.5 font-mono text-base leading-[1.65] outline-hidden sm:text-[0.8125rem]"
      />
      <div className="grid gap-2.5 border-t border-border p-3">
        {saving.isError && <Notice tone="danger">{saving.error.message}</Notice>}
        {conflict !== undefined && (
          <Notice tone="warning">
            {conflict.hash === undefined
              ? 'The file was removed while you edited it.'
              : 'The file was changed while you edited it.'}{' '}
            Save your version, or discard it and see the current file.
          </Notice>
        )}
        <div className="flex flex-wrap justify-end gap-2">
          {conflict === undefined ? (
            <Button variant="ghost" size="small" onClick={onDone}>
              Cancel
            </Button>
          ) : (
            <Button variant="secondary" size="small" onClick={() => void takeTheirs().catch(reportError)}>
              Discard my changes
            </Button>
          )}
          <Button type="submit" size="small" disabled={saving.isPending}>
            {conflict === undefined ? 'Save' : 'Save my version'}
          </Button>
        </div>
      </div>
    </form>
  );
}

function hashOf(bytes: Uint8Array): string {
  return bytesToHex(sha256(bytes));
}
