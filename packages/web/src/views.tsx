import { type ComponentType, useEffect } from 'react';
import { matchRoute, Route, Switch, useLocation, useRouter } from 'wouter';
import { Board } from './board/board.tsx';
import { Boundary } from './design/boundary.tsx';
import { Empty } from './design/empty.tsx';
import { FallbackLinks } from './shell/fallback-links.tsx';
import { type LazyComponent, lazyView } from './shell/lazy-view.tsx';

/** The views by path; those that are used less often are loaded lazily. */
const VIEWS: readonly [path: string, view: ComponentType & Partial<LazyComponent<object>>][] = [
  ['/', lazyView(async () => (await import('./start/start.tsx')).Start)],
  ['/board', Board],
  ['/inbox', lazyView(async () => (await import('./inbox/inbox.tsx')).Inbox)],
  ['/chains/:part?/:id?', lazyView(async () => (await import('./chains/chains.tsx')).Chains)],
  [
    '/sessions/:id/:part?',
    lazyView(async () => (await import('./session/session-view.tsx')).SessionView, {
      isSoon: true,
    }),
  ],
  ['/agents/:part?', lazyView(async () => (await import('./agents/agents.tsx')).Agents)],
  ['/workspaces', lazyView(async () => (await import('./workspaces/workspaces.tsx')).Workspaces)],
  ['/machines', lazyView(async () => (await import('./machines/machines.tsx')).Machines)],
  ['/usage', lazyView(async () => (await import('./usage/usage.tsx')).Usage)],
  ['/settings/:part?', lazyView(async () => (await import('./settings/settings.tsx')).Settings)],
];

/** Starts to load the view of the current path while the page still authenticates the user. */
export function useFirstView(): void {
  const [location] = useLocation();
  const { parser } = useRouter();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the first one has to be waited for
  useEffect(() => {
    const [, view] = VIEWS.find(([path]) => matchRoute(parser, path, location)[0]) ?? [];
    // What cannot be loaded is told where it would be shown.
    view?.load?.().catch(() => {});
  }, []);
}

/** The view of the current path. */
export function Views() {
  const [location] = useLocation();
  return (
    <Boundary at={location}>
      <Switch>
        {VIEWS.map(([path, view]) => (
          <Route key={path} path={path} component={view} />
        ))}
        <Route>
          <Empty icon="question" title="Page not found" actions={<FallbackLinks />}>
            It may have moved or been deleted.
          </Empty>
        </Route>
      </Switch>
    </Boundary>
  );
}
