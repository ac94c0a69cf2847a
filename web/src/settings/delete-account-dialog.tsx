// Deletes the account. The person has to enter the password and type the e-mail address.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { authErrorText } from '../auth/auth-form.tsx';
import { ACCOUNT_DELETED, meQuery, useUserId } from '../auth/session.ts';
import { ownStorage } from '../services/own-storage.ts';
import { useServices } from '../services/services.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { formText, TextField } from '../ui/text-field.tsx';

const WRONG_PASSWORD = { invalid_credentials: 'The password is incorrect.' };

export function DeleteAccountDialog({ onClose }: { readonly onClose: () => void }) {
  const { api } = useServices();
  const email = useQuery(meQuery(api)).data?.email ?? '';
  const [typed, setTyped] = useState('');
  const remove = useDeleteAccount();
  const isMeant = typed.trim().toLowerCase() === email.toLowerCase();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isMeant) remove.mutate(formText(new FormData(event.currentTarget), 'current'));
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Delete your account?"
      description="This cannot be undone. It immediately and permanently deletes:"
    >
      <form onSubmit={submit} className="grid gap-4">
        <ul className="-mt-3 list-disc pl-5 text-sm leading-relaxed text-muted-foreground">
          <li>all your chats, including running answers</li>
          <li>your files and ratings</li>
          <li>your API keys and all other sessions</li>
        </ul>
        {remove.error !== null && (
          <Notice tone="danger">{authErrorText(remove.error, WRONG_PASSWORD)}</Notice>
        )}
        <TextField
          label="Current password"
          name="current"
          type="password"
          autoComplete="current-password"
          required
        />
        <TextField
          label="Confirm your e-mail"
          name="confirmation"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          hint={`Type ${email}`}
          required
        />
        <div className="mt-1 flex flex-wrap justify-end gap-2">
          <Button variant="secondary" onClick={onClose}>
            Cancel
          </Button>
          <Button variant="danger" type="submit" disabled={!isMeant || remove.isPending}>
            {remove.isPending && <Spinner />}
            Delete my account
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function useDeleteAccount() {
  const { api } = useServices();
  const queryClient = useQueryClient();
  const router = useRouter();
  const userId = useUserId();
  return useMutation({
    mutationFn: (password: string) => api.deleteAccount(password),
    onSuccess: async () => {
      ownStorage(userId).clear();
      queryClient.clear();
      queryClient.setQueryData(meQuery(api).queryKey, null);
      queryClient.setQueryData(ACCOUNT_DELETED, true);
      await router.navigate({ to: '/login' });
    },
  });
}
