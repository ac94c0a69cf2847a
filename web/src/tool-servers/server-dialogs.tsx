// Adds or changes a tool server, by a form or as JSON, and then tests it.
import { Tabs } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import type { ServerEntries, ServerEntry } from '../api/tool-server-shapes.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { ServerForm } from './server-form.tsx';
import { ServerJson } from './server-json.tsx';
import { ServerTestView } from './server-test.tsx';
import { useChangeServers, useServerEntry, type useTestServer } from './tool-server-queries.ts';
import { useSaving, withoutServer } from './use-saving.ts';

const NEW_ENTRY: ServerEntry = { enabled: true };

interface AddServerDialogProps {
  /** Names that are taken. */
  readonly taken: readonly string[];
  readonly onClose: () => void;
}

export function AddServerDialog({ taken, onClose }: AddServerDialogProps) {
  const saving = useSaving(onClose);
  if (saving.tested !== undefined)
    return (
      <SavedServerDialog
        title="Add tool server"
        tested={saving.tested}
        test={saving.test}
        onClose={onClose}
      />
    );
  const refused = (servers: ServerEntries): string | undefined => {
    const name = Object.keys(servers).find((it) => taken.includes(it));
    return name === undefined
      ? undefined
      : `A server named “${name}” already exists. Choose another name, or edit that one.`;
  };
  return (
    <Dialog open onClose={onClose} title="Add tool server" width="wide">
      <FormOrJson
        form={
          <ServerForm
            name={undefined}
            entry={NEW_ENTRY}
            refused={refused}
            saving={saving}
            onCancel={onClose}
          />
        }
        json={<ServerJson name={undefined} text="" refused={refused} saving={saving} onCancel={onClose} />}
        problem={saving.problem}
      />
    </Dialog>
  );
}

interface EditServerDialogProps {
  readonly name: string;
  readonly onClose: () => void;
}

export function EditServerDialog({ name, onClose }: EditServerDialogProps) {
  const saving = useSaving(onClose);
  const entry = useServerEntry(name);
  const title = `Edit ${name}`;
  const never = () => undefined;
  // The entry when editing began, even if the list is loaded again during the edit.
  const [first, setFirst] = useState<ServerEntry>();
  if (first === undefined && entry.isFetchedAfterMount && entry.data !== undefined) setFirst(entry.data);
  if (saving.tested !== undefined)
    return <SavedServerDialog title={title} tested={saving.tested} test={saving.test} onClose={onClose} />;
  return (
    <Dialog open onClose={onClose} title={title} width="wide">
      {entry.error !== null && <Notice tone="danger">{entry.error.message}</Notice>}
      {first === undefined && entry.isFetching && <Spinner className="mx-auto my-10" />}
      {first === undefined && entry.isFetchedAfterMount && entry.error === null && (
        <Notice tone="danger">This server no longer exists. Another administrator removed it.</Notice>
      )}
      {first !== undefined && (
        <FormOrJson
          form={<ServerForm name={name} entry={first} refused={never} saving={saving} onCancel={onClose} />}
          json={
            <ServerJson
              name={name}
              text={JSON.stringify(first, null, 2)}
              refused={never}
              saving={saving}
              onCancel={onClose}
            />
          }
          problem={saving.problem}
        />
      )}
    </Dialog>
  );
}

interface FormOrJsonProps {
  readonly form: ReactNode;
  readonly json: ReactNode;
  /** Why the service refused the change. */
  readonly problem: string | undefined;
}

const TAB =
  'min-h-10 flex-1 rounded-md px-3 text-sm font-medium text-muted-foreground data-[state=active]:bg-accent data-[state=active]:text-foreground';

function FormOrJson({ form, json, problem }: FormOrJsonProps) {
  return (
    <Tabs.Root defaultValue="form" className="grid gap-4">
      <Tabs.List
        aria-label="How to describe it"
        className="flex rounded-lg border border-border bg-background p-1"
      >
        <Tabs.Trigger value="form" className={TAB}>
          Form
        </Tabs.Trigger>
        <Tabs.Trigger value="json" className={TAB}>
          JSON
        </Tabs.Trigger>
      </Tabs.List>
      {problem !== undefined && <Notice tone="danger">{problem}</Notice>}
      <Tabs.Content value="form" className="outline-hidden">
        {form}
      </Tabs.Content>
      <Tabs.Content value="json" className="outline-hidden">
        {json}
      </Tabs.Content>
    </Tabs.Root>
  );
}

interface RemoveServerDialogProps {
  readonly name: string;
  readonly onClose: () => void;
}

export function RemoveServerDialog({ name, onClose }: RemoveServerDialogProps) {
  const change = useChangeServers();
  return (
    <ConfirmDialog
      title="Remove this tool server?"
      description={
        <>
          The agent loses the tools of <span className="font-medium text-foreground">{name}</span>, for
          everybody. Its settings and secrets are deleted. To keep them, switch it off instead.
        </>
      }
      action="Remove"
      isPending={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate(withoutServer(name), { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}

interface SavedServerDialogProps {
  readonly title: string;
  readonly tested: string;
  readonly test: ReturnType<typeof useTestServer>;
  readonly onClose: () => void;
}

function SavedServerDialog({ title, tested, test, onClose }: SavedServerDialogProps) {
  const isFailed = test.isError || test.data?.success === false;
  return (
    <Dialog open onClose={onClose} title={title}>
      <div className="grid gap-4">
        <p className="text-sm text-muted-foreground">The settings are saved.</p>
        <ServerTestView name={tested} test={test} />
        <div className="flex flex-wrap justify-end gap-2">
          {isFailed && (
            <Button variant="secondary" onClick={() => test.mutate(tested)}>
              Test again
            </Button>
          )}
          <Button onClick={onClose}>{test.isPending ? 'Close' : 'Done'}</Button>
        </div>
      </div>
    </Dialog>
  );
}
