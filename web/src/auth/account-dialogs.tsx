// The account dialogs: change the e-mail address, change the password, confirm the password.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { RequestError } from '../api/service-error.ts';
import { useServices } from '../services/services.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { formText, TextField } from '../ui/text-field.tsx';
import { authErrorText, NewPasswordField, SubmitButton } from './auth-form.tsx';

const WRONG_CURRENT = { invalid_credentials: 'The current password is incorrect.' };

export function ChangePasswordDialog({ onClose }: { readonly onClose: () => void }) {
  const { api } = useServices();
  return (
    <AccountDialog
      title="Change password"
      description="All other sessions are signed out."
      done="Password changed."
      change={(form) =>
        api.changePassword({
          current: formText(form, 'current'),
          next: formText(form, 'password'),
          revokesKeys: form.has('revoke-keys'),
        })
      }
      onClose={onClose}
    >
      <NewPasswordField label="New password" />
      <label className="flex items-start gap-2.5 text-sm pointer-coarse:py-2.5">
        <input type="checkbox" name="revoke-keys" className="mt-0.5 size-4 shrink-0 rounded accent-primary" />
        Also revoke all my API keys
      </label>
    </AccountDialog>
  );
}

export function ChangeEmailDialog({ onClose }: { readonly onClose: () => void }) {
  const { api } = useServices();
  return (
    <AccountDialog
      title="Change e-mail"
      description="You will sign in with this address."
      done="E-mail address changed."
      change={(form) =>
        api.changeEmail({ current: formText(form, 'current'), email: formText(form, 'email') })
      }
      onClose={onClose}
    >
      <TextField label="New e-mail" name="email" type="email" autoComplete="email" required />
    </AccountDialog>
  );
}

interface AccountDialogProps {
  readonly title: string;
  readonly description: string;
  readonly done: string;
  readonly change: (form: FormData) => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

function AccountDialog({ title, description, done, change, onClose, children }: AccountDialogProps) {
  const queryClient = useQueryClient();
  const [isDone, setDone] = useState(false);
  const save = useMutation({
    mutationFn: change,
    onSuccess: async () => {
      setDone(true);
      await queryClient.invalidateQueries({ queryKey: ['me'] });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    save.mutate(new FormData(event.currentTarget));
  };
  if (isDone)
    return (
      <Dialog open onClose={onClose} title={title} description={done}>
        <div className="flex justify-end">
          <Button onClick={onClose}>Close</Button>
        </div>
      </Dialog>
    );
  return (
    <Dialog open onClose={onClose} title={title} description={description}>
      <form onSubmit={submit} className="grid gap-4">
        {save.error !== null && <Notice tone="danger">{authErrorText(save.error, WRONG_CURRENT)}</Notice>}
        <TextField
          label="Current password"
          name="current"
          type="password"
          autoComplete="current-password"
          required
        />
        {children}
        <div className="mt-1 flex justify-end gap-2">
          <Button variant="secondary" onClick={onClose}>
            Cancel
          </Button>
          <SubmitButton isPending={save.isPending}>Save</SubmitButton>
        </div>
      </form>
    </Dialog>
  );
}

const WRONG_CONFIRMATION = { invalid_credentials: 'The password is incorrect.' };

interface ConfirmPasswordProps {
  /** Continues the action that asked for the password. */
  readonly onConfirmed: () => void;
  readonly onClose: () => void;
}

export function ConfirmPasswordDialog({ onConfirmed, onClose }: ConfirmPasswordProps) {
  const { api } = useServices();
  const confirm = useMutation({
    mutationFn: (password: string) => api.confirmPassword(password),
    onSuccess: onConfirmed,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    confirm.mutate(formText(new FormData(event.currentTarget), 'current'));
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Confirm your password"
      description="For your security, enter your password again."
    >
      <form onSubmit={submit} className="grid gap-4">
        {confirm.error !== null && (
          <Notice tone="danger">{authErrorText(confirm.error, WRONG_CONFIRMATION)}</Notice>
        )}
        <TextField
          label="Password"
          name="current"
          type="password"
          autoComplete="current-password"
          required
          autoFocus
        />
        <div className="mt-1 flex flex-wrap justify-end gap-2">
          <Button variant="secondary" onClick={onClose}>
            Cancel
          </Button>
          <SubmitButton isPending={confirm.isPending}>Continue</SubmitButton>
        </div>
      </form>
    </Dialog>
  );
}

/** Whether the password has to be entered again before the request is repeated. */
export function asksForPassword(error: Error | null): boolean {
  return error instanceof RequestError && error.code === 'password_required';
}
