// The pages for a screen that failed, and for an unknown address.
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Button } from './ui/button.tsx';
import { Logo } from './ui/logo.tsx';

export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    router.invalidate().catch(reportError);
  };
  return (
    <Centered title="Something went wrong">
      <p className="text-muted-foreground">
        {error instanceof Error ? error.message : 'An unexpected error occurred.'}
      </p>
      <Button onClick={retry}>Try again</Button>
    </Centered>
  );
}

export function NotFoundPage() {
  return (
    <Centered title="Page not found">
      <p className="text-balance text-muted-foreground">
        The address may have been mistyped, or the page is gone.
      </p>
      <Link to="/" className="py-2 font-medium text-primary underline underline-offset-4">
        Go to your chats
      </Link>
    </Centered>
  );
}

function Centered({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <main className="grid h-full place-items-center overflow-y-auto p-6">
      <div className="grid max-w-md justify-items-center gap-4 text-center">
        <Logo className="size-10" />
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        {children}
      </div>
    </main>
  );
}
