// The menu of the signed-in person: theme, password, e-mail, settings, sign out.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { ChevronsUpDown, KeyRound, LogOut, Mail, Settings } from 'lucide-react';
import { useState } from 'react';
import { useServices } from '../services/services.tsx';
import { useTheme } from '../theme/theme.ts';
import { Menu, MenuChoice, MenuItem, MenuLabel, MenuSeparator } from '../ui/menu.tsx';
import { ChangeEmailDialog, ChangePasswordDialog } from './account-dialogs.tsx';
import { meQuery } from './session.ts';

const THEMES = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

export function AccountMenu({ onOpen }: { readonly onOpen: () => void }) {
  const { api } = useServices();
  const me = useQuery(meQuery(api)).data;
  const [dialog, setDialog] = useState<'password' | 'email'>();
  const [theme, chooseTheme] = useTheme();
  const signOut = useSignOut();
  const navigate = useNavigate();
  const email = me?.email ?? '';
  const close = () => setDialog(undefined);
  return (
    <>
      <Menu
        side="top"
        align="start"
        className="w-60"
        trigger={
          <button
            type="button"
            className="flex w-full items-center gap-2.5 rounded-lg p-2 text-left text-sm hover:bg-accent data-[state=open]:bg-accent"
          >
            <span
              aria-hidden
              data-initial={email.slice(0, 1)}
              className="grid size-7 shrink-0 place-items-center rounded-full bg-primary-soft text-xs font-semibold text-primary uppercase before:content-[attr(data-initial)]"
            />
            <span className="sr-only">Account</span>
            <span className="min-w-0 flex-1 truncate">{email}</span>
            <ChevronsUpDown aria-hidden className="size-4 text-muted-foreground" />
          </button>
        }
      >
        <MenuLabel>Theme</MenuLabel>
        <MenuChoice value={theme} onChange={chooseTheme} options={THEMES} />
        <MenuSeparator />
        <MenuItem onSelect={() => setDialog('password')}>
          <KeyRound aria-hidden />
          Change password
        </MenuItem>
        <MenuItem onSelect={() => setDialog('email')}>
          <Mail aria-hidden />
          Change e-mail
        </MenuItem>
        <MenuItem
          onSelect={() => {
            onOpen();
            void navigate({ to: '/settings/account' });
          }}
        >
          <Settings aria-hidden />
          Settings
        </MenuItem>
        <MenuSeparator />
        <MenuItem onSelect={() => signOut.mutate()}>
          <LogOut aria-hidden />
          Sign out
        </MenuItem>
      </Menu>
      {dialog === 'password' && <ChangePasswordDialog onClose={close} />}
      {dialog === 'email' && <ChangeEmailDialog onClose={close} />}
    </>
  );
}

function useSignOut() {
  const { api } = useServices();
  const queryClient = useQueryClient();
  const router = useRouter();
  return useMutation({
    mutationFn: () => api.signOut(),
    onSuccess: async () => {
      queryClient.clear();
      queryClient.setQueryData(meQuery(api).queryKey, null);
      await router.navigate({ to: '/login' });
    },
  });
}
