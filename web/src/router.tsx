// The screens and their addresses.
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import * as z from 'zod/mini';
import { AgentsPage } from './agents/agents-page.tsx';
import { AppShell } from './app-shell.tsx';
import { RegisterPage } from './auth/register-page.tsx';
import { safeNext } from './auth/safe-next.ts';
import { meQuery, type RouterContext, requireUser } from './auth/session.ts';
import { SetupPage } from './auth/setup-page.tsx';
import { SignInPage } from './auth/sign-in-page.tsx';
import { ChatPage } from './chat/chat-page.tsx';
import { ErrorPage, NotFoundPage } from './error-page.tsx';
import { KeysPage } from './keys/keys-page.tsx';
import { MemoryPage } from './memory/memory-page.tsx';
import { SchedulesPage } from './schedules/schedules-page.tsx';
import { AccountPage } from './settings/account-page.tsx';
import { SkillPage } from './skills/skill-page.tsx';
import { SkillsPage } from './skills/skills-page.tsx';
import { threadRunsQuery } from './threads/thread-runs.ts';
import { ToolServersPage } from './tool-servers/tool-servers-page.tsx';
import { UsagePage } from './usage/usage-page.tsx';

const rootRoute = createRootRouteWithContext<RouterContext>()({ component: Outlet });

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  // Set even when the value is refused: a parameter that is missing here would be taken from the address
  // unchecked.
  validateSearch: (search): { next?: string | undefined } => ({ next: safeNext(search.next) }),
  beforeLoad: async ({ context, search }) => {
    const user = await context.queryClient.ensureQueryData(meQuery(context.api)).catch(() => null);
    if (user !== null) throw redirect({ href: search.next ?? '/' });
  },
  component: SignInPage,
});

const registerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/register',
  component: RegisterPage,
});

const setupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/setup',
  beforeLoad: async ({ context }) => {
    const user = await context.queryClient.ensureQueryData(meQuery(context.api));
    if (user === null) throw redirect({ to: '/login' });
    if (!user.needs_setup) throw redirect({ to: '/' });
  },
  component: SetupPage,
});

const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  beforeLoad: ({ context, location }) => requireUser(context, location.href),
  component: AppShell,
});

// One component for both addresses: a new chat that gets its id must not lose its running stream.
const chatRoute = createRoute({ getParentRoute: () => shellRoute, id: 'chat', component: ChatPage });

const newChatRoute = createRoute({ getParentRoute: () => chatRoute, path: '/' });

const threadRoute = createRoute({
  getParentRoute: () => chatRoute,
  path: '/threads/$threadId',
  loader: async ({ context, params }) => {
    const { api, queryClient } = context;
    await queryClient.fetchQuery({ ...threadRunsQuery(api, queryClient, params.threadId), staleTime: 0 });
  },
});

const keysRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/api-keys',
  component: KeysPage,
});

const accountRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/account',
  component: AccountPage,
});

const settingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings',
  beforeLoad: () => {
    throw redirect({ to: '/settings/account' });
  },
});

const usageRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/usage',
  component: UsagePage,
});

/** Without an agent, the page shows the memory of the agent that comes with the service. */
const memorySearchSchema = z.object({ agent: z.catch(z.optional(z.string()), undefined) });

const agentsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/agents',
  component: AgentsPage,
});

const memoryRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/memory',
  validateSearch: (search) => z.parse(memorySearchSchema, search),
  component: MemoryPage,
});

const schedulesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/schedules',
  component: SchedulesPage,
});

const skillsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/skills',
  component: SkillsPage,
});

const skillRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/skills/$skillName',
  component: SkillPage,
});

/** The query with which the service returns from a sign-in to a server. */
const signInResultSchema = z.object({
  signed_in: z.catch(z.optional(z.string()), undefined),
  sign_in_failed: z.catch(z.optional(z.string()), undefined),
});

const toolServersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/tool-servers',
  validateSearch: (search) => z.parse(signInResultSchema, search),
  component: ToolServersPage,
});

const routeTree = rootRoute.addChildren([
  loginRoute,
  registerRoute,
  setupRoute,
  shellRoute.addChildren([
    chatRoute.addChildren([newChatRoute, threadRoute]),
    settingsRoute,
    accountRoute,
    keysRoute,
    usageRoute,
    agentsRoute,
    memoryRoute,
    schedulesRoute,
    skillsRoute,
    skillRoute,
    toolServersRoute,
  ]),
]);

export function createAppRouter(context: RouterContext) {
  return createRouter({
    routeTree,
    context,
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFoundPage,
    defaultPendingMs: 300,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
